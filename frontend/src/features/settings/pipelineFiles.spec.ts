import { describe, expect, it } from 'vitest'

import { FILES, pipelineFile } from './pipelineFiles'

const URL = 'https://weighhouse.example'
const TRUST = '0199f0c2-7a55-7c31-9a0e-3f1d2b4c5d6e'

describe('a ready file', () => {
  it.each(FILES.map((one) => one.value))('of %s names the platform, its exit codes and no secret', (kind) => {
    for (const trust of [undefined, TRUST]) {
      const { path, text } = pipelineFile(kind, { url: URL, trust })
      expect(path).not.toBe('')
      expect(text).toContain(URL)
      expect(text).toContain('1 regression')
      expect(text).toContain('weighhouse run experiments/gate.yaml --gate')
      expect(text).not.toMatch(/whp_|undefined|null/)
      expect(text.includes(TRUST)).toBe(trust !== undefined)
      expect(text.includes('WEIGHHOUSE_TOKEN')).toBe(trust === undefined)
    }
  })

  it('asks for a signed word of the job where it is trusted, and only there', () => {
    expect(pipelineFile('github', { url: URL, trust: TRUST }).text).toContain('id-token: write')
    expect(pipelineFile('github', { url: URL }).text).not.toContain('id-token')
    expect(pipelineFile('gitlab', { url: URL, trust: TRUST }).text).toContain(`{aud: "${URL}"}`)
    expect(pipelineFile('gitlab', { url: URL }).text).not.toContain('id_tokens')
  })

  it('installs the command from the platform where it serves it, and asks no registry otherwise', () => {
    const install = '--index-url https://weighhouse.example/agent/simple/ weighhouse-cli'
    for (const { value } of FILES) {
      expect(pipelineFile(value, { url: URL, install }).text).toContain(`pip install ${install}\n`)
      expect(pipelineFile(value, { url: URL, install: null }).text).toContain('--no-index --find-links packages')
    }
  })

  it('measures the experiment that was chosen, and fails what is undecided unless that was said', () => {
    const file = 'experiments/reads.yaml'
    for (const { value } of FILES) {
      const strict = pipelineFile(value, { url: URL, file }).text
      expect(strict).toContain('weighhouse run experiments/reads.yaml --gate')
      expect(strict).not.toContain('inconclusive-passes')
      expect(pipelineFile(value, { url: URL, file, undecidedPasses: true }).text).toContain('--inconclusive-passes')
    }
  })
})
