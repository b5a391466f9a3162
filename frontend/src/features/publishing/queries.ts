import { useMutation, useQuery, useQueryClient } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { api, unwrap, whileIncomplete } from '@/api'

export type Values = Record<string, string>

/** What is disclosed of a campaign, what may be published, and what was said of it. */
export function useDisclosure(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaign', id, 'disclosure'],
    queryFn: () =>
      unwrap(api.GET('/api/v1/campaigns/{campaign_id}/disclosure', { params: { path: { campaign_id: toValue(id) } } })),
  })
}

/** Does one step of the disclosure; everything that shows its statements is asked again. */
export function useStep<Input, Output>(step: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: step,
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['campaign'] }),
        queries.invalidateQueries({ queryKey: ['comparisons'] }),
      ]),
  })
}

/** The calls that change something, by what they are about. */
export function stepsOf(campaignId: string) {
  const campaign = { params: { path: { campaign_id: campaignId } } }
  return {
    consent: (said: Values) =>
      unwrap(
        api.POST('/api/v1/campaigns/{campaign_id}/consents', {
          ...campaign,
          body: {
            system_id: said['system_id'] ?? '',
            edition_id: said['edition_id'] || null,
            only_this_campaign: said['scope'] !== 'project',
            given_by: said['given_by'] ?? '',
            covers: said['covers'] ?? '',
            given_on: said['given_on'] ?? '',
            expires_on: said['expires_on'] || null,
            document_url: said['document_url'] ?? '',
          },
        }),
      ),
    withdrawConsent: (id: string) =>
      unwrap(api.POST('/api/v1/consents/{consent_id}/withdraw', { params: { path: { consent_id: id } } })),
    override: (said: Values) =>
      unwrap(
        api.POST('/api/v1/campaigns/{campaign_id}/overrides', {
          ...campaign,
          body: {
            system_id: said['system_id'] ?? '',
            audience: said['audience'] === 'public' ? 'public' : 'others',
            reason: said['reason'] ?? '',
            days: Number(said['days'] || 30),
          },
        }),
      ),
    endOverride: (id: string) =>
      unwrap(api.POST('/api/v1/overrides/{override_id}/end', { params: { path: { override_id: id } } })),
    invite: (said: Values) =>
      unwrap(
        api.POST('/api/v1/campaigns/{campaign_id}/reply-links', {
          ...campaign,
          body: {
            system_id: said['system_id'] ?? '',
            for_whom: said['for_whom'] ?? '',
            days: Number(said['days'] || 30),
          },
        }),
      ),
    revoke: (id: string) =>
      unwrap(api.POST('/api/v1/reply-links/{link_id}/revoke', { params: { path: { link_id: id } } })),
    withdrawReply: (said: Values) =>
      unwrap(
        api.POST('/api/v1/vendor-replies/{reply_id}/withdraw', {
          params: { path: { reply_id: said['id'] ?? '' } },
          body: { reason: said['reason'] ?? '' },
        }),
      ),
    challenge: (said: Values) =>
      unwrap(
        api.POST('/api/v1/campaigns/{campaign_id}/challenges', {
          ...campaign,
          body: { system_id: said['system_id'] || null, text: said['text'] ?? '' },
        }),
      ),
    answer: (said: Values) =>
      unwrap(
        api.POST('/api/v1/challenges/{challenge_id}/answer', {
          params: { path: { challenge_id: said['id'] ?? '' } },
          body: { answer: said['answer'] ?? '' },
        }),
      ),
    decide: (said: Values) =>
      unwrap(
        api.POST('/api/v1/challenges/{challenge_id}/decide', {
          params: { path: { challenge_id: said['id'] ?? '' } },
          body: { state: said['state'] === 'upheld' ? 'upheld' : 'rejected', reason: said['reason'] ?? '' },
        }),
      ),
    withdrawChallenge: (id: string) =>
      unwrap(api.POST('/api/v1/challenges/{challenge_id}/withdraw', { params: { path: { challenge_id: id } } })),
  }
}

const byLink = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

/** What a vendor sees over its link. */
export function useReplyPage(token: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['reply', token],
    queryFn: () => unwrap(api.GET('/api/v1/reply', byLink(toValue(token)))),
    refetchInterval: whileIncomplete,
  })
}

/** Says something over a link. */
export function useReply(token: MaybeRefOrGetter<string>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (said: { name: string; role: string; text: string }) =>
      unwrap(api.POST('/api/v1/reply', { ...byLink(toValue(token)), body: said })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['reply'] }),
  })
}
