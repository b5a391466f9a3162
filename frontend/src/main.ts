import './theme'

import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { createPinia } from 'pinia'
import { createApp } from 'vue'

import { ApiProblem, onRoleRests, onSignedOut } from './api'
import App from './app/App.vue'
import { createAppRouter } from './app/router'
import { useSession } from './session'
import { toLogin } from './ui/pages'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
    },
  },
})
const app = createApp(App)
app.use(createPinia())

const session = useSession()
const router = createAppRouter(session)

onSignedOut(() => {
  session.forget()
  queries.clear()
  const here = router.currentRoute.value
  if (!here.meta.open) void router.push(toLogin(here.fullPath))
})

onRoleRests(() => void session.restore(true).catch(() => undefined))

app.use(router)
app.use(VueQueryPlugin, { queryClient: queries })
app.mount('#app')
