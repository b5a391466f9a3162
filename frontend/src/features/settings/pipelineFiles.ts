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
  trust?: string | undefined
  /** What pip is told to install the command; without it there is a folder `packages`. */
  install?: string | null | undefined
  /** The experiment's file in the repository. */
  file?: string | undefined
  /** Whether a job passes that cannot tell: without a base, and until noise is known. */
  undecidedPasses?: boolean | undefined
}

const CODES = '0 passed, 1 regression, 2 inconclusive, 3 infrastructure, 4 invalid or not comparable'
const FOLDER = '--no-index --find-links packages weighhouse-cli'
/** Debian's Python refuses to install beside its own packages; a job's machine is the job's alone. */
const ALLOWED = 'PIP_BREAK_SYSTEM_PACKAGES=1'

/**
 * A file as it stands in a repository: nothing in it is secret.
 *
 * @returns where it lies, and its text.
 */
export function pipelineFile(kind: FileKind, entrance: Entrance): { path: string; text: string } {
  if (kind === 'github') return { path: '.github/workflows/weigh.yml', text: github(entrance) }
  if (kind === 'gitlab') return { path: '.gitlab-ci.yml', text: gitlab(entrance) }
  return { path: 'a script of your pipeline', text: shell(entrance) }
}

function installing({ install }: Entrance): string {
  return `command -v weighhouse || ${ALLOWED} python3 -m pip install ${install ?? FOLDER}`
}

function gate({ file, undecidedPasses }: Entrance, more = ''): string {
  const undecided = undecidedPasses ? ' --inconclusive-passes' : ''
  return `weighhouse run ${file ?? 'experiments/gate.yaml'} --gate${undecided}${more} --junit junit.xml`
}

function github(entrance: Entrance): string {
  const { url, trust } = entrance
  const way = trust ? `WEIGHHOUSE_TRUST: ${trust}` : 'WEIGHHOUSE_TOKEN: ${{ secrets.WEIGHHOUSE_TOKEN }}'
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
      - run: ${installing(entrance)}
      - run: ${gate(entrance, ' --comment')}
        env:
          WEIGHHOUSE_URL: ${url}
          ${way}
          GITHUB_TOKEN: \${{ github.token }}
`
}

function gitlab(entrance: Entrance): string {
  const { url, trust } = entrance
  const identity = trust
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
${identity}  variables:
    GIT_DEPTH: "0"
    WEIGHHOUSE_URL: ${url}
${named}  script:
    - ${installing(entrance)}
${signIn}    - ${gate(entrance)}
  artifacts:
    when: always
    reports: {junit: junit.xml}
`
}

function shell(entrance: Entrance): string {
  const { url, trust } = entrance
  const way = trust
    ? `export WEIGHHOUSE_TRUST=${trust}
# WEIGHHOUSE_ID_TOKEN holds what the CI service signed of this job, for ${url}.
eval "$(weighhouse login --ci)"`
    : '# WEIGHHOUSE_TOKEN holds the token, from where the pipeline keeps its secrets.'
  return `# Exit codes: ${CODES}.
${installing(entrance)}
export WEIGHHOUSE_URL=${url}
${way}
${gate(entrance)}
`
}
