import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import type { Hit } from './kinds'
import HitLine from './HitLine.vue'
import { createPinia, setActivePinia } from 'pinia'

const hit = (values: number[]) =>
  ({
    kind: 'experiment',
    title: 'Nightly',
    path: '/experiments/nightly',
    of: null,
    excerpt: [],
    at: null,
    project_id: null,
    nights: { figure: 'throughput', series: 'redis · balanced', values },
  }) as Hit

describe('an experiment that was found', () => {
  setActivePinia(createPinia())

  it('has its nights as a line that words say too', () => {
    const found = mount(HitLine, { props: { hit: hit([1, 3, 2]) } })
    const points = found.get('polyline').attributes('points')?.split(' ') ?? []
    expect(points).toHaveLength(3)
    expect(found.get('circle').attributes('cx')).toBe(points.at(-1)?.split(',')[0])
    expect(found.get('svg').attributes('aria-hidden')).toBe('true')
    expect(found.text()).toContain('in the latest of 3 campaigns')
  })

  it('has no line of one night', () => {
    expect(
      mount(HitLine, { props: { hit: hit([1]) } })
        .find('svg')
        .exists(),
    ).toBe(false)
  })
})
