import type { MemberRole, Role, Scope } from '@/api'

/** Roles, with what each may. */
export const ROLES: readonly { value: Role; label: string; note: string }[] = [
  { value: 'viewer', label: 'viewer', note: 'reads' },
  { value: 'member', label: 'member', note: 'reads, starts campaigns, saves experiments' },
  { value: 'maintainer', label: 'maintainer', note: 'also enrols agents, makes tokens' },
  { value: 'owner', label: 'owner', note: 'everything' },
]

/** Roles in an organization: guests see only the projects in which they have a role of their own. */
export const MEMBER_ROLES: readonly { value: MemberRole; label: string; note: string }[] = [
  { value: 'guest', label: 'guest', note: 'only projects with a role of their own' },
  ...ROLES,
]

/** What tokens may be made for. */
export const SCOPES: readonly { value: Scope; label: string }[] = [
  { value: 'results:read', label: 'look at everything that is measured' },
  { value: 'results:export', label: 'take histograms, files, logs and disclosures along' },
  { value: 'experiments:write', label: 'change experiments and schedules' },
  { value: 'campaigns:run', label: 'start, pause, cancel and judge campaigns' },
  { value: 'notes:write', label: 'write notes, triage alerts' },
  { value: 'publishing:write', label: 'consents, overrides, replies, challenges' },
  { value: 'sources:write', label: "keep, correct and remove others' results" },
  { value: 'prices:write', label: 'change prices' },
  { value: 'agents:enrol', label: 'enrol machines' },
  { value: 'agents:manage', label: 'rename, drain and revoke machines' },
  { value: 'notices:manage', label: 'what is watched for, and channels of notifications' },
  { value: 'audit:read', label: 'read the audit log' },
  { value: 'people:manage', label: 'people, tokens, quotas, retention, audit' },
]
