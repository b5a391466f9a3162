"""One comment at a request, written again in place, whatever else stands there."""

import json
from pathlib import Path

import pytest
from weighhouse_cli.ci.forges import LONGEST, ForgeProblem, GitLab, put
from weighhouse_cli.ci.requests import Asked, audience_of, forge_of
from weighhouse_testing.forge import GITHUB_BOT, GITLAB_USER, HEAD, StandInForge, stand_in_forge

MARK = "<!-- weighhouse gate: project reads -->"


def github(forge: StandInForge, tmp_path: Path, **event: object) -> dict[str, str]:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(event))
    return {
        "GITHUB_ACTIONS": "true", "GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "acme/store",
        "GITHUB_TOKEN": forge.token, "GITHUB_EVENT_PATH": str(file),
    }  # fmt: skip


def gitlab(forge: StandInForge, _: Path, **event: object) -> dict[str, str]:
    number = event["pull_request"]["number"]  # type: ignore[index]
    return {
        "GITLAB_CI": "true", "CI_API_V4_URL": forge.url, "GITLAB_TOKEN": forge.token,
        "CI_MERGE_REQUEST_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": str(number),
    }  # fmt: skip


BOTH = pytest.mark.parametrize("of", [github, gitlab])
REQUEST = {"pull_request": {"number": 7}}


@BOTH
def test_it_is_made_once_and_then_written_again_also_on_the_third_page(of, tmp_path):
    with stand_in_forge(github=of is github) as forge:
        forge.fill(250)
        asked = forge_of(of(forge, tmp_path, **REQUEST), Asked())
        assert put(asked, MARK, f"{MARK}\none") == "created"
        forge.fill(120)
        assert put(asked, MARK, f"{MARK}\ntwo") == "updated"
        assert put(asked, MARK, f"{MARK}\ntwo") == "unchanged"
        assert forge.ours == [f"{MARK}\ntwo"]
        assert sum(method == "POST" for method, _ in forge.asked) == 1


@BOTH
def test_a_strangers_mark_is_a_strangers(of, tmp_path):
    with stand_in_forge(github=of is github) as forge:
        forge.add(f"{MARK}\nmine, they say", {"login": "eve", "id": 99, "type": "User"})
        asked = forge_of(of(forge, tmp_path, **REQUEST), Asked())
        assert put(asked, MARK, f"{MARK}\none") == "created"
        assert forge.ours == [f"{MARK}\nmine, they say", f"{MARK}\none"]


@BOTH
def test_what_somebody_took_away_is_written_anew_and_of_two_one_stays(of, tmp_path):
    with stand_in_forge(github=of is github) as forge:
        asked = forge_of(of(forge, tmp_path, **REQUEST), Asked())
        put(asked, MARK, f"{MARK}\none")
        forge.comments.clear()
        assert put(asked, MARK, f"{MARK}\ntwo") == "created"

        who = GITHUB_BOT if of is github else GITLAB_USER
        forge.comments.clear()
        create = asked.create

        def beside(body: str) -> None:  # another job writes its own at the same moment
            forge.add(f"{MARK}\nof the other job", who)
            create(body)

        asked.create = beside
        put(asked, MARK, f"{MARK}\nthree")
        assert forge.ours == [f"{MARK}\nthree"]


@BOTH
@pytest.mark.parametrize("status", [401, 403, 404, 410, 422])
def test_what_a_forge_refuses_is_told_with_the_mend(of, status, tmp_path):
    with stand_in_forge(github=of is github) as forge:
        asked = forge_of(of(forge, tmp_path, **REQUEST), Asked())
        forge.refuse = status
        with pytest.raises(ForgeProblem) as told:
            put(asked, MARK, f"{MARK}\none")
        assert str(status) in str(told.value)
        assert forge.token not in str(told.value)
        if status in {401, 403, 404}:
            mend = "pull-requests: write" if of is github else "project access token"
            assert mend in str(told.value)


@BOTH
def test_a_busy_forge_is_asked_again(of, tmp_path):
    with stand_in_forge(github=of is github) as forge:
        asked = forge_of(of(forge, tmp_path, **REQUEST), Asked())
        forge.busy = 2
        assert put(asked, MARK, f"{MARK}\none") == "created"
        forge.busy = 1000
        with pytest.raises(ForgeProblem, match="429: the comment was not written; run the job"):
            put(asked, MARK, f"{MARK}\ntwo")


@BOTH
def test_what_is_no_forge_at_all_is_told(of, tmp_path):
    with stand_in_forge(github=of is github) as forge:
        forge.speaks_html = True
        with pytest.raises(ForgeProblem, match="is not the API of Git"):
            put(forge_of(of(forge, tmp_path, **REQUEST), Asked()), MARK, f"{MARK}\none")
    strange = of(forge, tmp_path, **REQUEST) | dict.fromkeys(("GITHUB_TOKEN", "GITLAB_TOKEN"), "‚ä")
    with pytest.raises(ForgeProblem, match="the token is as Git"):
        forge_of(strange, Asked())


def test_a_token_that_is_none_is_told(tmp_path):
    with stand_in_forge() as forge:
        environment = github(forge, tmp_path, **REQUEST) | {"GITHUB_TOKEN": "ghs_other"}
        with pytest.raises(ForgeProblem, match="401: the token is not known there"):
            forge_of(environment, Asked())
    with pytest.raises(ForgeProblem, match="does not answer"):
        GitLab("http://127.0.0.1:9", "12", 7, "x")


def test_the_request_is_found_by_the_commit_that_was_measured(tmp_path):
    with stand_in_forge() as forge:
        environment = github(forge, tmp_path, repository={"private": True})
        put(forge_of(environment, Asked(head=HEAD)), MARK, f"{MARK}\none")
        assert ("POST", "/repos/acme/store/issues/7/comments") in forge.asked
        with pytest.raises(ForgeProblem, match="for no pull or merge request"):
            forge_of(environment, Asked())
        forge.comments.clear()
        put(forge_of(environment, Asked(number=9)), MARK, f"{MARK}\none")
        assert ("POST", "/repos/acme/store/issues/9/comments") in forge.asked


def test_a_comment_is_as_long_as_a_forge_takes_it(tmp_path):
    with stand_in_forge() as forge:
        put(forge_of(github(forge, tmp_path, **REQUEST), Asked()), MARK, MARK + "x" * 2 * LONGEST)
        assert len(forge.ours[0]) < LONGEST + 10


def test_outside_of_jobs_there_is_no_request():
    with pytest.raises(ForgeProblem, match="neither a job of GitHub Actions nor of GitLab CI"):
        forge_of({}, Asked())
    with pytest.raises(ForgeProblem, match="give the step its token"):
        forge_of({"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "a/b"}, Asked())
    with pytest.raises(ForgeProblem, match="GITLAB_TOKEN is not set"):
        forge_of({"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7"}, Asked())


def test_who_reads_is_who_may_read_the_repository(tmp_path):
    with stand_in_forge() as forge:
        assert audience_of(github(forge, tmp_path, repository={"private": True})) == "internal"
        assert audience_of(github(forge, tmp_path, repository={"private": False})) == "public"
        assert audience_of(github(forge, tmp_path)) == "public"
    lab = {"GITLAB_CI": "true"}
    assert audience_of(lab | {"CI_PROJECT_VISIBILITY": "private"}) == "internal"
    assert audience_of(lab) == "public"
    assert audience_of({}) == "internal"
