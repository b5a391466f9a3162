"""Prices and costs: arithmetic that can be done on paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_judging.cost.prices import LicencePrice, MachinePrice, hourly, not_counted
from weighhouse_judging.cost.unit_costs import for_a_million, for_a_year

DAY = "2026-01-01"
positive = st.floats(min_value=1e-3, max_value=1e7)


def machine(amount=0.36, currency="USD", **changes):
    return MachinePrice("one", "hour", amount, currency, DAY, "a list", **changes)


def powered(watts=200.0):
    return MachinePrice("own", "power", 0.25, "EUR", DAY, "a bill", watts=watts)


def licence(amount=8760.0, per="machine", currency="USD"):
    return LicencePrice("aerospike", amount, per, currency, DAY, "an offer")


def test_a_machine_for_36_cents_an_hour_that_does_100_a_second_takes_a_dollar_for_a_million():
    # 360,000 operations an hour for 0.36: a millionth of that each.
    assert for_a_million(0.36, 100) == pytest.approx(1.0)


def test_200_watts_at_25_cents_a_kilowatt_hour_are_5_cents_an_hour():
    assert powered().hourly == pytest.approx(0.05)


def test_a_licence_by_the_year_is_spread_over_its_hours_and_machines():
    found = hourly([machine(), machine(), machine()], licence())
    assert found.machines == pytest.approx(1.08)
    assert found.licence == pytest.approx(3.0)
    assert found.amount == pytest.approx(4.08)
    assert hourly([machine(), machine()], licence(per="installation")).licence == pytest.approx(1)


def test_money_of_two_currencies_has_no_sum():
    with pytest.raises(ValueError, match="EUR and USD have no sum"):
        hourly([machine(), powered()], None)
    with pytest.raises(ValueError, match="no machine"):
        hourly([], None)


def test_a_licence_in_another_currency_stays_out_and_is_named():
    other = licence(currency="EUR")
    found = hourly([machine()], other)
    assert (found.licence, found.amount) == (None, 0.36)
    named = {one.key: one.words for one in not_counted(["hour"], licence=other, counted=False)}
    assert "8,760.00 EUR a year" in named["licence"]


def test_what_is_left_out_depends_on_what_is_paid_for():
    by_hour = {one.key for one in not_counted(["hour"], licence=None, counted=False)}
    by_power = {one.key for one in not_counted(["power"], licence=licence(), counted=True)}
    always = {"load", "egress", "zones", "spare", "backup", "staff", "support", "tax"}
    assert by_hour == always | {"disk", "licence"}
    assert by_power == always | {"purchase", "room"}


def test_a_year_is_paid_in_whole_copies():
    exact = for_a_year(1.0, 1000, 2000)
    assert (exact.copies, exact.amount, exact.busy) == (2, 17520.0, 1.0)
    above = for_a_year(1.0, 1000, 2001)
    assert (above.copies, above.amount) == (3, 26280.0)
    assert for_a_year(1.0, 1000, 1).copies == 1


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf")])
def test_what_serves_nothing_has_no_cost(wrong):
    with pytest.raises(ValueError, match="throughput"):
        for_a_million(1.0, wrong)
    with pytest.raises(ValueError, match="rate"):
        for_a_year(1.0, 10.0, wrong)
    with pytest.raises(ValueError, match="is none"):
        machine(amount=wrong)


def test_watts_belong_to_power_alone():
    with pytest.raises(ValueError, match="watts"):
        powered(watts=None)
    with pytest.raises(ValueError, match="watts"):
        machine(watts=100.0)


@given(positive, positive, positive)
def test_a_year_at_full_load_costs_what_its_operations_cost(price, throughput, copies_asked):
    copies = max(1, int(copies_asked) % 50)
    year = for_a_year(price, throughput, copies * throughput)
    operations = year.copies * throughput * year.busy * 8760 * 3600
    assert year.amount * year.busy == pytest.approx(
        for_a_million(price, throughput) * operations / 1e6
    )
    assert year.copies in {copies, copies + 1}  # the quotient of floats may lie just above
    assert 0 < year.busy <= 1 + 1e-9
