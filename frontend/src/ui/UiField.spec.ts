import { mount } from '@vue/test-utils'
import { h } from 'vue'
import { describe, expect, it } from 'vitest'

import UiField from './UiField.vue'
import UiInput from './UiInput.vue'

function field(error?: string) {
  return mount(UiField, {
    props: { label: 'Clients', hint: 'Each has a connection.', unit: 'count', error },
    slots: {
      default: (given: { id: string; describedBy?: string; invalid: boolean }) =>
        h(UiInput, { modelValue: '8', id: given.id, describedBy: given.describedBy, invalid: given.invalid }),
    },
  })
}

describe('a field', () => {
  it('ties its label and hint to the control', () => {
    const wrapper = field()
    const input = wrapper.get('input')
    expect(wrapper.get('label').attributes('for')).toBe(input.attributes('id'))
    const hint = wrapper.get(`[id="${input.attributes('aria-describedby')}"]`)
    expect(hint.text()).toBe('Each has a connection.')
    expect(input.attributes('aria-invalid')).toBeUndefined()
  })

  it('puts its error first, and marks the control', () => {
    const wrapper = field('must be at least 1')
    const input = wrapper.get('input')
    const [first] = (input.attributes('aria-describedby') ?? '').split(' ')
    expect(wrapper.get(`[id="${first}"]`).text()).toBe('must be at least 1')
    expect(input.attributes('aria-invalid')).toBe('true')
  })
})
