import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import type { Run } from '@/api'

import RunFiles from './RunFiles.vue'

const sha256 = '0123456789abcdef'.repeat(4)
const member = (index: number, name: string) => ({ index, slot: 'machine', agent: { id: name, name } })
const left = (name: string, of: number) => ({
  sha256,
  name,
  media_type: 'text/plain',
  size_bytes: 2048,
  member: of,
})

function card(artifacts: unknown[], members = [member(0, 'north')]) {
  return mount(RunFiles, { props: { run: { id: 'r1', artifacts, members } as unknown as Run } })
}

describe('the files of a run', () => {
  it('are no card where it left none', () => {
    expect(card([]).find('section').exists()).toBe(false)
  })

  it('are downloads, with the begin of their hash', () => {
    const wrapper = card([left('ycsb.txt', 0)])
    const link = wrapper.get('a')
    expect(link.text()).toBe('ycsb.txt')
    expect(link.attributes()).toMatchObject({ href: `/api/v1/runs/r1/artifacts/${sha256}`, download: '' })
    expect(wrapper.get('code').text()).toBe('0123456789ab')
    expect(wrapper.get('code').attributes('title')).toBe(sha256)
    expect(wrapper.text()).not.toContain('north')
  })

  it('name their machine where several took part, one content on each too', () => {
    const wrapper = card([left('redis.conf', 1), left('redis.conf', 0)], [member(0, 'north'), member(1, 'south')])
    expect(wrapper.findAll('tbody tr').map((row) => row.findAll('td')[1]?.text())).toEqual(['north', 'south'])
  })
})
