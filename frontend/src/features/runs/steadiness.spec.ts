import { describe, expect, it } from 'vitest'

import type { RunCourse } from '@/api'

import { courseLines, stretchesOf, TONES } from './steadiness'

const segment = (start: number, throughput: number, p99: number | null = null) => ({
  start_seconds: start,
  end_seconds: start + 20,
  throughput,
  p99_us: p99,
})
const course: RunCourse = {
  kind: 'unsteady',
  label: 'unsteady',
  sentence: 'Unsteady: two stretches.',
  segments: [segment(2, 10_000, 850), segment(22, 5_000)],
}

describe('the course of a run', () => {
  it('is told stretch by stretch, numbered as on the charts', () => {
    expect(courseLines(course).map((line) => [line.label, line.when, line.p99])).toEqual([
      ['1', '2 to 22 s', '850 µs'],
      ['2', '22 to 42 s', null],
    ])
    expect(stretchesOf(course, true).map((one) => [one.label, one.level])).toEqual([
      ['1', 10_000],
      ['2', 5_000],
    ])
  })

  it('is not divided where one level describes it', () => {
    const flat = { ...course, kind: 'flat' as const, segments: [segment(2, 10_000)] }
    expect(courseLines(flat)).toEqual([])
    expect(stretchesOf(flat)).toEqual([])
    expect(stretchesOf(null)).toEqual([])
  })

  it('has no level on an axis that shows something else', () => {
    expect(stretchesOf(course).every((one) => one.level === undefined)).toBe(true)
  })

  it('has a tone for each class', () => {
    expect(TONES.overloaded).toBe('bad')
    expect(TONES.not_assessable).toBe('info')
  })
})
