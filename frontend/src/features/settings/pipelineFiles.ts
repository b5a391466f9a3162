/** A ready file of a CI service, with this platform's address and what lets the job in. */
export const FILES = [
  { value: 'github', label: 'GitHub Actions' },
  { value: 'gitlab', label: 'GitLab CI' },
  { value: 'shell', label: 'Any shell' },
] as const
export type FileKind = (typeof FILES)[number]['value']

/** What stands in a file. */
export interface Entrance {
  /** The platform's address. */
  url: string
  /** Of a trusted pipeline; without one the job has a secret, `WEIGHHOUSE_TOKEN`. */
  trust?: string
}

const CODES = '0 passed, 1 regression, 2 inconclusive, 3 infrastructure, 4 invalid or not comparable'
const INSTALL = 'command -v weighhouse || python3 -m pip install --no-index --find-links packages weighhouse-cli'

/**
 * A file as it stands in a repository: nothing in it is secret.
 *
 * @returns where it lies, and its text.
 */
export function pipelineFile(kind: FileKind, { url, trust }: Entrance): { path: string; text: string } {
  if (kind === 'github') return { path: '.github/workflows/weigh.yml', text: github(url, trust) }
  if (kind === 'gitlab') return { path: '.gitlab-ci.yml', text: gitlab(url, trust) }
  return { path: 'a script of your pipeline', text: shell(url, trust) }
}

function github(url: string, trust?: string): string {
  const entrance = trust ? `WEIGHHOUSE_TRUST: ${trust}` : 'WEIGHHOUSE_TOKEN: ${{ secrets.WEIGHHOUSE_TOKEN }}'
  const identity = trust ? 'id-token: write, ' : ''
  return `# Exit codes: ${CODES}.
name: weigh
on:
  pull_request:
  push: {branches: [main]}
permissions: {contents: read, ${identity}pull-requests: write}
jobs:
  weigh:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0}
      - run: ${INSTALL}
      - run: weighhouse run experiments/gate.yaml --gate --comment --junit junit.xml
        env:
          WEIGHHOUSE_URL: ${url}
          ${entrance}
          GITHUB_TOKEN: \${{ github.token }}
`
}

function gitlab(url: string, trust?: string): string {
  const entrance = trust
    ? `  id_tokens:
    WEIGHHOUSE_ID_TOKEN: {aud: "${url}"}
`
    : ''
  const named = trust ? `    WEIGHHOUSE_TRUST: ${trust}\n` : ''
  const signIn = trust ? '    - eval "$(weighhouse login --ci)"\n' : ''
  const secret = trust ? '' : '# WEIGHHOUSE_TOKEN is a masked variable of the project.\n'
  return `# Exit codes: ${CODES}.
${secret}weigh:
  image: python:3.11
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
${entrance}  variables:
    GIT_DEPTH: "0"
    WEIGHHOUSE_URL: ${url}
${named}  script:
    - ${INSTALL}
${signIn}    - weighhouse run experiments/gate.yaml --gate --junit junit.xml
  artifacts:
    when: always
    reports: {junit: junit.xml}
`
}

function shell(url: string, trust?: string): string {
  const entrance = trust
    ? `export WEIGHHOUSE_TRUST=${trust}
# WEIGHHOUSE_ID_TOKEN holds what the CI service signed of this job, for ${url}.
eval "$(weighhouse login --ci)"`
    : '# WEIGHHOUSE_TOKEN holds the token, from where the pipeline keeps its secrets.'
  return `# Exit codes: ${CODES}.
${INSTALL}
export WEIGHHOUSE_URL=${url}
${entrance}
weighhouse run experiments/gate.yaml --gate --junit junit.xml
`
}
