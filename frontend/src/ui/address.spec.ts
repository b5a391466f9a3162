import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

import {
  choiceField,
  countField,
  dayBegins,
  dayField,
  flagField,
  listField,
  numberField,
  placesField,
  readField,
  textField,
  writeFields,
} from './address'
import { useAddress } from './useAddress'

const fields = {
  side: listField(),
  baseline: countField(),
  hidden: placesField(),
  percentile: choiceField(['p50', 'p99'], 'p99'),
  envelope: numberField(0),
  find: textField(),
  all: flagField(),
}

describe('writeFields', () => {
  it('goes there and back', () => {
    const values = {
      side: ['a~x', 'b~y'],
      baseline: 1,
      hidden: [2, 0],
      percentile: 'p50' as const,
      envelope: 1500.5,
      find: 'reads, 8',
      all: true,
    }
    const query = writeFields(fields, {}, values)
    for (const [name, value] of Object.entries(values))
      expect(readField(fields[name as keyof typeof fields] as never, query, name)).toEqual(value)
  })

  it('leaves out what is as it began, and leaves alone what is not its own', () => {
    const before = { campaign: 'c', percentile: 'p50', find: 'x', hidden: '1' }
    expect(writeFields(fields, before, { percentile: 'p99', find: '', hidden: [] })).toEqual({ campaign: 'c' })
  })
})

describe('readField', () => {
  it('takes what makes no sense for not said', () => {
    expect(readField(fields.percentile, { percentile: 'p98' }, 'percentile')).toBe('p99')
    expect(readField(fields.baseline, { baseline: '-3' }, 'baseline')).toBe(0)
    expect(readField(fields.hidden, { hidden: '1,x' }, 'hidden')).toEqual([])
    expect(readField(fields.envelope, { envelope: 'soon' }, 'envelope')).toBeNull()
    expect(readField(fields.all, { all: 'yes' }, 'all')).toBe(false)
    expect(readField(dayField(), { from: '2026-13-45' }, 'from')).toBe('')
    expect(readField(dayField(), { from: 'yesterday' }, 'from')).toBe('')
    expect(readField(dayField(), { from: '2026-11-26' }, 'from')).toBe('2026-11-26')
    // A page that took the first of two campaigns would compare something else than its address says.
    expect(readField(textField(), { campaign: ['a', 'b'] }, 'campaign')).toBe('')
    expect(readField(textField(), { campaign: 'a' }, 'campaign')).toBe('a')
    expect(readField(fields.side, { side: ['', null, 'a'] }, 'side')).toEqual(['a'])
  })
})

describe('useAddress', () => {
  async function page(at: string) {
    const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:any*', component: {} }] })
    await router.push(at)
    let kept!: ReturnType<typeof useAddress<typeof fields>>
    const wrapper = mount(
      defineComponent(() => {
        kept = useAddress(fields)
        return () => h('i')
      }),
      { global: { plugins: [router] } },
    )
    return { router, kept, wrapper }
  }

  it('holds at once and writes several changes as one', async () => {
    const { router, kept } = await page('/compare?campaign=c')
    const replace = vi.spyOn(router, 'replace')
    kept.percentile.value = 'p50'
    kept.hidden.value = [1]
    kept.hidden.value = [1, 2]
    expect([kept.percentile.value, kept.hidden.value]).toEqual(['p50', [1, 2]])
    expect(await kept.settled()).toMatch(/\/compare\?campaign=c&percentile=p50&hidden=1,2$/)
    expect(replace).toHaveBeenCalledTimes(1)
  })

  it('loses nothing when two keep their own in one address', async () => {
    const { router, kept } = await page('/compare')
    const twin = await new Promise<typeof kept>((resolve) => {
      mount(
        defineComponent(() => {
          resolve(useAddress(fields))
          return () => h('i')
        }),
        { global: { plugins: [router] } },
      )
    })
    kept.find.value = 'x'
    twin.baseline.value = 2
    await Promise.all([kept.settled(), twin.settled()])
    expect(router.currentRoute.value.query).toEqual({ find: 'x', baseline: '2' })
  })

  it('follows an address that changes under it, and writes to no other page', async () => {
    const { router, kept } = await page('/compare?percentile=p50')
    await router.replace('/compare?percentile=p99&find=y')
    expect([kept.percentile.value, kept.find.value]).toEqual(['p99', 'y'])
    kept.find.value = 'z'
    await router.push('/elsewhere')
    await kept.settled()
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/elsewhere')
  })
})

describe('a day', () => {
  it('begins at midnight where the reader is, and ends with the next one', () => {
    expect(dayBegins('2026-11-26')).toBe(new Date(2026, 10, 26).toISOString())
    expect(dayBegins('2026-11-30', 1)).toBe(new Date(2026, 11, 1).toISOString())
    expect(dayBegins('2026-02-31x')).toBeUndefined()
  })
})
