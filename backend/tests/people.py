"""Operations of people that most tests of an API begin with: signing in, members, tokens."""

from fastapi import APIRouter
from weighhouse_backend.identity.token_endpoints import router as tokens
from weighhouse_backend.membership.endpoints import router as membership
from weighhouse_backend.sign_in.endpoints import router as sign_in

router = APIRouter()
for part in (sign_in, membership, tokens):
    router.include_router(part)
