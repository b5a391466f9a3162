import type { System } from '@/api'

/** What of a system says how one is reached that somebody else runs. */
type Reached = Pick<System, 'id' | 'name' | 'addresses'>

/** Asked for when nothing says how a system's addresses are written. */
const PLAIN = 'tcp://10.0.0.5:6379'

/** The address of a server that there is not, written as people do. */
export function exampleOf(system: Reached): string {
  return system.addresses?.example ?? PLAIN
}

/** What an agent's policy has to say before it goes to a server of somebody else. */
export function policyFor(system: Reached): string {
  const secure = system.addresses?.kinds?.includes('tls')
  const place = `${secure ? 'tls' : 'tcp'}://HOST:${system.addresses?.port ?? 'PORT'}`
  return [
    'deployments = ["process", "in_process", "external"]',
    'networks = ["127.0.0.0/8", "10.0.0.0/8"]  # where HOST is',
    '',
    `[credentials.our-${system.id}]  # where it wants an account, or TLS with an authority of its own`,
    `endpoints = ["${place}"]`,
    'username = "weighhouse"',
    `password_file = "/etc/weighhouse/our-${system.id}.password"  # mode 600`,
    ...(secure ? ['tls = true', `tls_ca_file = "/etc/weighhouse/our-${system.id}-ca.pem"`] : []),
  ].join('\n')
}

/** An experiment of one server that somebody else runs: small, and valid as soon as its address is right. */
export function experimentOf(system: Reached): string {
  return `version: 1
slug: our-${system.id}
name: Our ${system.name}
targets:
  - name: ${system.id}
    system: ${system.id}
    deployment: external
    endpoints:
      - ${exampleOf(system)}
workloads:
  - name: balanced
    record_count: 20000
    operations:
      read: 0.5
      update: 0.5
    request_distribution: zipfian
    key_prefix: 'weighhouse:'
load_levels:
  - model: closed
    clients: 8
repetitions: 5
phases:
  warmup_seconds: 2
  measure_seconds: 10
`
}
