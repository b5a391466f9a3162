"""The editor: one document as form and as text, revisions, schedule."""

import re

import yaml
from playwright.sync_api import Page, expect
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform


def stored(platform: RunningPlatform, slug: str) -> None:
    """An experiment of this name that is not run."""
    platform.request("POST", "/experiments", json={"yaml": small_experiment(slug, "redis")})


def figure(page: Page, caption: str):
    return page.get_by_role("complementary", name="Plan").locator(
        ".figure", has=page.get_by_text(caption, exact=True)
    )


def test_from_a_template_to_a_saved_experiment(page: Page) -> None:
    page.goto("/experiments/new")
    page.get_by_role("button", name=re.compile("^Begin from this: Three stores")).click()
    expect(figure(page, "Runs")).to_contain_text("90")

    page.get_by_label("Slug").fill("from-a-template")
    page.get_by_label("Name").first.fill("From a template")
    page.get_by_label("Repeats of each cell").fill("2")
    expect(figure(page, "Runs")).to_contain_text("36")

    page.get_by_role("button", name="Save the experiment").click()
    expect(page.get_by_role("heading", level=1, name="From a template")).to_be_visible()
    expect(page).to_have_title("From a template · Weighhouse")
    expect(page).to_have_url(re.compile("/experiments/from-a-template$"))


def test_a_mistake_is_shown_at_its_field_and_led_to(page: Page, platform: RunningPlatform) -> None:
    stored(platform, "with-a-mistake")
    page.goto("/experiments/with-a-mistake")
    page.get_by_label("read %").fill("40")
    plan = page.get_by_role("complementary", name="Plan")
    problem = plan.get_by_role("button", name=re.compile("add up to 0.9"))
    expect(problem).to_be_visible()
    expect(page.get_by_role("group", name=re.compile("^Operations"))).to_contain_text("add up to")
    expect(page.get_by_role("button", name="Save as revision 2")).to_be_disabled()

    page.get_by_role("tab", name="YAML").click()
    problem.click()
    expect(page.get_by_role("tab", name="Form")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_label("read %")).to_be_focused()

    page.get_by_label("read %").fill("50")
    expect(problem).to_have_count(0)


def test_parameters_come_from_the_plugin_and_are_checked(
    page: Page, platform: RunningPlatform
) -> None:
    stored(platform, "with-parameters")
    manifest = platform.request("GET", "/systems/redis")
    page.goto("/experiments/with-parameters")
    page.get_by_text("Parameters of Redis").click()
    for parameter in manifest["parameters"]["properties"].values():
        expect(page.get_by_label(parameter["title"], exact=False).first).to_be_visible()


def test_form_and_text_are_one_document(page: Page, platform: RunningPlatform) -> None:
    stored(platform, "one-document")
    page.goto("/experiments/one-document")
    page.get_by_label("Repeats of each cell").fill("7")
    page.get_by_role("tab", name="YAML").click()
    editor = page.get_by_role("textbox", name="The experiment as YAML")
    expect(editor).to_contain_text("repetitions: 7")

    editor.focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\nseed: 99\n")
    page.get_by_role("tab", name="Form").click()
    expect(page.get_by_label("Seed")).to_have_value("99")
    expect(page.get_by_label("Repeats of each cell")).to_have_value("7")


def test_each_saved_change_is_a_revision_that_can_be_compared(
    page: Page, platform: RunningPlatform
) -> None:
    stored(platform, "revised")
    page.goto("/experiments/revised")
    page.get_by_label("Repeats of each cell").fill("3")
    expect(page.get_by_role("button", name="Run now")).to_be_disabled()
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_role("button", name="Nothing to save")).to_be_visible()
    expect(page.get_by_role("button", name="Run now")).to_be_enabled()

    page.get_by_role("tab", name="Revisions").click()
    change = page.get_by_role("row", name=re.compile("repetitions"))
    expect(change.get_by_role("cell")).to_have_text(["− 2", "+ 3"])
    page.get_by_role("button", name="Revision 1").click()
    expect(page.get_by_role("heading", name="Revision 1 as YAML")).to_be_visible()
    expect(page).to_have_url(re.compile(r"revision=1"))


def test_unsaved_work_is_not_left_behind_by_a_stray_click(
    page: Page, platform: RunningPlatform
) -> None:
    stored(platform, "unsaved")
    page.goto("/experiments/unsaved")
    page.get_by_label("Repeats of each cell").fill("9")
    page.get_by_role("link", name="Agents").click()
    question = page.get_by_role("dialog", name="Leave without saving?")
    question.get_by_role("button", name="Stay here").click()
    expect(page.get_by_label("Repeats of each cell")).to_have_value("9")
    page.get_by_role("link", name="Agents").click()
    question.get_by_role("button", name="Leave them behind").click()
    expect(page.get_by_role("heading", level=1, name="Agents")).to_be_visible()


def test_two_people_do_not_overwrite_each_other(page: Page, platform: RunningPlatform) -> None:
    stored(platform, "shared")
    page.goto("/experiments/shared")
    page.get_by_label("Repeats of each cell").fill("4")
    other = small_experiment("shared", "redis", repetitions=8)
    platform.request("POST", "/experiments/shared/revisions", json={"yaml": other})
    page.get_by_role("button", name="Save as revision 2").click()
    notice = page.get_by_role("status").filter(has_text="saved revision 2 meanwhile")
    expect(notice).to_be_visible()
    expect(page.get_by_label("Repeats of each cell")).to_have_value("4")
    revisions = platform.request("GET", "/experiments/shared/revisions")["items"]
    assert [revision["number"] for revision in revisions] == [2, 1]
    assert revisions[0]["document"]["repetitions"] == 8

    notice.get_by_role("button", name="Go on from revision 2").click()
    expect(page.get_by_label("Repeats of each cell")).to_have_value("8")
    expect(notice).to_have_count(0)


def test_a_schedule_shows_its_dates_before_it_is_set(page: Page, platform: RunningPlatform) -> None:
    stored(platform, "scheduled")
    page.goto("/experiments/scheduled?tab=schedule")
    page.get_by_label("Cron expression").fill("nonsense")
    expect(page.get_by_label("Cron expression")).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Every night").click()
    expect(page.locator(".dates li")).to_have_count(5)
    page.get_by_label("When the campaign before is still under way").click()
    page.get_by_role("option", name=re.compile("^Wait for its end")).click()
    expect(page.get_by_text("One date waits at most")).to_be_visible()
    page.get_by_label("Dates missed while the platform was down").click()
    page.get_by_role("option", name=re.compile("^Only report them")).click()
    page.get_by_role("button", name="Set the schedule").click()
    expect(page.get_by_role("button", name="Save the schedule")).to_be_visible()
    expect(page.get_by_text("No date of this experiment has come yet.")).to_be_visible()
    made = platform.request("GET", "/experiments/scheduled/schedule")
    assert (made["cron"], made["overlap"], made["missed"]) == ("0 3 * * *", "queue", "report")
    page.reload()
    overlap = page.get_by_label("When the campaign before is still under way")
    expect(overlap).to_have_text("Wait for its end")

    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Remove the schedule").click()
    expect(page.get_by_role("button", name="Set the schedule")).to_be_visible()


def test_what_is_compared_is_declared_where_the_sheet_says_what_differs(
    page: Page, platform: RunningPlatform
) -> None:
    document = yaml.safe_load(small_experiment("declared", "redis"))
    kept = {"appendonly": True, "appendfsync": "always", "io_threads": 2}
    (first,) = document["targets"]
    document["targets"].append({**first, "name": "kept", "parameters": kept})
    platform.request("POST", "/experiments", json={"yaml": yaml.safe_dump(document)})
    page.goto("/experiments/declared")
    section = page.get_by_role("region", name="Fairness")
    durability = section.get_by_role("row", name=re.compile("^Durability"))
    expect(durability).to_contain_text("confounder")
    durability.get_by_role("button", name="This is what is compared: Durability").click()
    expect(durability).not_to_contain_text("confounder")
    durability.get_by_role("button", name="why: Durability").click()
    expect(durability).to_contain_text("Declared as what is compared.")
    expect(section.get_by_role("button", name="Make the sides equal")).to_have_count(0)
    page.get_by_role("tab", name="YAML").click()
    expect(page.get_by_role("textbox", name="The experiment as YAML")).to_contain_text("factors")
    page.get_by_role("tab", name="Form").click()
    durability.get_by_role("button", name="Not what is compared: Durability").click()
    expect(durability).to_contain_text("confounder")


def test_sides_are_made_equal_before_anything_runs(page: Page, platform: RunningPlatform) -> None:
    stored_as = small_experiment("made-equal", "redis", "memcached")
    platform.request("POST", "/experiments", json={"yaml": stored_as})
    page.goto("/experiments/made-equal")
    section = page.get_by_role("region", name="Fairness")
    durability = section.get_by_role("row", name=re.compile("^Durability"))
    expect(durability).to_contain_text("on disk from time to time, no log")
    expect(durability).to_contain_text("nothing is kept")
    durability.get_by_role("button", name="why: Durability").click()
    expect(durability.get_by_text("appendonly")).to_be_visible()

    expect(section).to_contain_text("Redis: save = empty")
    section.get_by_role("button", name="Make the sides equal").click()
    expect(durability).to_have_count(0)
    expect(section.get_by_role("button", name="Make the sides equal")).to_have_count(0)
    section.get_by_text("What is the same").click()
    expect(durability).to_contain_text("nothing is kept")
    page.get_by_role("tab", name="YAML").click()
    editor = page.get_by_role("textbox", name="The experiment as YAML")
    expect(editor).to_contain_text('save: ""')


def test_what_a_second_measurement_adds_is_told_and_may_be_left_out(
    page: Page, platform: RunningPlatform
) -> None:
    stored(platform, "measured-again")
    page.goto("/experiments/measured-again")
    plan = page.get_by_role("complementary", name="Plan")
    told = plan.get_by_text("are measured once more")
    runs = figure(page, "Runs").inner_text()
    expect(told).to_contain_text(re.search(r"\d+", runs).group())
    page.get_by_text("Gate", exact=True).first.click()
    page.get_by_role("switch", name="Measure again what seems worse").click()
    expect(told).to_have_count(0)
    page.get_by_role("tab", name="YAML").click()
    expect(page.get_by_role("main")).to_contain_text("confirm: false")
