import type { Agent } from '@/api'
import { formatBytes, formatCount, type KeyValueRow } from '@/ui'

const names: Record<string, string> = {
  hostname: 'Host',
  machine_id: 'Machine',
  cpu_model: 'CPU',
  cores: 'Cores',
  memory_bytes: 'Memory',
  kernel: 'Kernel',
  operating_system: 'Operating system',
  architecture: 'Architecture',
  boot_id: 'Boot',
  cpu_governor: 'Frequency governor',
  simultaneous_multithreading: 'SMT',
  virtualisation: 'Virtualisation',
  clock_source: 'Clock source',
  swap_bytes: 'Swap',
  cgroup_version: 'cgroup version',
  cgroup_cpu_limit: 'cgroup CPU limit',
  cgroup_memory_limit_bytes: 'cgroup memory limit',
  processors: 'Processors of its own',
  guaranteed: 'Pod guaranteed',
  load_average_1m: 'Load average, 1 min',
  turbo: 'Turbo',
  mitigations: 'Mitigations',
  numa_nodes: 'NUMA nodes',
  numa_balancing: 'NUMA balancing',
  steal_percent: 'Steal since boot',
  transparent_huge_pages: 'Transparent huge pages',
  swappiness: 'Swappiness',
  clock_synchronised: 'Clock kept right',
  clock_error_us: 'Clock error',
  open_files_limit: 'Open files',
  ephemeral_ports: 'Ports to go out from',
  listen_backlog: 'Listen backlog',
  packet_backlog: 'Packet backlog',
  packets_dropped: 'Packets dropped since boot',
  storage: 'Storage',
  network_devices: 'Network devices',
  plugins: 'Plugins',
  networks: 'Networks',
  deployments: 'Deployments',
  max_run_seconds: 'Longest run',
  max_rate_per_second: 'Highest rate',
  max_clients: 'Most clients',
  external: 'Servers of others',
  settings: 'Settings let through',
  slots: 'Slots',
  address: 'Address',
  updates: 'Updates by the platform',
  home: 'Home',
  versions: 'Versions',
}
const order = Object.keys(names)
const titles = new Set(['name', 'device'])
const hashes = new Set(['machine_id', 'boot_id'])

/** `device vda, file system ext4`: what is known of a thing, in words. */
function inWords(thing: object): string {
  // The database keeps keys in an order of its own; what a thing is called comes first.
  return Object.entries(thing)
    .sort(([a], [b]) => Number(titles.has(b)) - Number(titles.has(a)))
    .map(([key, value]) => [key.replace(/_(bytes|megabits)$/, '').replaceAll('_', ' '), valueOf(key, value)] as const)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key} ${typeof value === 'boolean' ? (value ? 'yes' : 'no') : value}`)
    .join(', ')
}

function valueOf(key: string, value: unknown): KeyValueRow['value'] {
  if (value === null || value === undefined) return null
  if (key === 'deployments' && Array.isArray(value)) return value.join(', ').replaceAll('_', ' ') || 'none'
  if (key === 'processors' && Array.isArray(value) && value.length === 0) return 'all'
  if (Array.isArray(value)) {
    const each = (one: unknown) => (typeof one === 'object' && one !== null ? inWords(one) : String(one))
    return value.map(each).join(value.some((one) => typeof one === 'object') ? '; ' : ', ') || 'none'
  }
  if (typeof value === 'number') {
    if (key.endsWith('_percent')) return `${Number(value.toFixed(2))} %`
    if (key.endsWith('_us')) return `${formatCount(value)} µs`
    if (key.endsWith('_megabits')) return `${formatCount(value)} Mbit/s`
    if (key.endsWith('_bytes')) {
      const shown = formatBytes(value)
      return `${shown.value} ${shown.unit}`
    }
    if (key === 'max_run_seconds') return `${formatCount(value)} s`
    return Number.isInteger(value) ? formatCount(value) : Number(value.toFixed(2))
  }
  if (typeof value === 'object') return inWords(value) || 'none'
  if (value === 'by_hand') return 'by hand'
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

/** Known facts in the order of their names above, then the rest. */
function inOrder(facts: Record<string, unknown>): [string, unknown][] {
  const place = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  return Object.entries(facts).sort(([a], [b]) => place(a) - place(b))
}

function factRow(key: string, value: unknown): KeyValueRow {
  return { key: names[key] ?? key.replaceAll('_', ' '), value: valueOf(key, value), mono: hashes.has(key) }
}

/** Machine facts as rows; what is not known is said to be unknown, never left out. */
export function factRows(facts: Agent['facts']): KeyValueRow[] {
  return inOrder(facts).map(([key, value]) => factRow(key, value))
}

/** Told in full, and of no weight in whether a machine is fit to measure: names, limits, versions. */
const ASIDE = new Set([
  'machine_id',
  'boot_id',
  'cgroup_version',
  'cgroup_cpu_limit',
  'cgroup_memory_limit_bytes',
  'processors',
  'guaranteed',
  'mitigations',
  'open_files_limit',
  'ephemeral_ports',
  'listen_backlog',
  'packet_backlog',
  'packets_dropped',
  'network_devices',
  'home',
  'versions',
])

/** Machine facts in three parts: what one looks for, the rest, and the names of what is not known. */
export function factParts(facts: Agent['facts']): { first: KeyValueRow[]; rest: KeyValueRow[]; silent: string[] } {
  const parts = { first: [] as KeyValueRow[], rest: [] as KeyValueRow[], silent: [] as string[] }
  for (const [key, value] of inOrder(facts)) {
    const row = factRow(key, value)
    if (row.value === null) parts.silent.push(row.key)
    else parts[ASIDE.has(key) ? 'rest' : 'first'].push(row)
  }
  return parts
}

/** The local policy as rows; a limit that is not set is no limit. */
export function policyRows(policy: Agent['policy']): KeyValueRow[] {
  return inOrder(policy).map(([key, value]) => {
    const unlimited = value === null && key.startsWith('max_')
    const everything = Array.isArray(value) && value.length === 1 && value[0] === '*'
    return {
      key: names[key] ?? key.replaceAll('_', ' '),
      value: unlimited ? 'no limit' : everything ? 'all' : valueOf(key, value),
    }
  })
}

/** The machine in one line: `AMD EPYC 9354, 64 cores, 252 GiB`. */
export function machineLine(facts: Agent['facts']): string {
  const cpu = typeof facts['cpu_model'] === 'string' ? facts['cpu_model'].replace(/\s+/g, ' ') : 'unknown CPU'
  const cores = typeof facts['cores'] === 'number' ? `${facts['cores']} cores` : ''
  const memory = typeof facts['memory_bytes'] === 'number' ? formatBytes(facts['memory_bytes']) : null
  return [cpu, cores, memory ? `${memory.value} ${memory.unit}` : ''].filter(Boolean).join(', ')
}
