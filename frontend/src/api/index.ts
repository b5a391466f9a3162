export { api, onSignedOut, unwrap } from './client'
export { ApiProblem, type FieldError } from './problem'
export type * from './types'
