import { describe, expect, it } from 'vitest'

import { lineOf, placesNamed } from './kinds'

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

describe('the line of nights', () => {
  it('goes from the least value at the bottom to the greatest at the top', () => {
    expect(lineOf([10, 30, 20], 100, 20)).toBe('0.0,20.0 50.0,0.0 100.0,10.0')
  })

  it('is level where nothing changes, and a point where there is one value', () => {
    expect(lineOf([7, 7], 100, 20)).toBe('0.0,10.0 100.0,10.0')
    expect(lineOf([7], 100, 20)).toBe('50.0,10.0')
  })
})
