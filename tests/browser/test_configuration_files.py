"""Configuration files of systems, and property files of YCSB, in the experiment editor."""

from pathlib import Path

from playwright.sync_api import Page, expect

OURS = """\
# the cache of our shop
port 7000
maxmemory 96mb
appendonly yes
maxclients 20000
requirepass hush
shop-mode on
"""


def test_a_file_becomes_a_target_and_its_other_lines_are_named(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "redis.conf"
    file.write_text(OURS)
    page.goto("/experiments/new")
    page.get_by_role("button", name="Begin blank").click()
    page.get_by_label("Configuration file").set_input_files(file)

    part = page.locator("[data-part=configuration-file]")
    expect(part.get_by_role("status")).to_contain_text(
        "redis.conf: 3 settings are in the new target, 3 are not:"
    )
    expect(part.get_by_role("listitem")).to_have_count(3)
    expect(part).to_contain_text("requirepass is never taken from an experiment")
    expect(part).not_to_contain_text("hush")
    expect(page.get_by_label("Names and values")).to_have_value("maxclients=20000")

    file.write_text("appendonly yes\ninclude more.conf\n")
    page.get_by_label("Configuration file").set_input_files(file)
    expect(part.get_by_role("alert")).to_contain_text("line 2: takes in another file")
    expect(page.get_by_label("Names and values")).to_have_count(1)


YCSBS = """\
recordcount=2000
operationcount=500
threadcount=8
readproportion=0.5
updateproportion=0.5
requestdistribution=zipfian
measurementtype=hdrhistogram
redis.host=10.0.0.5
"""


def test_a_property_file_of_ycsb_becomes_a_workload(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "nightly.properties"
    file.write_text(YCSBS)
    page.goto("/experiments/new")
    page.get_by_role("button", name="Begin blank").click()
    workloads = page.get_by_label("Records", exact=True)
    before = workloads.count()
    page.get_by_label("Property file").set_input_files(file)

    part = page.locator("[data-part=property-file]")
    expect(part.get_by_role("status")).to_contain_text("nightly.properties is a new workload.")
    expect(part.get_by_role("listitem")).to_have_count(2)
    expect(part.get_by_role("listitem").first).to_contain_text("redis.host is not taken")
    expect(workloads).to_have_count(before + 1)
    expect(workloads.last).to_have_value("2000")

    file.write_text(f"{YCSBS}zeropadding=many\nkeylength=20\n")
    page.get_by_label("Property file").set_input_files(file)
    expect(part.get_by_role("alert")).to_contain_text("nightly.properties was not taken:")
    expect(part).to_contain_text("'many' is no whole number")
    expect(part.get_by_role("listitem")).to_have_count(4)
    expect(workloads).to_have_count(before + 1)
