import { createRouter, createWebHistory, type Router, type RouteRecordRaw } from 'vue-router'

import type { useSession } from '@/session'

import { shell } from './shell'

declare module 'vue-router' {
  interface RouteMeta {
    title?: string
    /** Shown without the shell, and to people who are not signed in. */
    open?: boolean
  }
}

/** Identifiers in addresses; any other text is no address of a page. */
const ID = '([0-9a-fA-F-]{36})'

type Component = () => Promise<unknown>

/** A page: its name, its address, what the browser's tab says, and what draws it. */
const page = (name: string, path: string, title: string, component: Component, more = {}): RouteRecordRaw => ({
  path,
  name,
  component,
  meta: { title },
  ...more,
})
/** One that is shown without the shell, and to people who are not signed in. */
const entrance = (name: string, path: string, title: string, component: Component) =>
  page(name, path, title, component, { meta: { title, open: true } })

const publishedSource = () => import('@/pages/PublishedSourcePage.vue')

/** Every page of the interface. */
export const routes: RouteRecordRaw[] = [
  entrance('login', '/login', 'Sign in', () => import('@/pages/LoginPage.vue')),
  entrance('login-answer', '/login/answer', 'Sign in', () => import('@/pages/SignInAnswerPage.vue')),
  entrance('join', '/join', 'Join', () => import('@/pages/JoinPage.vue')),
  entrance('joining', '/joining', 'Join', () => import('@/pages/JoiningPage.vue')),
  entrance('domain', '/domain', 'Domain', () => import('@/pages/DomainPage.vue')),
  entrance('password', '/password', 'Password', () => import('@/pages/PasswordPage.vue')),
  entrance('shared', '/shared', 'Shared', () => import('@/pages/SharedPage.vue')),
  page('public', `/public/:share${ID}`, 'Shared', () => import('@/pages/SharedPage.vue'), {
    props: true,
    meta: { title: 'Shared', open: true },
  }),
  entrance('reply', '/reply', 'Reply', () => import('@/pages/ReplyPage.vue')),
  // Links of before, whose secret stood in the path.
  { path: '/reply/:rest', redirect: (to) => ({ name: 'reply', hash: `#${String(to.params['rest'])}` }) },
  page('overview', '/', 'Overview', () => import('@/pages/OverviewPage.vue')),
  page('experiments', '/experiments', 'Experiments', () => import('@/pages/ExperimentsPage.vue')),
  page('experiment-new', '/experiments/new', 'New experiment', () => import('@/pages/ExperimentNewPage.vue')),
  page('experiment', '/experiments/:experiment', 'Experiment', () => import('@/pages/ExperimentPage.vue'), {
    props: true,
  }),
  page('campaigns', '/campaigns', 'Campaigns', () => import('@/pages/CampaignsPage.vue')),
  page('campaign', `/campaigns/:campaign${ID}`, 'Campaign', () => import('@/pages/CampaignPage.vue'), { props: true }),
  page('run', `/runs/:run${ID}`, 'Run', () => import('@/pages/RunPage.vue'), { props: true }),
  page('compare', '/compare', 'Compare', () => import('@/pages/ComparePage.vue')),
  page('history', '/history', 'History', () => import('@/pages/HistoryPage.vue')),
  page('alerts', '/alerts', 'Alerts', () => import('@/pages/AlertsPage.vue')),
  page('studies', '/studies', 'Studies', () => import('@/pages/StudiesPage.vue')),
  page('study', '/studies/:study', 'Study', () => import('@/pages/StudyPage.vue'), { props: true }),
  page(
    'published-sources',
    '/published-results',
    'Published results',
    () => import('@/pages/PublishedSourcesPage.vue'),
  ),
  page('bring-results', '/published-results/new', 'Bring results', () => import('@/pages/BringResultsPage.vue')),
  page('published-source', `/published-results/:source${ID}`, 'Published results', publishedSource, { props: true }),
  page('reports', '/reports', 'Reports', () => import('@/pages/ReportsPage.vue')),
  page('report', `/reports/:report${ID}`, 'Report', () => import('@/pages/ReportPage.vue'), { props: true }),
  page(
    'edition',
    `/reports/:report${ID}/editions/:edition(\\d{1,6})`,
    'Edition',
    () => import('@/pages/EditionPage.vue'),
    {
      props: true,
    },
  ),
  page('search', '/search', 'Search', () => import('@/pages/SearchPage.vue')),
  page('help', '/help/:page([\\w-]+)*', 'Help', () => import('@/pages/HelpPage.vue')),
  page('systems', '/systems', 'Systems', () => import('@/pages/SystemsPage.vue')),
  page('system', '/systems/:system', 'System', () => import('@/pages/SystemPage.vue'), { props: true }),
  page('agents', '/agents', 'Agents', () => import('@/pages/AgentsPage.vue')),
  page('agent', `/agents/:agent${ID}`, 'Agent', () => import('@/pages/AgentPage.vue'), { props: true }),
  page('settings', '/settings', 'Settings', () => import('@/pages/SettingsPage.vue')),
  page('no-role', '/no-role', 'Not yours to see', () => import('@/pages/NoRolePage.vue')),
  page('not-found', '/:rest(.*)*', 'Not found', () => import('@/pages/NotFoundPage.vue')),
]

/**
 * The router: asks once who is signed in, sends everybody else to the sign-in page and back.
 *
 * @param session the session store.
 */
export function createAppRouter(session: ReturnType<typeof useSession>): Router {
  const router = createRouter({
    history: createWebHistory(),
    routes,
    scrollBehavior: (to, from, saved) => saved ?? (to.hash ? { el: to.hash } : to.path === from.path ? {} : { top: 0 }),
  })

  router.beforeEach(async (to) => {
    // Whoever comes by a link of their own is nobody in particular, and is not asked.
    if (to.meta.open && to.name !== 'login') return true
    try {
      await session.restore()
    } catch {
      // The server is away: pages say so themselves, with a way to try again.
      return true
    }
    if (!session.session && !to.meta.open) return { name: 'login', query: { next: to.fullPath } }
    if (session.session && to.name === 'login') return { name: 'overview' }
    const { project, ...query } = to.query
    if (session.session && typeof project === 'string' && to.name !== 'no-role') {
      // A link from a message, which names the project that it is of.
      if (!session.projects.some((one) => one.id === project)) return { name: 'no-role' }
      session.chooseProject(project)
      return { path: to.path, query, hash: to.hash, replace: true }
    }
    return true
  })

  // Both come at the same time, what stands around the page and the page.
  router.beforeEach((to) => {
    if (!to.meta.open) void shell().catch(() => undefined)
  })

  router.afterEach((to) => {
    document.title = to.meta.title ? `${to.meta.title} · Weighhouse` : 'Weighhouse'
  })
  return router
}
