import { createRouter, createWebHistory, type Router, type RouteRecordRaw } from 'vue-router'

import type { useSession } from '@/session'

declare module 'vue-router' {
  interface RouteMeta {
    title?: string
    /** Shown without the shell, and to people who are not signed in. */
    open?: boolean
  }
}

/** Identifiers in addresses; any other text is no address of a page. */
const ID = '([0-9a-fA-F-]{36})'

/** Every page of the interface. */
export const routes: RouteRecordRaw[] = [
  {
    path: '/login',
    name: 'login',
    component: () => import('@/pages/LoginPage.vue'),
    meta: { title: 'Sign in', open: true },
  },
  {
    path: '/login/answer',
    name: 'login-answer',
    component: () => import('@/pages/SignInAnswerPage.vue'),
    meta: { title: 'Sign in', open: true },
  },
  {
    path: '/join',
    name: 'join',
    component: () => import('@/pages/JoinPage.vue'),
    meta: { title: 'Join', open: true },
  },
  {
    path: '/joining',
    name: 'joining',
    component: () => import('@/pages/JoiningPage.vue'),
    meta: { title: 'Join', open: true },
  },
  {
    path: '/domain',
    name: 'domain',
    component: () => import('@/pages/DomainPage.vue'),
    meta: { title: 'Domain', open: true },
  },
  {
    path: '/password',
    name: 'password',
    component: () => import('@/pages/PasswordPage.vue'),
    meta: { title: 'Password', open: true },
  },
  {
    path: '/reply',
    name: 'reply',
    component: () => import('@/pages/ReplyPage.vue'),
    meta: { title: 'Reply', open: true },
  },
  // Links of before, whose secret stood in the path.
  { path: '/reply/:rest', redirect: (to) => ({ name: 'reply', hash: `#${String(to.params['rest'])}` }) },
  { path: '/', name: 'overview', component: () => import('@/pages/OverviewPage.vue'), meta: { title: 'Overview' } },
  {
    path: '/experiments',
    name: 'experiments',
    component: () => import('@/pages/ExperimentsPage.vue'),
    meta: { title: 'Experiments' },
  },
  {
    path: '/experiments/new',
    name: 'experiment-new',
    component: () => import('@/pages/ExperimentNewPage.vue'),
    meta: { title: 'New experiment' },
  },
  {
    path: '/experiments/:experiment',
    name: 'experiment',
    component: () => import('@/pages/ExperimentPage.vue'),
    props: true,
    meta: { title: 'Experiment' },
  },
  {
    path: '/campaigns',
    name: 'campaigns',
    component: () => import('@/pages/CampaignsPage.vue'),
    meta: { title: 'Campaigns' },
  },
  {
    path: `/campaigns/:campaign${ID}`,
    name: 'campaign',
    component: () => import('@/pages/CampaignPage.vue'),
    props: true,
    meta: { title: 'Campaign' },
  },
  {
    path: `/runs/:run${ID}`,
    name: 'run',
    component: () => import('@/pages/RunPage.vue'),
    props: true,
    meta: { title: 'Run' },
  },
  { path: '/compare', name: 'compare', component: () => import('@/pages/ComparePage.vue'), meta: { title: 'Compare' } },
  { path: '/history', name: 'history', component: () => import('@/pages/HistoryPage.vue'), meta: { title: 'History' } },
  { path: '/alerts', name: 'alerts', component: () => import('@/pages/AlertsPage.vue'), meta: { title: 'Alerts' } },
  { path: '/studies', name: 'studies', component: () => import('@/pages/StudiesPage.vue'), meta: { title: 'Studies' } },
  {
    path: '/studies/:study',
    name: 'study',
    component: () => import('@/pages/StudyPage.vue'),
    props: true,
    meta: { title: 'Study' },
  },
  { path: '/systems', name: 'systems', component: () => import('@/pages/SystemsPage.vue'), meta: { title: 'Systems' } },
  {
    path: '/systems/:system',
    name: 'system',
    component: () => import('@/pages/SystemPage.vue'),
    props: true,
    meta: { title: 'System' },
  },
  { path: '/agents', name: 'agents', component: () => import('@/pages/AgentsPage.vue'), meta: { title: 'Agents' } },
  {
    path: `/agents/:agent${ID}`,
    name: 'agent',
    component: () => import('@/pages/AgentPage.vue'),
    props: true,
    meta: { title: 'Agent' },
  },
  {
    path: '/settings',
    name: 'settings',
    component: () => import('@/pages/SettingsPage.vue'),
    meta: { title: 'Settings' },
  },
  {
    path: '/:rest(.*)*',
    name: 'not-found',
    component: () => import('@/pages/NotFoundPage.vue'),
    meta: { title: 'Not found' },
  },
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
    return true
  })

  router.afterEach((to) => {
    document.title = to.meta.title ? `${to.meta.title} · Weighhouse` : 'Weighhouse'
  })
  return router
}
