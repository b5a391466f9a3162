import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'

import { api, IN_ORDER, unwrap, type AlertRuleWrite } from '@/api'
import { useSession } from '@/session'

/** Figures that series are kept of. */
export const FIGURE_CHOICES = IN_ORDER.filter(({ inHistory }) => inHistory).map(({ key, label }) => ({
  value: key,
  label,
}))

/** The project's rule. */
export function useRule() {
  const session = useSession()
  return useQuery({
    queryKey: ['alerts', 'rule', () => session.project?.id],
    queryFn: () => unwrap(api.GET('/api/v1/alerts/rule', { params: { query: { project_id: session.project?.id } } })),
  })
}

/** What a rule would have raised. */
export function useTrial() {
  const session = useSession()
  return useMutation({
    mutationFn: (rule: AlertRuleWrite) =>
      unwrap(api.POST('/api/v1/alerts/trial', { body: { project_id: session.project?.id, rule } })),
  })
}

/** Follows a rule from now on; 412 when somebody else saved another one. */
export function useSaveRule() {
  const session = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ rule, version }: { rule: AlertRuleWrite; version: number }) =>
      unwrap(
        api.PUT('/api/v1/alerts/rule', {
          params: { query: { project_id: session.project?.id }, header: { 'if-match': `"${version}"` } },
          body: rule,
        }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts', 'rule'] }),
  })
}
