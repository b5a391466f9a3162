import { describe, expect, it } from 'vitest'

import { noticeLabel } from '@/ui'

import { EVERY_KIND, KINDS, kindsInWords } from './kinds'

describe('kinds of notices', () => {
  it('are called as people call them, and what is none is a test', () => {
    expect(noticeLabel('missed_run')).toBe('Missed run')
    expect(noticeLabel(null)).toBe('Test')
    expect(noticeLabel('of_tomorrow')).toBe('of tomorrow')
  })

  it('are said in their own order, whatever order they were chosen in', () => {
    expect(kindsInWords(['reply', 'regression'])).toBe("regression, vendor's reply")
    expect(kindsInWords([])).toBe('nothing')
    expect(kindsInWords([...EVERY_KIND].reverse())).toBe('everything')
  })

  it('are each there once', () => {
    expect(new Set(EVERY_KIND).size).toBe(KINDS.length)
  })
})
