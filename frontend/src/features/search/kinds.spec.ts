import { describe, expect, it } from 'vitest'

import { nightsWords, placesNamed } from './kinds'

describe('places', () => {
  const places = [{ label: 'Campaigns' }, { label: 'Compare' }, { label: 'New experiment' }]

  it.each([
    ['', ['Campaigns', 'Compare', 'New experiment']],
    ['c', ['Campaigns', 'Compare']],
    ['exp new', ['New experiment']],
    ['periment', []],
  ])('are named by beginnings of their words: %s', (said, labels) => {
    expect(placesNamed(places, said).map((one) => one.label)).toEqual(labels)
  })
})

describe('the words of nights', () => {
  const series = 'redis · balanced · 8 clients'

  it('say the latest, and between which values all of them lie, each with its unit', () => {
    const words = nightsWords({ figure: 'throughput', series, values: [10_000, 12_000, 11_000] })
    expect(words).toBe(
      'Throughput of redis · balanced · 8 clients: 11.0 k op/s in the latest of 3 campaigns, ' +
        'between 10.0 k op/s and 12.0 k op/s',
    )
  })

  it('say that nothing changed, and call what they do not know by its name', () => {
    expect(nightsWords({ figure: 'colour', series, values: [7, 7] })).toBe(
      'colour of redis · balanced · 8 clients: 7 in the latest of 2 campaigns, as in all of them',
    )
  })
})
