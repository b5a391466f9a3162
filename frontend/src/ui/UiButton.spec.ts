import { mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'

import UiButton from './UiButton.vue'

describe('UiButton', () => {
  const pressed = vi.fn()
  const button = (disabled: boolean) =>
    mount(UiButton, { props: { disabled }, attrs: { onClick: pressed }, attachTo: document.body })

  it('keeps the keyboard when it is disabled under it, and refuses', async () => {
    const wrapper = button(false)
    const element = wrapper.element as HTMLButtonElement
    element.focus()
    await wrapper.setProps({ disabled: true })
    expect(document.activeElement).toBe(element)
    expect(element.disabled).toBe(false)
    expect(element.getAttribute('aria-disabled')).toBe('true')
    element.click()
    expect(pressed).not.toHaveBeenCalled()

    element.blur()
    await wrapper.vm.$nextTick()
    expect(element.disabled).toBe(true)
    await wrapper.setProps({ disabled: false })
    element.click()
    expect(pressed).toHaveBeenCalledOnce()
    wrapper.unmount()
  })

  it('is plainly disabled where nobody is on it', async () => {
    const wrapper = button(false)
    await wrapper.setProps({ disabled: true })
    expect(wrapper.attributes()).toHaveProperty('disabled')
    expect(wrapper.attributes()).not.toHaveProperty('aria-disabled')
    wrapper.unmount()
  })
})
