import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'

import UiSelect from './UiSelect.vue'

it('takes a choice whose value is empty', () => {
  const options = [
    { value: '', label: 'For ever' },
    { value: '7', label: 'A week' },
  ] as const
  const select = mount(UiSelect<'' | '7'>, { props: { modelValue: '', options }, attachTo: document.body })
  expect(select.text()).toContain('For ever')
})
