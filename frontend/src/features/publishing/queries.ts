import { useQuery } from '@tanstack/vue-query'
import { toValue, type MaybeRefOrGetter } from 'vue'

import { request, useChange, whileIncomplete } from '@/api'

export type Values = Record<string, string>

/** What is disclosed of a campaign, what may be published, and what was said of it. */
export function useDisclosure(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['campaign', id, 'disclosure'],
    queryFn: () => request('GET /api/v1/campaigns/{campaign_id}/disclosure', { path: { campaign_id: toValue(id) } }),
  })
}

/** Does one step of the disclosure; everything that shows its statements is asked again. */
export function useStep<Input, Output>(step: (input: Input) => Promise<Output>) {
  return useChange(['campaign', 'comparisons'], step)
}

/** The calls that change something, by what they are about. */
export function stepsOf(campaignId: string) {
  const campaign = { path: { campaign_id: campaignId } }
  return {
    consent: (said: Values) =>
      request('POST /api/v1/campaigns/{campaign_id}/consents', {
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
    withdrawConsent: (id: string) =>
      request('POST /api/v1/consents/{consent_id}/withdraw', { path: { consent_id: id } }),
    override: (said: Values) =>
      request('POST /api/v1/campaigns/{campaign_id}/overrides', {
        ...campaign,
        body: {
          system_id: said['system_id'] ?? '',
          audience: said['audience'] === 'public' ? 'public' : 'others',
          reason: said['reason'] ?? '',
          days: Number(said['days'] || 30),
        },
      }),
    endOverride: (id: string) => request('POST /api/v1/overrides/{override_id}/end', { path: { override_id: id } }),
    invite: (said: Values) =>
      request('POST /api/v1/campaigns/{campaign_id}/reply-links', {
        ...campaign,
        body: {
          system_id: said['system_id'] ?? '',
          for_whom: said['for_whom'] ?? '',
          days: Number(said['days'] || 30),
        },
      }),
    revoke: (id: string) => request('POST /api/v1/reply-links/{link_id}/revoke', { path: { link_id: id } }),
    withdrawReply: (said: Values) =>
      request('POST /api/v1/vendor-replies/{reply_id}/withdraw', {
        path: { reply_id: said['id'] ?? '' },
        body: { reason: said['reason'] ?? '' },
      }),
    challenge: (said: Values) =>
      request('POST /api/v1/campaigns/{campaign_id}/challenges', {
        ...campaign,
        body: { system_id: said['system_id'] || null, text: said['text'] ?? '' },
      }),
    answer: (said: Values) =>
      request('POST /api/v1/challenges/{challenge_id}/answer', {
        path: { challenge_id: said['id'] ?? '' },
        body: { answer: said['answer'] ?? '' },
      }),
    decide: (said: Values) =>
      request('POST /api/v1/challenges/{challenge_id}/decide', {
        path: { challenge_id: said['id'] ?? '' },
        body: { state: said['state'] === 'upheld' ? 'upheld' : 'rejected', reason: said['reason'] ?? '' },
      }),
    withdrawChallenge: (id: string) =>
      request('POST /api/v1/challenges/{challenge_id}/withdraw', { path: { challenge_id: id } }),
  }
}

const byLink = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

/** What a vendor sees over its link. */
export function useReplyPage(token: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: ['reply', token],
    queryFn: () => request('GET /api/v1/reply', byLink(toValue(token))),
    refetchInterval: whileIncomplete,
  })
}

/** Says something over a link. */
export function useReply(token: MaybeRefOrGetter<string>) {
  return useChange(['reply'], (said: { name: string; role: string; text: string }) =>
    request('POST /api/v1/reply', { ...byLink(toValue(token)), body: said }),
  )
}
