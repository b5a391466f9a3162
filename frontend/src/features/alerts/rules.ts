import { useQuery } from '@tanstack/vue-query'

import { IN_ORDER, request, useChange, type AlertRuleWrite } from '@/api'
import { ofProject, useSession } from '@/session'

/** Figures that series are kept of. */
export const FIGURE_CHOICES = IN_ORDER.filter(({ inHistory }) => inHistory).map(({ key, label }) => ({
  value: key,
  label,
}))

/** The project's rule. */
export function useRule() {
  return useQuery(ofProject(['alerts', 'rule'], 'GET /api/v1/alerts/rule'))
}

/** What a rule would have raised. */
export function useTrial() {
  const session = useSession()
  return useChange([], (rule: AlertRuleWrite) =>
    request('POST /api/v1/alerts/trial', { body: { project_id: session.project?.id, rule } }),
  )
}

/** Follows a rule from now on; 412 when somebody else saved another one. */
export function useSaveRule() {
  const session = useSession()
  return useChange(
    [['alerts', 'rule']],
    ({ rule, version }: { rule: AlertRuleWrite; version: number }) =>
      request('PUT /api/v1/alerts/rule', {
        query: { project_id: session.project?.id },
        header: { 'if-match': `"${version}"` },
        body: rule,
      }),
    'settled',
  )
}
