import { mount, RouterLinkStub } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import LivePanel from './LivePanel.vue'

const said = (paused: boolean) =>
  mount(LivePanel, {
    props: { samples: [], place: '', stream: 'open', paused },
    global: { stubs: { RouterLink: RouterLinkStub } },
  }).text()

describe('what is on the scales', () => {
  it('is waited for, unless the campaign is paused', () => {
    expect(said(false)).toContain('Waiting for the first second of a run')
    expect(said(true)).toContain('Nothing: it is paused')
    expect(said(true)).not.toContain('Waiting')
  })
})
