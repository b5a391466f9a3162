import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

import { request, type PasskeyAnswer } from '@/api'

import { useFactorChange, type Proof } from './factors'

/** Whether this browser knows passkeys of the page's address: it has a name, and is HTTPS or this machine itself. */
export const knowsPasskeys = (): boolean =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(location.hostname)

/** Why a browser gave no passkey, in words. */
export function inWords(cause: unknown): Error {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new Error('No passkey was given: it was cancelled, there is none, or it took too long.')
  if (name === 'InvalidStateError') return new Error('This device holds a passkey of yours already.')
  return cause instanceof Error ? cause : new Error('The browser gave no passkey.')
}

async function given<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (cause) {
    throw inWords(cause)
  }
}

/** Has the browser ask for a passkey, whichever the person chooses; its answer holds once, for five minutes. */
export async function showPasskey(): Promise<PasskeyAnswer> {
  const question = await request('POST /api/v1/sessions/passkey-question')
  const optionsJSON = question.public_key as unknown as PublicKeyCredentialRequestOptionsJSON
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return { ...(await given(startAuthentication({ optionsJSON }))) }
}

async function makePasskey(name: string, proof: Proof) {
  const question = await request('POST /api/v1/second-factor/passkey-question', { body: proof })
  const optionsJSON = question.public_key as unknown as PublicKeyCredentialCreationOptionsJSON
  const { startRegistration } = await import('@simplewebauthn/browser')
  const answer = { ...(await given(startRegistration({ optionsJSON }))) }
  return request('POST /api/v1/second-factor/passkeys', { body: { name, answer } })
}

/** Makes a passkey in this browser, or on the device that it asks; the first one comes with recovery codes. */
export const useAddPasskey = () =>
  useFactorChange(({ name, proof }: { name: string; proof: Proof }) => makePasskey(name, proof))

/** Has a passkey sign nobody in any more. */
export const useRemovePasskey = () =>
  useFactorChange(({ id, proof }: { id: string; proof: Proof }) =>
    request('POST /api/v1/second-factor/passkeys/{passkey_id}/removal', { path: { passkey_id: id }, body: proof }),
  )
