import type { RunCourse } from '@/api'
import type { Stretch } from '@/charts'
import { formatLatency, formatThroughput, type Shown } from '@/ui'

/** How grave a class is: the colour of its badge. */
export const TONES: Record<RunCourse['kind'], 'good' | 'caution' | 'bad' | 'info'> = {
  flat: 'good',
  warming_up: 'caution',
  slowing_down: 'caution',
  periodic: 'caution',
  unsteady: 'caution',
  overloaded: 'bad',
  not_assessable: 'info',
}

const words = (shown: Shown): string => `${shown.value} ${shown.unit}`.trim()
const seconds = (value: number): string => String(Number(value.toFixed(1)))

/** A stretch of the course in words, as it is numbered on the charts. */
export interface CourseLine {
  label: string
  when: string
  throughput: string
  p99: string | null
}

/** The stretches of a course as text; none when there is only one. */
export function courseLines(course: RunCourse): CourseLine[] {
  if (course.segments.length < 2) return []
  return course.segments.map((segment, at) => ({
    label: String(at + 1),
    when: `${seconds(segment.start_seconds)} to ${seconds(segment.end_seconds)} s`,
    throughput: words(formatThroughput(segment.throughput)),
    p99: segment.p99_us === null ? null : words(formatLatency(segment.p99_us)),
  }))
}

/**
 * The stretches of a course as charts shade them; none when there is only one.
 *
 * @param level whether the chart's axis is throughput, so that their level can be drawn.
 */
export function stretchesOf(course: RunCourse | null, level = false): Stretch[] {
  if (course === null || course.segments.length < 2) return []
  return course.segments.map((segment, at) => ({
    start_seconds: segment.start_seconds,
    end_seconds: segment.end_seconds,
    label: String(at + 1),
    ...(level ? { level: segment.throughput } : {}),
  }))
}
