import type { CampaignQuery } from '@/api'
import {
  choiceField,
  dayBegins,
  dayField,
  stateWording,
  textField,
  verdictWording,
  type AddressRefs,
  type SelectOption,
} from '@/ui'

const STATES = ['queued', 'running', 'settling', 'completed', 'failed', 'cancelled'] as const
const VERDICTS = [
  'regression',
  'passed',
  'equivalent',
  'inconclusive',
  'infrastructure',
  'refused',
  'no_baseline',
  'not_comparable',
  'none',
] as const
/** What stands in a choice for all of it. */
export const ANY = '*'

/** What a list of campaigns is narrowed to, by the names that stand in the address. */
export const CAMPAIGN_FIELDS = {
  q: textField(),
  experiment: textField(ANY),
  status: choiceField([ANY, ...STATES], ANY),
  verdict: choiceField([ANY, ...VERDICTS], ANY),
  by: textField(),
  branch: textField(),
  label: textField(),
  from: dayField(),
  to: dayField(),
}

/** The filters as refs of the address. */
export type CampaignFilterRefs = AddressRefs<typeof CAMPAIGN_FIELDS>
/** Their values. */
export type CampaignFilterValues = { [K in keyof CampaignFilterRefs]: CampaignFilterRefs[K]['value'] }

export const STATE_OPTIONS: readonly SelectOption<(typeof STATES)[number] | typeof ANY>[] = [
  { value: ANY, label: 'Any state' },
  ...STATES.map((value) => ({ value, label: stateWording(value).label })),
]
export const VERDICT_OPTIONS: readonly SelectOption<(typeof VERDICTS)[number] | typeof ANY>[] = [
  { value: ANY, label: 'Any verdict' },
  ...VERDICTS.map((value) => ({ value, label: value === 'none' ? 'No verdict' : verdictWording(value).label })),
]

/** What the API is asked for by these filters; a label without a value is not asked for yet. */
export function campaignQuery(values: CampaignFilterValues): CampaignQuery {
  const { q, experiment, status, verdict, by, branch, label, from, to } = values
  return {
    text: q || undefined,
    experiment: experiment === ANY ? undefined : experiment,
    status: status === ANY ? undefined : status,
    verdict: verdict === ANY ? undefined : verdict,
    requested_by: by || undefined,
    branch: branch || undefined,
    label: /^[^=]+=/.test(label) ? label : undefined,
    since: from ? dayBegins(from) : undefined,
    until: to ? dayBegins(to, 1) : undefined,
  }
}
