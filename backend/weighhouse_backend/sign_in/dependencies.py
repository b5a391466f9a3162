"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.sign_in.browsers import BrowserService
from weighhouse_backend.sign_in.factors import FactorService
from weighhouse_backend.sign_in.passkeys import PasskeyService
from weighhouse_backend.sign_in.passwords import PasswordService
from weighhouse_backend.sign_in.pipelines import TrustService
from weighhouse_backend.sign_in.provider_sign_in import SignInService
from weighhouse_backend.sign_in.providers import ProviderService

SERVICES = provided(
    BrowserService,
    FactorService,
    PasskeyService,
    PasswordService,
    ProviderService,
    SignInService,
    TrustService,
)

BrowserServiceDep = Annotated[BrowserService, wired(BrowserService)]
FactorServiceDep = Annotated[FactorService, wired(FactorService)]
PasskeyServiceDep = Annotated[PasskeyService, wired(PasskeyService)]
PasswordServiceDep = Annotated[PasswordService, wired(PasswordService)]
ProviderServiceDep = Annotated[ProviderService, wired(ProviderService)]
SignInServiceDep = Annotated[SignInService, wired(SignInService)]
TrustServiceDep = Annotated[TrustService, wired(TrustService)]
