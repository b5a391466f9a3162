import { afterEach, describe, expect, it, vi } from 'vitest'

import { onSignedOut, unwrap } from './client'
import { ApiProblem, UNANSWERED } from './problem'

const answer = (status: number, body: unknown) => {
  const response = new Response(null, { status })
  return Promise.resolve(status < 400 ? { data: body, response } : { error: body, response })
}

afterEach(() => onSignedOut(() => undefined))

describe('an answer', () => {
  it('gives its data', async () => {
    await expect(unwrap(answer(200, { id: 1 }))).resolves.toEqual({ id: 1 })
  })

  it('becomes a problem with the words of the server', async () => {
    const errors = [{ path: 'targets[0].name', message: 'is empty' }]
    const failing = unwrap(answer(422, { title: 'Not valid', detail: 'One field is wrong.', errors }))
    const problem = await failing.catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(ApiProblem)
    expect(problem).toMatchObject({ status: 422, message: 'One field is wrong.', title: 'Not valid', errors })
  })

  it('is a problem even without a body, and with status 0 when there was none', async () => {
    await expect(unwrap(answer(502, undefined))).rejects.toMatchObject({ status: 502, message: 'HTTP 502' })
    const lost = Promise.reject(new TypeError('Failed to fetch'))
    await expect(unwrap(lost)).rejects.toMatchObject({ status: 0, message: UNANSWERED })
  })

  it('tells that nobody is signed in', async () => {
    const listener = vi.fn()
    onSignedOut(listener)
    await expect(unwrap(answer(403, {}))).rejects.toBeInstanceOf(ApiProblem)
    expect(listener).not.toHaveBeenCalled()
    await expect(unwrap(answer(401, {}))).rejects.toBeInstanceOf(ApiProblem)
    expect(listener).toHaveBeenCalledOnce()
  })
})
