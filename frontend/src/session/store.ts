import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { ApiProblem, request, type PasskeyAnswer, type Role, type Session } from '@/api'

const PROJECT_KEY = 'weighhouse-project'
const ranks: Record<Role, number> = { viewer: 0, member: 1, maintainer: 2, owner: 3 }

/** Who is signed in, and the project they look at. */
export const useSession = defineStore('session', () => {
  const session = ref<Session | null>(null)
  const asked = ref(false)
  const chosenProject = ref(localStorage.getItem(PROJECT_KEY))

  /** All projects, archived ones last. */
  const projects = computed(() => {
    const all = session.value?.projects ?? []
    return [...all.filter((one) => !one.archived_at), ...all.filter((one) => one.archived_at)]
  })
  const project = computed(
    () => projects.value.find((one) => one.id === chosenProject.value) ?? projects.value[0] ?? null,
  )

  /** Organizations that open once this person has a second factor. */
  const factorRequiredBy = computed(() => session.value?.factor_required_by ?? [])

  /** Asks the server who is signed in, once unless it is `again`; nobody is an answer, not an error. */
  async function restore(again = false): Promise<void> {
    if (asked.value && !again) return
    try {
      session.value = await request('GET /api/v1/sessions/current')
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error
      session.value = null
    }
    asked.value = true
  }

  /** Signs in, or answers that a code of the second factor is needed. Throws ApiProblem when the server refuses. */
  async function signIn(email: string, password: string, code?: string): Promise<'signed in' | 'code needed'> {
    try {
      await request('POST /api/v1/sessions', { body: { email, password, code: code ?? null } })
    } catch (error) {
      if (error instanceof ApiProblem && error.type.endsWith('/second-factor-needed')) return 'code needed'
      throw error
    }
    asked.value = false
    await restore()
    return 'signed in'
  }

  /** Signs in by what a passkey answered. Throws ApiProblem when the server refuses. */
  async function signInBy(answer: PasskeyAnswer): Promise<void> {
    await request('POST /api/v1/sessions/by-passkey', { body: { answer } })
    asked.value = false
    await restore()
  }

  /** Signs out here; gives the address at which one signs out of one's provider, if one came by one. */
  async function signOut(): Promise<string | null> {
    const ended = await request('DELETE /api/v1/sessions/current')
    forget()
    return ended.provider_url
  }

  function forget(): void {
    session.value = null
    asked.value = true
  }

  function chooseProject(id: string): void {
    chosenProject.value = id
    localStorage.setItem(PROJECT_KEY, id)
  }

  /** Whether the role in the project on show is at least this one. */
  function may(role: Role): boolean {
    return project.value !== null && ranks[project.value.role] >= ranks[role]
  }

  return {
    session,
    projects,
    project,
    factorRequiredBy,
    restore,
    signIn,
    signInBy,
    signOut,
    forget,
    chooseProject,
    may,
  }
})
