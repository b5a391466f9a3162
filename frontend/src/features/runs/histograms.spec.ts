import { describe, expect, it } from 'vitest'

import { histogramAddress, histogramFiles } from './histograms'

describe('histogramFiles', () => {
  it('offers every operation in both forms, under labels of their own', () => {
    const labels = histogramFiles('r', ['all', 'read']).map((item) => item.label)
    expect(labels).toHaveLength(4)
    expect(new Set(labels).size).toBe(4)
    expect(labels[0]).toBe('Histogram of all, percentile text, .hgrm')
  })
})

describe('histogramAddress', () => {
  it('names run, operation and form', () => {
    expect(histogramAddress('a/b', 'read', 'hlog')).toBe('/api/v1/runs/a%2Fb/histogram?operation=read&format=hlog')
  })
})
