import { mount, RouterLinkStub } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import type { Campaign } from '@/api'

import CampaignMatrix from './CampaignMatrix.vue'
import { matrixOf } from './matrix'

const level = { kind: 'closed', value: 8, label: '8 clients', own: false }

/** A campaign of runs by target and workload; what is not named was not measured. */
function campaignOf(statuses: Record<string, Record<string, string[]>>): Campaign {
  const workloads = Object.keys(statuses)
  const targets = [...new Set(Object.values(statuses).flatMap(Object.keys))]
  const run = (status: string, at: number) => ({
    id: `${status}${String(at)}`,
    repetition: at + 1,
    twin: 0,
    status,
    throughput: status === 'completed' ? 1000 : null,
    p99_us: null,
    failure: null,
  })
  return {
    workloads,
    targets: targets.map((name) => ({ name, label: name, colour: '#000000', mark: 'circle', hollow: false })),
    load_levels: [level],
    cells: workloads.flatMap((workload) =>
      Object.entries(statuses[workload] ?? {}).map(([target, runs]) => ({
        id: `${workload}-${target}`,
        target,
        workload,
        load_level: level,
        runs: runs.map(run),
        course: null,
      })),
    ),
  } as unknown as Campaign
}

const orderOf = (campaign: Campaign) =>
  matrixOf(campaign).map(({ workload, rows }) => [workload, ...rows.map(({ target }) => target.name)])

describe('the rows of a campaign', () => {
  it('stand as the experiment has them where nothing failed', () => {
    const done = ['completed', 'cancelled', 'queued']
    expect(orderOf(campaignOf({ balanced: { redis: done, garnet: done }, scans: { redis: done } }))).toEqual([
      ['balanced', 'redis', 'garnet'],
      ['scans', 'redis', 'garnet'],
    ])
  })

  it('begin with what failed, and keep the order of the rest', () => {
    const [good, bad] = [['completed'], ['completed', 'failed', 'failed']]
    const campaign = campaignOf({
      balanced: { redis: good, valkey: good, garnet: good },
      scans: { redis: good, valkey: good, garnet: bad },
      writes: { redis: good, valkey: ['failed'], garnet: bad },
    })
    expect(orderOf(campaign)).toEqual([
      ['scans', 'garnet', 'redis', 'valkey'],
      ['writes', 'valkey', 'garnet', 'redis'],
      ['balanced', 'redis', 'valkey', 'garnet'],
    ])
    expect(matrixOf(campaign)[0]?.rows.map(({ failed }) => failed)).toEqual([2, 0, 0])
  })

  it('are drawn so, and say how many failed', () => {
    const campaign = campaignOf({ balanced: { redis: ['completed'], garnet: ['failed', 'failed'] } })
    const page = mount(CampaignMatrix, { props: { campaign }, global: { stubs: { RouterLink: RouterLinkStub } } })
    const rows = page.findAll('th[scope="row"]').map((row) => row.text())
    expect(rows[0]).toContain('garnet')
    expect(rows[0]).toContain('2 runs failed')
    expect(rows[1]).toContain('redis')
    expect(rows[1]).not.toContain('failed')
  })
})
