/** The main navigation: the order a comparison is made in. */
export const navigation = [
  { name: 'overview', label: 'Overview' },
  { name: 'experiments', label: 'Experiments' },
  { name: 'campaigns', label: 'Campaigns' },
  { name: 'compare', label: 'Compare' },
  { name: 'history', label: 'History' },
  { name: 'alerts', label: 'Alerts' },
  { name: 'studies', label: 'Studies' },
  { name: 'systems', label: 'Systems' },
  { name: 'agents', label: 'Agents' },
] as const

const parents: Record<string, string> = {
  'experiment-new': 'experiments',
  experiment: 'experiments',
  campaign: 'campaigns',
  run: 'campaigns',
  study: 'studies',
  system: 'systems',
  agent: 'agents',
}

/** The entry of the navigation under which a page stands. */
export function sectionOf(routeName: unknown): string {
  const name = typeof routeName === 'string' ? routeName : ''
  return parents[name] ?? name
}
