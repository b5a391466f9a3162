import type { RouteLocationNamedRaw } from 'vue-router'

declare const made: unique symbol

/** Where a page of ours is, and what it shows there. Only the functions below make one. */
export type PageAddress = RouteLocationNamedRaw & { readonly [made]: true }

/** A tab of the settings. */
export type SettingsTab =
  | 'tokens'
  | 'members'
  | 'projects'
  | 'sign-in'
  | 'account'
  | 'notifications'
  | 'prices'
  | 'usage'
  | 'retention'
  | 'shared'
  | 'audit'

/** A target of a campaign, which is one side of a comparison. */
export interface SideOfCampaign {
  /** Id. */
  campaign: string
  /** Name. */
  target: string
}

/** What is measured of each side: a workload at one load. */
export interface CellName {
  workload: string
  /** Label of its load level: `8 clients`. */
  level: string
}

/** What a comparison is of: all targets of a campaign, the same each against itself in a base, or sides. */
export type Compared =
  | { campaign: string; base?: string; sides?: never; cell?: CellName; figure?: string }
  | { sides: readonly SideOfCampaign[]; campaign?: never; base?: never; cell?: CellName; figure?: string }

/** What an experiment is opened at: its schedule, one revision, or a field of its definition. */
export type ExperimentPlace = { tab: 'schedule' } | { revision: number } | { field: string }

type Query = Record<string, string | number | readonly string[] | undefined>

function page(name: string, rest: { params?: Record<string, string | string[]>; query?: Query } = {}): PageAddress {
  const query = Object.fromEntries(Object.entries(rest.query ?? {}).filter(([, value]) => value !== undefined))
  return {
    name,
    ...(rest.params ? { params: rest.params } : {}),
    ...(Object.keys(query).length ? { query } : {}),
  } as PageAddress
}

/** A side as it stands in an address: `CAMPAIGN~TARGET`. */
export const sideKey = ({ campaign, target }: SideOfCampaign): string => `${campaign}~${target}`

/** A cell as it stands in an address: `WORKLOAD~LOAD`. */
export const cellKey = ({ workload, level }: CellName): string => `${workload}~${level}`

/** The target that a side's key names. */
export const targetOfSide = (side: string): string => side.slice(side.indexOf('~') + 1)

/** The cell that a text of an address names; null when it names none. */
export function cellNamed(text: string): CellName | null {
  const at = text.indexOf('~')
  return at > 0 && at < text.length - 1 ? { workload: text.slice(0, at), level: text.slice(at + 1) } : null
}

export const toOverview = () => page('overview')

/** @param next the address that one is brought back to. */
export const toLogin = (next?: string) => page('login', { query: { next } })
export const toLoginAnswer = () => page('login-answer')
export const toPassword = () => page('password')
export const toJoining = () => page('joining')

export const toExperiments = () => page('experiments')

/**
 * @param begin a calibration, whose operating points are to be measured: those found, or the lows of their spans; or
 *   the system of a server that somebody else runs.
 */
export const toNewExperiment = (begin?: { campaign: string; take?: 'low' } | { external: string }) =>
  page('experiment-new', {
    query: begin && 'external' in begin ? begin : { points: begin?.campaign, take: begin?.take },
  })

/** @param experiment id or slug. */
export const toExperiment = (experiment: string, at?: ExperimentPlace) =>
  page('experiment', {
    params: { experiment },
    query: at && 'revision' in at ? { tab: 'revisions', revision: at.revision } : { ...at },
  })

export const toCampaigns = () => page('campaigns')
export const toCampaign = (campaign: string) => page('campaign', { params: { campaign } })
export const toRun = (run: string) => page('run', { params: { run } })

/** The comparison of what is named, and of nothing else; without anything, the choice of a campaign. */
export function toComparison(of?: Compared): PageAddress {
  if (!of) return page('compare')
  return page('compare', {
    query: {
      campaign: of.campaign,
      base: of.base,
      side: of.sides?.map(sideKey),
      cell: of.cell && cellKey(of.cell),
      figure: of.figure,
    },
  })
}

/**
 * A comparison with published sides beside it.
 *
 * @param query of the comparison's address.
 * @param published keys of the sides, `SOURCE~SIDE`.
 */
export function toComparisonBeside(query: string, published: readonly string[]): PageAddress {
  const asked = new URLSearchParams(query)
  const names = [...new Set(asked.keys())]
  const said = Object.fromEntries(names.map((name) => [name, asked.getAll(name)]))
  return page('compare', { query: { ...said, published: [...new Set([...(said['published'] ?? []), ...published])] } })
}

/** @param of a series, and the figure it is of. */
export const toHistory = (of?: { series: string; metric: string }) => page('history', { query: { ...of } })

export const toAlerts = () => page('alerts')
export const toAlert = (alert: string) => page('alerts', { query: { alert } })

export const toStudies = () => page('studies')
export const toStudy = (study: string) => page('study', { params: { study } })

export const toPublishedSources = () => page('published-sources')
export const toPublishedSource = (source: string) => page('published-source', { params: { source } })
/** @param beside the comparison that what is brought shall stand in, as its address's query. */
export const toBringResults = (beside?: string) => page('bring-results', { query: { beside: beside || undefined } })

export const toReports = () => page('reports')
export const toReport = (report: string) => page('report', { params: { report } })
export const toEdition = (report: string, edition: number) =>
  page('edition', { params: { report, edition: String(edition) } })

/** @param said what is searched for. */
export const toSearch = (said = '') => page('search', { query: { q: said || undefined } })

/** Where the documentation is served, which the help shows. */
const DOCUMENTATION = /^\/docs(?:\/([\w/-]*?))?(?:\.md)?\/?(?:#(.*))?$/

/** A page of the help. */
export interface HelpPlace {
  /** Below the documentation's own folder; empty: its first page. */
  path: string
  /** Of a section; empty: the page's beginning. */
  section: string
}

/** The page of the help that an address of our documentation is of; null when it is of none. */
export function helpPlaceOf(address: string): HelpPlace | null {
  const found = DOCUMENTATION.exec(address)
  return found && { path: found[1] ?? '', section: decodeURIComponent(found[2] ?? '') }
}

export const toHelp = ({ path, section }: HelpPlace = { path: '', section: '' }): PageAddress => ({
  ...page('help', { params: { page: path.split('/').filter(Boolean) } }),
  ...(section ? { hash: `#${section}` } : {}),
})

/** The page that an answer of search names: a page of ours as it is, documentation in the help. */
export function toFound(path: string): PageAddress | string {
  const place = helpPlaceOf(path)
  return place ? toHelp(place) : path
}

export const toSystems = () => page('systems')
export const toSystem = (system: string) => page('system', { params: { system } })

export const toAgents = () => page('agents')
export const toAgent = (agent: string) => page('agent', { params: { agent } })

export const toSettings = (tab?: SettingsTab) => page('settings', { query: { tab } })
