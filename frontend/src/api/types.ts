/** The API's resources under the names the interface uses. */

export type Role = 'viewer' | 'member' | 'maintainer' | 'owner'

export interface Page<T> {
  items: T[]
  next_cursor: string | null
}

export interface Project {
  id: string
  slug: string
  name: string
  organization_id: string
  organization_name: string
  role: Role
}

export interface User {
  id: string
  email: string
  name: string
}

export interface Session {
  user: User
  organizations: { id: string; slug: string; name: string }[]
  projects: Project[]
}

export interface Member {
  id: string
  email: string
  name: string
  role: Role
}

export interface ApiToken {
  id: string
  name: string
  role: Role
  prefix: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
}

export interface Disclaimer {
  id: string
  kind: 'vendor' | 'sponsor' | 'plugin' | 'person' | 'check'
  system_id: string | null
  title: string
  text: string
  source: string | null
  severity: 'note' | 'caution' | 'bar'
}

export interface ParameterSchema {
  type?: string | string[]
  title?: string
  description?: string
  default?: unknown
  enum?: (string | number)[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  pattern?: string
  'x-unit'?: string
  'x-aspect'?: string
}

export interface ObjectSchema {
  type?: string
  properties?: Record<string, ParameterSchema>
  required?: string[]
}

export interface System {
  id: string
  name: string
  vendor: string
  licence: string
  architecture: string
  kind: 'system' | 'tool'
  colour: string
  mark: string
  plugin_version: string
  operations: string[]
  deployments: string[]
  default_deployment: string
  homepage: string
  summary: string
  parameters: ObjectSchema
  driver_options: ObjectSchema
  benchmark_clause: { policy: string; text: string; source: string; checked_on: string }
  disclaimers: Disclaimer[]
  agents_count: number
  last_run_at: string | null
  documentation: string
}

export type CampaignStatus = 'queued' | 'running' | 'settling' | 'completed' | 'failed' | 'cancelled'
export type CampaignVerdict =
  | 'passed'
  | 'equivalent'
  | 'regression'
  | 'inconclusive'
  | 'infrastructure'
  | 'no_baseline'
export type RunStatus =
  | 'queued'
  | 'allocated'
  | 'running'
  | 'settling'
  | 'completed'
  | 'failed'
  | 'cancelled'

export interface Schedule {
  cron: string
  time_zone: string
  enabled: boolean
  next: string[]
}

export interface ExperimentSummary {
  id: string
  slug: string
  name: string
  description: string
  project_id: string
  owner_name: string
  current_revision: number
  created_at: string
  updated_at: string
  targets: { name: string; system_id: string }[]
  last_campaign: {
    id: string
    status: CampaignStatus
    verdict: CampaignVerdict | null
    finished_at: string | null
  } | null
  schedule: { cron: string; time_zone: string; next_at: string | null; enabled: boolean } | null
}

export interface ExperimentRevision {
  id: string
  number: number
  experiment_id: string
  created_at: string
  author_name: string
  document: Record<string, unknown>
  yaml: string
  content_hash: string
}

export interface ExperimentTemplate {
  slug: string
  name: string
  description: string
  yaml: string
}

export interface RevisionChange {
  path: string
  before: unknown
  after: unknown
}

export interface Validation {
  valid: boolean
  errors: { path: string; message: string; expected?: string | null }[]
  plan: { runs: number; cells: number; estimated_seconds: number } | null
  comparability: { aspect: string; message: string; targets: string[] }[]
  document: Record<string, unknown> | null
  yaml: string | null
}

export interface RunCounts {
  total: number
  queued: number
  running: number
  completed: number
  failed: number
  cancelled: number
}

export interface CampaignSummary {
  id: string
  number: number
  experiment: { id: string; slug: string; name: string }
  revision: number
  status: CampaignStatus
  verdict: CampaignVerdict | null
  paused?: boolean
  trigger: 'person' | 'schedule' | 'api'
  created_at: string
  started_at: string | null
  finished_at: string | null
  runs: RunCounts
  requested_by: string | null
}

export interface LoadLevel {
  kind: 'closed' | 'open'
  value: number
  label: string
}

export interface CellRun {
  id: string
  repetition: number
  status: RunStatus
  throughput: number | null
  p99_us: number | null
  failure: { kind: string; message: string; hint?: string | null } | null
}

export interface CampaignCell {
  id: string
  target: string
  workload: string
  load_level: LoadLevel
  runs: CellRun[]
}

export interface Campaign extends CampaignSummary {
  seed: number
  targets: { name: string; label: string; system_id: string; colour: string }[]
  workloads: string[]
  load_levels: LoadLevel[]
  repetitions: number
  cells: CampaignCell[]
  seconds_left: number | null
  agents: { id: string; name: string }[]
  base_campaign_id: string | null
  disclosure: Record<string, unknown>
  links: { self: string; events: string; comparison: string; gate: string }
}

export type AgentStatus = 'online' | 'busy' | 'unreachable' | 'draining' | 'revoked'

export interface Agent {
  id: string
  name: string
  status: AgentStatus
  roles: string[]
  labels: Record<string, string>
  current_run_id: string | null
  last_heartbeat_at: string | null
  spool_bytes: number
  facts: Record<string, unknown>
  plugins: { id: string; version: string }[]
  policy: Record<string, unknown>
  registered_at: string
}

export interface RegistrationToken {
  token: string
  expires_at: string
  command: string
}
