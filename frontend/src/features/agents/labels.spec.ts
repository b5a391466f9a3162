import { describe, expect, it } from 'vitest'

import { formatLabels, parseLabels } from './labels'

describe('labels', () => {
  it('are read as they are written', () => {
    const labels = { site: 'lab', role: 'db', 'x.y/z': 'a=b' }
    expect(parseLabels(formatLabels(labels))).toEqual({ labels, problem: null })
  })

  it('may have empty lines and blanks around', () => {
    expect(parseLabels('\n role = db \n\n').labels).toEqual({ role: 'db' })
  })

  it.each([
    ['role', 'Line 1'],
    ['a=1\na b=2', 'Line 2'],
    ['a=1\na=2', 'twice'],
    ['=1', 'Line 1'],
  ])('%j is refused, naming the line', (text, words) => {
    expect(parseLabels(text).problem).toContain(words)
  })
})
