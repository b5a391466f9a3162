import { describe, expect, it } from 'vitest'

import { FieldErrors } from './errors'
import { locateComplaints } from './yamlDiagnostics'

const TEXT = 'slug: x\ntargets:\n  - name: redis\n    parameters:\n      io_threads: 900\n'

describe('complaints in the text', () => {
  it('stand at the value they are about', () => {
    const [complaint] = locateComplaints(
      TEXT,
      new FieldErrors([{ path: 'targets[0].parameters.io_threads', message: 'too many', expected: '1 to 128' }]),
    )
    expect(TEXT.slice(complaint?.from, complaint?.to)).toBe('900')
    expect(complaint?.message).toBe('targets[0].parameters.io_threads: too many (expected 1 to 128)')
  })

  it('stand at what is around a value that is missing', () => {
    const [complaint] = locateComplaints(TEXT, new FieldErrors([{ path: 'targets[0].system', message: 'is missing' }]))
    expect(TEXT.slice(complaint?.from, complaint?.to)).toBe('name: redis')
  })

  it('give way to an error of syntax', () => {
    const complaints = locateComplaints('a: [1\nb: 2\n', new FieldErrors([{ path: 'a', message: 'wrong' }]))
    expect(complaints.length).toBeGreaterThan(0)
    expect(complaints.map((one) => one.message)).not.toContain('a: wrong')
  })
})
