"""Stored secrets are read with the installation's secret, and with nothing else."""

import pytest
from pydantic import SecretStr
from weighhouse_backend.kit.seals import CannotUnseal, Seal, seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.signed_links import NoSecretKey

FORMER, PRESENT = "the secret of last year", "the secret of this year"


def settings(key: str | None, former: str = "") -> Settings:
    return Settings(
        database_url="postgresql+psycopg://nobody@127.0.0.1/none",
        redis_url="redis://127.0.0.1:1/0",
        secret_key=SecretStr(key) if key else None,
        former_secret_keys=SecretStr(former),
    )


def test_what_is_sealed_is_not_readable_and_comes_back() -> None:
    seal = seal_of(settings(PRESENT))
    sealed = seal.close("hunter2, ümlaut")
    assert "hunter2" not in sealed
    assert sealed != seal.close("hunter2, ümlaut")
    assert seal.open(sealed) == "hunter2, ümlaut"


def test_what_a_former_secret_sealed_is_read_until_it_is_sealed_anew() -> None:
    sealed = seal_of(settings(FORMER)).close("hunter2")
    changing = seal_of(settings(PRESENT, f" {FORMER} , one more"))
    assert changing.open(sealed) == "hunter2"
    anew = changing.anew(sealed)
    alone = seal_of(settings(PRESENT))
    assert alone.open(anew) == "hunter2"
    with pytest.raises(CannotUnseal, match="WEIGHHOUSE_FORMER_SECRET_KEYS"):
        alone.open(sealed)


@pytest.mark.parametrize("sealed", ["", "no seal at all", "ümlaut"])
def test_what_was_never_sealed_is_told(sealed: str) -> None:
    with pytest.raises(CannotUnseal):
        Seal(PRESENT.encode()).open(sealed)


def test_without_a_secret_nothing_is_sealed() -> None:
    with pytest.raises(NoSecretKey):
        seal_of(settings(None))
