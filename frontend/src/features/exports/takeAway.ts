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

/** Lists without figures: nobody's terms say who may have them, and the server asks for nobody's leave. */
const WITHOUT_FIGURES: ReadonlySet<string> = new Set([
  'agents',
  'annotations',
  'api-tokens',
  'channels',
  'experiments',
  'invitations',
  'joining-domains',
  'members',
  'occurrences',
  'pipeline-trusts',
  'published-sources',
  'reports',
  'revisions',
  'shares',
  'systems',
])

/** Whether an export has figures, which only some may have. */
export const hasFigures = (path: string): boolean => !WITHOUT_FIGURES.has(path)

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
