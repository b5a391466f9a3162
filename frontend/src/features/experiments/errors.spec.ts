import { describe, expect, it } from 'vitest'

import { FieldErrors, parsePath, pathText } from './errors'

describe('paths', () => {
  it('are read and written the way the server spells them', () => {
    const path = ['targets', 0, 'parameters', 'max-memory']
    expect(pathText(path)).toBe('targets[0].parameters.max-memory')
    expect(parsePath('targets[0].parameters.max-memory')).toEqual(path)
    expect(parsePath('')).toEqual([])
  })
})

describe('complaints', () => {
  const errors = new FieldErrors([
    { path: 'targets[1].version', message: 'unknown version', expected: '7.2' },
    { path: 'targets[10].name', message: 'is empty' },
  ])

  it('stand at their own field', () => {
    expect(errors.at(['targets', 1, 'version'])).toBe('unknown version (expected 7.2)')
    expect(errors.at(['targets', 1])).toBeUndefined()
  })

  it('are counted under what holds them, and not under a neighbour', () => {
    expect(errors.countUnder(['targets'])).toBe(2)
    expect(errors.countUnder(['targets', 1])).toBe(1)
    expect(errors.countUnder(['workloads'])).toBe(0)
  })
})
