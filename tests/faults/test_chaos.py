"""A few rounds of `make chaos`: nothing is lost, nothing doubled, nothing stuck."""

from chaos.__main__ import shake


def test_a_shaken_fleet_loses_nothing() -> None:
    account = shake(rounds=2, seed=20261122, cut_seconds=(2.0, 6.0))
    assert account.clean, account.notes
    assert account.completed + account.failed == account.runs
    assert account.completed > 0, account.notes
