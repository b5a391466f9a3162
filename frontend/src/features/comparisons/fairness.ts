import type { AspectRow } from '@/api'

/** What a row of the matrix is to the comparison, as a reader is told it. */
export const ROLES = [
  { role: 'compared', label: 'What is compared', tone: 'accent' },
  { role: 'may_explain', label: 'May explain it', tone: 'bad' },
  { role: 'cannot_be_avoided', label: 'Cannot be avoided', tone: 'caution' },
  { role: 'harmless', label: 'Differs, shifts no figure', tone: 'neutral' },
  { role: 'same', label: 'Is the same', tone: 'neutral' },
] as const

export type FairnessRole = (typeof ROLES)[number]['role']

/** The rows of the matrix in their groups; groups without rows are left out. */
export function groupsOf(rows: readonly AspectRow[]) {
  return ROLES.map((group) => ({ ...group, rows: rows.filter((row) => row.role === group.role) })).filter(
    (group) => group.rows.length > 0,
  )
}

/** What the strip of the sides says already. */
const NAMED_ABOVE: readonly string[] = ['system', 'version']

/** Whether a group need not stand there at once: it shifts no figure, or says what stands above the page anyway. */
export function isFolded(group: { role: FairnessRole; rows: readonly Pick<AspectRow, 'aspect'>[] }): boolean {
  if (group.role === 'compared') return group.rows.every((row) => NAMED_ABOVE.includes(row.aspect))
  return group.role === 'same' || group.role === 'harmless'
}

/** What is said where no condition need stand there (`isFolded`). */
export function nothingWords(rows: readonly Pick<AspectRow, 'label' | 'role'>[], sides: number): string {
  if (sides < 2) return 'Of one side alone there is nothing to differ.'
  const named = rows.filter((row) => row.role === 'compared').map((row) => row.label.toLowerCase())
  if (named.length) return `The sides differ in ${named.join(' and ')}, and in nothing else that shifts a figure.`
  if (rows.some((row) => row.role === 'harmless')) return 'The sides differ in nothing that shifts a figure.'
  return 'The sides differ in nothing that is known of them.'
}

/** How the sides differ, in one line: `3 of 14 conditions may explain a difference, 4 come with the systems`. */
export function matrixNote(rows: readonly AspectRow[], sides: number): string {
  if (sides < 2) return `${rows.length} conditions under which it was measured.`
  const count = (role: FairnessRole) => rows.filter((row) => row.role === role).length
  const [may, forced] = [count('may_explain'), count('cannot_be_avoided')]
  if (!may && !forced) return `Of ${rows.length} conditions, none that differs may explain a difference in the figures.`
  const told = [
    ...(may ? [`${may} that differ may explain a difference in the figures`] : []),
    ...(forced ? [`${forced} come with the systems and cannot be made equal`] : []),
  ]
  return `Of ${rows.length} conditions, ${told.join(', ')}.`
}

/** Whom a row likely makes look better, in the fewest names; empty where that is not said. */
export function favouredWords(
  row: Pick<AspectRow, 'favours'>,
  shown: readonly { place: number; label: string }[],
): string {
  const [favoured, others] = [true, false].map((wanted) =>
    shown.filter((side) => row.favours.includes(side.place) === wanted).map((side) => side.label),
  ) as [string[], string[]]
  if (!favoured.length || !others.length) return ''
  return favoured.length > 2 && others.length < favoured.length
    ? `favours all but ${others.join(', ')}`
    : `favours ${favoured.join(', ')}`
}
