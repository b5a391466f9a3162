// A real OpenID Connect provider for tests: `node oidc_provider.mjs PORT REDIRECT SIGNED_OUT BACK_CHANNEL`.
//
// Accounts are told to it while it runs: PUT /accounts/NAME with {"email", "email_verified", "groups"}.
// Whoever signs in types a name alone; there are no passwords, for nothing is guarded by them.
import http from 'node:http'
import { createRequire } from 'node:module'

const require = createRequire(new URL('../../frontend/package.json', import.meta.url))
const { Provider } = await import(require.resolve('oidc-provider'))

const [port, redirect, signedOut, backChannel] = process.argv.slice(2)
const accounts = new Map()

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: 'weighhouse',
      client_secret: 'a secret of tests & more',
      redirect_uris: [redirect],
      post_logout_redirect_uris: [signedOut],
      backchannel_logout_uri: backChannel,
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  scopes: ['openid', 'groups'],
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true }, backchannelLogout: { enabled: true } },
  // It refuses to call its own machine, where the platform under test is.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
  cookies: { keys: ['only for tests'] },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) =>
    accounts.has(id) && { accountId: id, claims: () => ({ sub: id, name: id, ...accounts.get(id) }) },
  loadExistingGrant: async (ctx) => {
    // Nobody is asked whether they agree: the only client is the one that is tested.
    const grant = new ctx.oidc.provider.Grant({
      clientId: ctx.oidc.client.clientId,
      accountId: ctx.oidc.session.accountId,
    })
    grant.addOIDCScope('openid email profile groups')
    await grant.save()
    return grant
  },
})

const page = (uid) => `<!doctype html><html lang="en"><title>Provider</title><main><h1>Who are you?</h1>
<form method="post" action="/interaction/${uid}"><label>Name <input name="name" autofocus></label>
<button>Go on</button></form></main></html>`

async function bodyOf(request) {
  let text = ''
  for await (const piece of request) text += piece
  return text
}

const answer = provider.callback()
http
  .createServer(async (request, response) => {
    const [, what, name] = new URL(request.url, 'http://here').pathname.split('/')
    if (what === 'accounts' && request.method === 'PUT') {
      accounts.set(name, JSON.parse(await bodyOf(request)))
      response.writeHead(204).end()
    } else if (what === 'interaction' && request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page(name))
    } else if (what === 'interaction') {
      const accountId = new URLSearchParams(await bodyOf(request)).get('name')
      await provider.interactionFinished(request, response, { login: { accountId } })
    } else {
      answer(request, response)
    }
  })
  .listen(Number(port), '127.0.0.1')
