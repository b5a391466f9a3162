import {
  toAgents,
  toAlerts,
  toBringResults,
  toCampaigns,
  toComparison,
  toExperiments,
  toHelp,
  toHistory,
  toNewExperiment,
  toOverview,
  toPublishedSources,
  toReports,
  toSettings,
  toStudies,
  toSystems,
  type HelpPlace,
  type PageAddress,
} from '@/ui'

/** A page that the navigation leads to; its section is the name of its route. */
export interface NavigationEntry {
  section: string
  label: string
  to: PageAddress
}

/** The main navigation: the order a comparison is made in. */
export const navigation: readonly NavigationEntry[] = [
  { section: 'overview', label: 'Overview', to: toOverview() },
  { section: 'experiments', label: 'Experiments', to: toExperiments() },
  { section: 'campaigns', label: 'Campaigns', to: toCampaigns() },
  { section: 'compare', label: 'Compare', to: toComparison() },
  { section: 'history', label: 'History', to: toHistory() },
  { section: 'alerts', label: 'Alerts', to: toAlerts() },
  { section: 'studies', label: 'Studies', to: toStudies() },
  { section: 'reports', label: 'Reports', to: toReports() },
  { section: 'systems', label: 'Systems', to: toSystems() },
  { section: 'agents', label: 'Agents', to: toAgents() },
]

/** What a phone's menu has besides. */
export const settingsEntry: NavigationEntry = { section: 'settings', label: 'Settings', to: toSettings() }

/** A way to others' results, which is no section. */
export const bringEntry: NavigationEntry = { section: 'bring-results', label: 'Bring results', to: toBringResults() }

/** Pages that are gone to by name, beside those of the navigation. */
export const namedPlaces: readonly { label: string; to: PageAddress }[] = [
  ...navigation,
  bringEntry,
  { label: 'New experiment', to: toNewExperiment() },
  { label: 'Published results', to: toPublishedSources() },
  settingsEntry,
  { label: 'Help', to: toHelp() },
]

/** Of each section, the page of the help that explains it; of others, its first. */
const EXPLAINED: Readonly<Record<string, string>> = {
  experiments: 'scenarios',
  campaigns: 'verdicts',
  compare: 'comparing',
  history: 'history',
  alerts: 'alerts',
  studies: 'studies',
  reports: 'reports',
  systems: 'systems',
  agents: 'agents',
  settings: 'people',
  search: 'search',
}

/** Where the help begins for who is on a page of a section. */
export const explained = (section: string): HelpPlace => ({ path: EXPLAINED[section] ?? '', section: '' })

const parents: Record<string, string> = {
  'experiment-new': 'experiments',
  experiment: 'experiments',
  campaign: 'campaigns',
  run: 'campaigns',
  study: 'studies',
  'published-sources': 'studies',
  'published-source': 'studies',
  'bring-results': 'studies',
  report: 'reports',
  edition: 'reports',
  system: 'systems',
  agent: 'agents',
  'no-role': 'overview',
}

/** The entry of the navigation under which a page stands. */
export function sectionOf(routeName: unknown): string {
  const name = typeof routeName === 'string' ? routeName : ''
  return parents[name] ?? name
}
