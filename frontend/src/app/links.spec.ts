import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'

import {
  toAgent,
  toAgents,
  toAlert,
  toAlerts,
  toCampaign,
  toCampaigns,
  toComparison,
  toExperiment,
  toExperiments,
  toFound,
  toHelp,
  toHistory,
  toJoining,
  toLogin,
  toLoginAnswer,
  toNewExperiment,
  toOverview,
  toPassword,
  toRun,
  toSearch,
  toSettings,
  toEdition,
  toReport,
  toReports,
  toStudies,
  toStudy,
  toSystem,
  toSystems,
} from '@/ui'

import { routes } from './router'

const sources = import.meta.glob<string>('/src/**/*.vue', { query: '?raw', import: 'default', eager: true })
const scripts = import.meta.glob<string>(['/src/**/*.ts', '!/src/**/*.spec.ts', '!/src/api/schema.d.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const OURS = [
  'there(factor.passkeys_at)', // the platform's own name
  'caveat.help', // a page of our documentation
  'help', // the same, of UiCard
  'one.documentation', // the same, of a finding
  '`/api/v1/published-sources/${shown.id}/document?number=${shown.shown}`', // a download from here
  'fileAddress(run.id, row)', // a download from here
  'begun.qr_code', // a picture from here
  'share.qr_code',
  'preview', // of a chart's picture, made in the browser
  'source', // of UiDisclaimer, a page of our documentation
  'address', // of UiLink, looked at there
  'page(git.commit_url) ?? undefined', // of UiCommit, looked at there
  'page(git.pull_request_url) ?? undefined',
]

describe('addresses that others gave', () => {
  it('are linked by the one component that looks at them', () => {
    const bound = Object.values(sources).flatMap((text) =>
      [...text.matchAll(/\s(?::|v-bind:)(?:href|src|action|formaction)="([^"]+)"/g)].map((found) => found[1] ?? ''),
    )
    expect(bound.length).toBeGreaterThan(4)
    expect(bound.filter((one) => !OURS.includes(one))).toEqual([])
  })
})

/** The two files that may say where a page is: what makes addresses, and what answers to them. */
const MAKERS = ['/src/ui/pages.ts', '/src/app/router.ts']
const NAMES = routes.flatMap((route) => (route.name ? [String(route.name)] : []))
const SECTIONS = routes.flatMap((route) => /^\/([a-z]+)/.exec(route.path)?.[1] ?? [])

/** Addresses of pages that a text makes by itself: a route by its name, or a path. */
function madeIn(text: string): string[] {
  const route = new RegExp(`\\bname:\\s*['"\`](${NAMES.join('|')})['"\`]`, 'g')
  const path = new RegExp(`['"\`](?:\\$\\{[^}]*\\})?/(${SECTIONS.join('|')})(?=[/?#'"\`])`, 'g')
  return [route, path].flatMap((pattern) => [...text.matchAll(pattern)].map((found) => found[0]))
}

describe('addresses of our pages', () => {
  it('are made in one place', () => {
    const found = Object.entries({ ...sources, ...scripts })
      .filter(([file]) => !MAKERS.includes(file))
      .flatMap(([file, text]) => madeIn(text).map((one) => `${file}: ${one}`))
    expect(found).toEqual([])
  })

  it.each([
    "{ name: 'compare', query: { campaign } }",
    "router.push({\n  name: 'run',\n  params: { run } })",
    '<RouterLink to="/settings?tab=usage">',
    'void router.push(`/campaigns/${id}`)',
  ])('are seen where %s makes one', (text) => {
    expect(madeIn(text)).toHaveLength(1)
  })

  it('lead to pages that are there', () => {
    const router = createRouter({ history: createMemoryHistory(), routes })
    const id = '0190c1d2-0000-7000-8000-000000000000'
    const made = [
      toOverview(),
      toLogin('/compare?campaign=1'),
      toLoginAnswer(),
      toPassword(),
      toJoining(),
      toExperiments(),
      toNewExperiment({ campaign: id, take: 'low' }),
      toNewExperiment({ external: 'redis' }),
      toExperiment('nightly', { revision: 3 }),
      toExperiment('nightly', { tab: 'schedule' }),
      toCampaigns(),
      toCampaign(id),
      toRun(id),
      toComparison(),
      toHistory({ series: id, metric: 'p99_us' }),
      toAlerts(),
      toAlert(id),
      toReports(),
      toReport(id),
      toEdition(id, 2),
      toStudies(),
      toStudy('redis-aerospike-dragonfly'),
      toSystems(),
      toSearch('redis'),
      toHelp(),
      toHelp({ path: 'findings/steady-state', section: 'what' }),
      toSystem('redis'),
      toAgents(),
      toAgent(id),
      toSettings('usage'),
    ].map((one) => router.resolve(one))
    expect(made.map((one) => one.name)).not.toContain('not-found')
    expect(made.map((one) => one.fullPath)).toContain('/experiments/nightly?tab=revisions&revision=3')
  })

  it('of what is found are ours as they are, and of documentation those of the help', () => {
    const router = createRouter({ history: createMemoryHistory(), routes })
    const full = (path: string) => router.resolve(toFound(path)).fullPath
    expect(full('/docs/findings/steady-state#what-it-means')).toBe('/help/findings/steady-state#what-it-means')
    expect(full('/docs/operating.md')).toBe('/help/operating')
    expect(full('/docs')).toBe('/help')
    expect(full('/systems/redis')).toBe('/systems/redis')
    expect(toFound('/docs/images/beam.svg')).toBe('/docs/images/beam.svg')
  })

  it('of a comparison name its sides, its cell and its figure', () => {
    const router = createRouter({ history: createMemoryHistory(), routes })
    const to = toComparison({
      sides: [
        { campaign: 'a', target: 'redis' },
        { campaign: 'b', target: 'redis' },
      ],
      cell: { workload: 'reads', level: '8 clients' },
      figure: 'p99_us',
    })
    expect(router.resolve(to).fullPath).toBe('/compare?side=a~redis&side=b~redis&cell=reads~8+clients&figure=p99_us')
    expect(router.resolve(toComparison({ campaign: 'b', base: 'a' })).fullPath).toBe('/compare?campaign=b&base=a')
  })
})
