"""What of a request counts as work: not the body on its way, and not the answer's."""

import asyncio

from weighhouse_backend.app.rate_limits import SIGNS, FairTurns
from weighhouse_backend.kit.rates import SCOPE_KEY, Visit
from weighhouse_backend.kit.shares import SHORT_SECONDS, STRANGERS, UNSORTED, Shares

END = {"type": "http.response.body", "body": b"", "more_body": False}
START = {"type": "http.response.start", "status": 200, "headers": []}


def scope_of(visit, *, path="/api/v1/runs", length=0):
    headers = [(b"content-length", str(length).encode())]
    return {"type": "http", "method": "GET", "path": path, "headers": headers, SCOPE_KEY: visit}


def visit_of(credential="c", *, known=True):
    return Visit(credential, "people", "203.0.113.7", known=known)


async def answer(_scope, receive, send):
    while (await receive()).get("more_body", False):
        pass
    await send(START)
    await send(END)


async def settle():
    """Long enough for who waits to rest."""
    await asyncio.sleep(5 * SHORT_SECONDS)


class Client:
    """Sends pieces and takes messages when it is told to."""

    def __init__(self, takes=0):
        """:param takes: messages at once."""
        self.pieces, self.taken = asyncio.Queue(), asyncio.Queue()
        self.sent = []
        for _ in range(takes):
            self.taken.put_nowait(None)

    async def receive(self):
        return await self.pieces.get()

    async def send(self, message):
        await self.taken.get()
        self.sent.append(message["type"])


def test_a_body_on_its_way_and_an_answer_that_is_not_taken_are_no_work():
    async def slow():
        shares, client = Shares(wait_seconds=10.0), Client()
        turns = FairTurns(answer, shares)
        task = asyncio.create_task(
            turns(scope_of(visit_of(), length=9), client.receive, client.send)
        )
        await settle()
        assert not shares._serving
        client.pieces.put_nowait({"type": "http.request", "body": b"a", "more_body": True})
        await settle()
        assert not shares._serving
        client.pieces.put_nowait({"type": "http.request", "body": b"b", "more_body": False})
        await settle()
        assert not shares._serving  # the answer's beginning waits to be taken
        client.taken.put_nowait(None)
        await settle()
        assert client.sent == ["http.response.start"]
        assert not shares._serving
        client.taken.put_nowait(None)
        await task
        assert shares._uses[UNSORTED].serving == 0

    asyncio.run(slow())


def test_an_answer_before_the_body_came_leaves_nothing_under_work():
    async def early():
        async def refuse(_scope, receive, send):
            waiting = asyncio.create_task(receive())
            await settle()
            assert not shares._serving
            await send(START)
            assert len(shares._serving) == 1
            await send(END)
            waiting.cancel()

        shares, client = Shares(wait_seconds=10.0), Client(takes=2)
        scope = scope_of(visit_of(known=False), length=9)
        await FairTurns(refuse, shares)(scope, client.receive, client.send)
        assert set(shares._uses) == {STRANGERS}
        assert not shares._serving

    asyncio.run(early())


def test_signs_of_a_tenant_that_is_known_wait_for_no_turn():
    async def signs():
        async def told(scope, _receive, send):
            if scope["path"] != SIGNS:
                scope[SCOPE_KEY].tenant, scope[SCOPE_KEY].learned = "theirs", True
            await send(START)
            await send(END)

        shares, client = Shares(wait_seconds=0.0), Client(takes=20)
        turns = FairTurns(told, shares)
        await turns(scope_of(visit_of()), client.receive, client.send)
        assert set(shares._uses) == {UNSORTED}
        await turns(scope_of(visit_of(), path=SIGNS), client.receive, client.send)
        assert set(shares._uses) == {UNSORTED}
        await turns(scope_of(visit_of()), client.receive, client.send)
        assert set(shares._uses) == {UNSORTED, "theirs"}

    asyncio.run(signs())


def test_whose_a_token_is_is_told_again_after_a_while(monkeypatch):
    async def moves():
        dues = []

        async def tells(scope, _receive, send):
            visit = scope[SCOPE_KEY]
            dues.append(visit.due)
            if visit.due:
                visit.tenant, visit.learned = f"organization {len(dues)}", True
            await send(START)
            await send(END)

        shares, client = Shares(wait_seconds=0.0), Client(takes=20)
        turns = FairTurns(tells, shares)
        for _ in range(2):
            await turns(scope_of(visit_of()), client.receive, client.send)
        monkeypatch.setattr("weighhouse_backend.app.rate_limits.TOLD_AGAIN_SECONDS", -1.0)
        await turns(scope_of(visit_of()), client.receive, client.send)
        assert dues == [True, False, True]
        assert turns._tenants["c"][0] == "organization 3"

    asyncio.run(moves())
