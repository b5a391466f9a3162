/** A table of an export, as the API names it, and as people read it. */
export interface ExportTable {
  name: string
  label: string
}

/** What is asked of an export besides its form. */
export type ExportQuery = Record<string, string | number | boolean | readonly string[] | null | undefined>

export type ExportForm = 'csv' | 'parquet' | 'jsonl' | 'hlog'
export type ExportAudience = 'internal' | 'others' | 'public'

/** An archive of all tables of one snapshot. */
export const EVERYTHING = 'all'

export const FORMS: readonly { value: ExportForm; label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'parquet', label: 'Parquet' },
  { value: 'jsonl', label: 'JSON lines' },
]

export const AUDIENCES: readonly { value: ExportAudience; label: string }[] = [
  { value: 'internal', label: 'Your organization' },
  { value: 'others', label: 'Others, privately' },
  { value: 'public', label: 'The public' },
]

/** Where an export lies. What is empty is not asked for. */
export function exportAddress(
  path: string,
  form: ExportForm,
  { query = {}, table, audience = 'internal' }: { query?: ExportQuery; table?: string; audience?: ExportAudience } = {},
): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const several = Array.isArray(value)
      ? (value as readonly string[])
      : [value as string | number | boolean | null | undefined]
    for (const one of several) if (one !== '' && one !== null && one !== undefined) asked.append(name, String(one))
  }
  if (table) asked.set('table', table)
  asked.set('format', form)
  if (audience !== 'internal') asked.set('audience', audience)
  return `/api/v1/exports/${path}?${asked.toString()}`
}
