export { api, onSignedOut, unwrap } from './client'
export { ApiProblem } from './problem'
export type * from './types'
