import type { PublishedCell, PublishedFigure, PublishedSourceFacts } from '@/api'
import { plural } from '@/ui'

/** How a published value came about, in words. */
export const STATISTICS: Record<PublishedFigure['statistic'], string> = {
  counted: 'counted',
  merged: 'of all operations',
  read: 'read off',
  sampled: 'mean of samples',
  one_connection: "one connection's",
  averaged: 'averaged',
  highest_of_intervals: 'highest of intervals',
  lowest_of_intervals: 'lowest of intervals',
  range_of_intervals: 'range of intervals',
  unknown: 'not told',
}

/** A load as it is told: its own label, else what is known of it. */
export function loadWords(load: PublishedCell['load']): string {
  if (load.label) return load.label
  const parts = [
    load.clients === null ? '' : plural(load.clients, 'client'),
    load.pipeline !== null && load.pipeline > 1 ? `pipeline ${load.pipeline}` : '',
    load.rate === null ? '' : `${load.rate.toLocaleString('en')} op/s asked for`,
  ]
  return parts.filter(Boolean).join(', ') || 'not told'
}

/** Who published, when, who paid and on what: never left out where figures of others stand. */
export function sourceLine(source: PublishedSourceFacts): string {
  const { authors, date, sponsor, machines } = source
  const silent = Object.entries({ authors, date, 'who paid': sponsor, machines }).flatMap(([name, said]) =>
    said ? [] : [name],
  )
  return [
    authors,
    date,
    sponsor && `paid for by: ${sponsor}`,
    machines && `machines: ${machines}`,
    silent.length && `not told: ${silent.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
