import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { archived } from './archive'

describe('archived', () => {
  it('leaves one file as it is', () => {
    const only = { name: 'a.log', file: new Blob(['a']) }
    expect(archived([only])).toBe(only)
  })

  it('makes of several what tar unpacks', async () => {
    const long = `${'folder/'.repeat(30)}run.log`
    const made = archived([
      { name: 'one/a.log', file: new Blob(['first\n']) },
      { name: 'two/ä.log', file: new Blob(['x'.repeat(512)]) },
      { name: long, file: new Blob(['']) },
    ])
    expect(made.name).toBe('files.tar')
    const place = mkdtempSync(join(tmpdir(), 'archive-'))
    writeFileSync(join(place, made.name), new Uint8Array(await made.file.arrayBuffer()))
    execFileSync('tar', ['-xf', made.name], { cwd: place })
    expect(readFileSync(join(place, 'one/a.log'), 'utf8')).toBe('first\n')
    expect(readFileSync(join(place, 'two/ä.log'), 'utf8')).toBe('x'.repeat(512))
    const names = execFileSync('tar', ['-tf', made.name], { cwd: place, encoding: 'utf8' }).trim().split('\n')
    expect(names[2]).toMatch(/folder\/run\.log$/)
  })
})
