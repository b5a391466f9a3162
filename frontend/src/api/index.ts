export { api, onSignedOut, unwrap } from './client'
export { ApiProblem, type FieldError } from './problem'
export type * from './results'
export type * from './types'
