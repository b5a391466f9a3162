import { mount } from '@vue/test-utils'
import { defineComponent, h, ref, shallowRef } from 'vue'
import { describe, expect, it } from 'vitest'

import { UNLESS_SAID } from '@/api'

import { useDraft } from './draft'
import DraftField from './DraftField.vue'
import { provideEditor } from './editor'
import { FieldErrors } from './errors'
import { mixWords } from './mix'
import MixField from './MixField.vue'
import { unlessSaid } from './unlessSaid'

const parts = import.meta.glob<string>('./*.vue', { query: '?raw', import: 'default', eager: true })

function inEditor(yaml: string, part: () => ReturnType<typeof h>) {
  const draft = useDraft(yaml)
  const page = mount(
    defineComponent({
      setup() {
        provideEditor({ draft, errors: shallowRef(new FieldErrors([])), readonly: ref(false), named: ref([]) })
        return part
      },
    }),
  )
  return { draft, page }
}

describe('what holds unless a document says otherwise', () => {
  it('is what the schema has, wherever in a list the field stands', () => {
    expect(unlessSaid(['workloads', 3, 'record_count'])).toBe(UNLESS_SAID['workloads[].record_count'])
    expect(unlessSaid(['calibrate', 'measurements'])).toBe(20)
    expect(mixWords(unlessSaid(['workloads', 0, 'operations']))).toBe('read 95 %, update 5 %')
    expect(unlessSaid(['workloads', 0, 'name'])).toBeUndefined()
  })

  it('is written in no part of the form', () => {
    const theirs = new Set(Object.values(UNLESS_SAID).map(String))
    const doubled = Object.entries(parts).flatMap(([file, text]) =>
      [...text.matchAll(/default-value="([^"]+)"/g)]
        .map((match) => match[1] ?? '')
        .filter((value) => theirs.has(value) || /^[\d.]+$|^true$|^false$/.test(value))
        .map((value) => `${file}: ${value}`),
    )
    expect(Object.keys(parts).length).toBeGreaterThan(30)
    expect(doubled).toEqual([])
  })

  it('stands in the field that says nothing', () => {
    const { page } = inEditor('slug: x\n', () =>
      h(DraftField, { path: ['calibrate', 'measurements'], label: 'Points at most', kind: 'number' }),
    )
    expect(page.get('input').attributes('placeholder')).toBe('20')
  })

  it('is a mix that adds up, and stays one when a share of it changes', async () => {
    const path = ['workloads', 0, 'operations']
    const { draft, page } = inEditor('workloads:\n  - name: a\n', () =>
      h(MixField, { path, operations: ['read', 'update', 'insert'] }),
    )
    expect(page.text()).toContain('add up to 100 %')
    const [read, , insert] = page.findAll('input')
    await insert!.setValue('5')
    await read!.setValue('90')
    expect(draft.get(path)).toEqual({ read: 0.9, update: 0.05, insert: 0.05 })
  })
})
