"""Judging again: by what, for whom, and what becomes of campaigns that cannot be judged."""

from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from weighhouse_backend.gates.rejudgement_schemas import RejudgementCreate
from weighhouse_backend.gates.rejudgement_service import RejudgingService
from weighhouse_backend.gates.rejudgements import MOST_TRIES, RejudgementService, carry_on
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.problems import Forbidden
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_judging.rules import RULES_VERSION
from weighhouse_testing.services import transaction_of

from backend.tests.results.laboratory import experiment
from backend.tests.results.sides import report, weigh

REDIS = [{"name": "redis", "system": "redis"}]


@pytest.fixture(scope="module", autouse=True)
def weighed(laboratory):
    """How much campaigns differ is known here."""
    weigh(laboratory)


class Before:
    """Campaigns of one experiment, and rules under which they said something else."""

    def __init__(self, laboratory, slug):
        self.laboratory = laboratory
        self.document = experiment(slug, targets=REDIS)

    def run(self, factor=1.0, **wanted):
        return self.laboratory.carry_out(
            self.document, lambda order: report(order, factor=factor), **wanted
        )

    def execute(self, statement, **values):
        with unit_of_work(self.laboratory.sessions) as session:
            session.execute(text(statement), values)

    def judged_otherwise(self, campaign, verdict, base=None, choice=None):
        """Let a campaign have said something by the rules of before."""
        self.execute(
            "UPDATE campaign_verdicts SET rules_version = 1, details = NULL, verdict = :verdict,"
            " message = 'as it was' WHERE campaign_id = :campaign",
            verdict=verdict, campaign=campaign,
        )  # fmt: skip
        self.execute(
            "UPDATE campaigns SET verdict = :verdict WHERE id = :campaign",
            verdict=verdict, campaign=campaign,
        )  # fmt: skip
        if base is not None:
            self.execute(
                "UPDATE campaign_verdicts SET bases = jsonb_build_array(CAST(:base AS text))"
                " WHERE campaign_id = :campaign",
                base=base, campaign=campaign,
            )  # fmt: skip
        if choice is not None:
            self.execute(
                "UPDATE campaigns SET base = :choice, base_campaign_id = :base"
                " WHERE id = :campaign",
                choice=choice, base=base, campaign=campaign,
            )  # fmt: skip

    def gate(self, campaign):
        return self.laboratory.get(f"/campaigns/{campaign}/gate")

    def ask(self, **wanted):
        answer = self.laboratory.client.post(
            "/api/v1/rejudgements", json=wanted, headers=self.laboratory.headers
        )
        assert answer.status_code == 202, answer.text
        return answer.json()["id"]

    def work_off(self, rejudgement, service=None):
        carry_on(transactions(self.laboratory, service), UUID(rejudgement))
        items = self.laboratory.get(f"/rejudgements/{rejudgement}/campaigns")["items"]
        return {one["campaign_id"]: one for one in items}

    def again(self, **wanted):
        return self.work_off(self.ask(**wanted))


def transactions(laboratory, change=None):
    """What a worker begins; `change` may replace the service."""

    @contextmanager
    def transaction():
        ledger = laboratory.ledger
        begun = transaction_of(laboratory.sessions, laboratory.settings, jobs=ledger, events=ledger)
        with begun as services:
            if change is not None:
                change(services)
            yield services.get(RejudgementService)

    return transaction


def test_by_the_bases_it_had_without_one_that_regressed(laboratory):
    """The ratchet of before: each campaign's base was the one before it, whatever it said."""
    before = Before(laboratory, "ratchet")
    good, slow, as_slow = before.run(), before.run(0.8), before.run(0.8)
    before.judged_otherwise(slow, "passed", good, "pinned")
    before.judged_otherwise(as_slow, "equivalent", slow, "pinned")
    came = before.again(experiment="ratchet")
    assert [came[one]["verdict_now"] for one in (good, slow, as_slow)] == [
        "no_baseline", "regression", "regression"
    ]  # fmt: skip
    assert came[good]["outcome"] == "unchanged"
    assert before.gate(as_slow)["base_campaign_ids"] == [good]
    assert laboratory.get(f"/campaigns/{as_slow}")["verdict"] == "regression"


def test_an_accepted_regression_stays_the_base_and_accepted(laboratory):
    before = Before(laboratory, "expected")
    good, slow, as_slow = before.run(), before.run(0.8), before.run(0.8)
    laboratory.client.put(
        f"/api/v1/campaigns/{slow}/acceptance", json={"note": "wanted"}, headers=laboratory.headers
    )
    before.judged_otherwise(slow, "inconclusive", good)
    before.judged_otherwise(as_slow, "inconclusive", slow)
    came = before.again(experiment="expected")
    assert came[slow]["verdict_now"] == "regression"
    assert came[as_slow]["verdict_now"] == "equivalent"
    assert before.gate(as_slow)["base_campaign_ids"] == [slow]
    accepted = laboratory.get(f"/campaigns/{slow}")["accepted"]
    assert accepted["note"] == "wanted"


def test_a_dry_run_foresees_what_follows_from_what_it_found(laboratory):
    before = Before(laboratory, "foreseen")
    good, slow, as_slow = before.run(), before.run(0.8), before.run(0.8)
    before.judged_otherwise(slow, "passed", good, "pinned")
    before.judged_otherwise(as_slow, "equivalent", slow, "pinned")
    dry = before.again(experiment="foreseen", dry_run=True)
    assert before.gate(slow)["message"] == "as it was"
    came = before.again(experiment="foreseen")
    for one in (good, slow, as_slow):
        assert dry[one] == came[one]


def test_a_verdict_of_another_day_is_not_mixed_with_todays_words(laboratory):
    """A page shows the verdict, its text and its cells; all three are of one judgement."""
    before = Before(laboratory, "mixed")
    good, slow = before.run(), before.run(0.8)
    before.judged_otherwise(slow, "passed", good)
    gate = before.gate(slow)
    assert (gate["verdict"], gate["exit_code"], gate["message"]) == ("passed", 0, "as it was")
    assert (gate["cells"], gate["comparisons"], gate["details_kept"]) == ([], [], False)
    assert (gate["rules_version"], gate["rules_version_now"]) == (1, RULES_VERSION)
    assert before.gate(good)["rules_version"] == RULES_VERSION
    asked = laboratory.get(f"/campaigns/{slow}/gate", threshold_percent=50)
    assert (asked["verdict"], asked["judged_at"]) == ("equivalent", None)


def test_more_repeats_supersede_the_verdict(laboratory):
    before = Before(laboratory, "repeated")
    before.run()
    campaign = before.run()
    first = before.gate(campaign)
    answer = laboratory.client.post(
        f"/api/v1/campaigns/{campaign}/repeats", json={"count": 1}, headers=laboratory.headers
    )
    assert answer.status_code == 202, answer.text
    laboratory.measure(report, 1)
    laboratory.work(
        lambda services: services.get(CampaignSettlementService).settle_campaign(UUID(campaign))
    )
    gate = before.gate(campaign)
    (superseded,) = gate["superseded"]
    assert superseded["message"] == first["message"]
    assert superseded["superseded_because"] == "more was measured"


def test_one_that_cannot_be_judged_keeps_no_other_from_its_turn(laboratory):
    before = Before(laboratory, "broken")
    first, second = before.run(), before.run()
    before.judged_otherwise(second, "inconclusive")

    def break_first(services):
        whole = services.get(RejudgingService).judge

        def judge(campaign_id, *arguments, **named):
            if campaign_id == UUID(first):
                raise ValueError("its document is of no version we know")
            return whole(campaign_id, *arguments, **named)

        object.__setattr__(services.get(RejudgingService), "judge", judge)

    came = before.work_off(before.ask(experiment="broken"), break_first)
    assert came[first]["outcome"] == "failed"
    assert "no version we know" in came[first]["reason"]
    assert came[second]["verdict_now"] == "equivalent"


def test_what_a_worker_left_behind_is_taken_up_and_given_up_after_some_tries(laboratory):
    before = Before(laboratory, "left")
    first, second = before.run(), before.run()
    rejudgement = before.ask(campaigns=[first, second])
    for _ in range(MOST_TRIES):  # each begins, and dies before it has judged
        laboratory.work(lambda services: services.get(RejudgementService).next(UUID(rejudgement)))
    laboratory.ledger.jobs.clear()
    laboratory.work(lambda services: services.get(RejudgementService).sweep(0))
    assert ("gates.rejudge", {"rejudgement_id": rejudgement}) in laboratory.ledger.jobs
    came = before.work_off(rejudgement)
    assert (came[first]["outcome"], came[second]["outcome"]) == ("failed", "unchanged")
    assert f"in {MOST_TRIES} tries" in came[first]["reason"]
    laboratory.ledger.jobs.clear()
    laboratory.work(lambda services: services.get(RejudgementService).sweep(0))
    assert laboratory.ledger.jobs == []


def test_two_workers_are_never_at_one_rejudgement(laboratory):
    before = Before(laboratory, "twice")
    campaign = before.run()
    rejudgement = UUID(before.ask(campaigns=[campaign]))
    with transactions(laboratory)() as service:
        assert service.next(rejudgement) == UUID(campaign)
        with transactions(laboratory)() as other:
            assert other.next(rejudgement) is None


def test_when_time_is_up_another_job_goes_on(laboratory):
    before = Before(laboratory, "long")
    campaign = before.run()
    rejudgement = before.ask(campaigns=[campaign])
    laboratory.ledger.jobs.clear()
    carry_on(transactions(laboratory), UUID(rejudgement), seconds=0)
    assert laboratory.ledger.jobs == [("gates.rejudge", {"rejudgement_id": rejudgement})]


@pytest.mark.parametrize(
    ("role", "wanted"),
    [
        (Role.VIEWER, {"campaigns": None}),
        (Role.MEMBER, {"experiment": "roles"}),
        (Role.MEMBER, {"all_campaigns": True}),
    ],
)
def test_roles(laboratory, tenants, role, wanted):
    before = Before(laboratory, "roles")
    campaign = before.run()
    named = {"campaigns": [campaign]} if "campaigns" in wanted else wanted
    caller = Caller("token", uuid4(), "somebody", {tenants[0].project_id: role})
    with pytest.raises(Forbidden), transactions(laboratory)() as service:
        service.create(caller, RejudgementCreate.model_validate(named))


def test_another_tenant_has_nothing_judged_and_reads_nothing(laboratory, tenants):
    before = Before(laboratory, "foreign-again")
    campaign = before.run()
    rejudgement = before.ask(campaigns=[campaign])
    headers = tenants[1].headers
    client = laboratory.client
    asked = client.post("/api/v1/rejudgements", json={"campaigns": [campaign]}, headers=headers)
    assert asked.status_code == 404
    for path in (f"/rejudgements/{rejudgement}", f"/rejudgements/{rejudgement}/campaigns"):
        answer = client.get(f"/api/v1{path}", headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (
            404, "/docs/problems/rejudgement-not-found"
        )  # fmt: skip


@pytest.mark.parametrize(
    "wanted", [{}, {"campaigns": []}, {"experiment": "x", "all_campaigns": True}]
)
def test_one_way_to_say_which(laboratory, wanted):
    answer = laboratory.client.post("/api/v1/rejudgements", json=wanted, headers=laboratory.headers)
    assert answer.status_code == 422
    assert "all_campaigns" in answer.text


def test_the_same_key_asks_once(laboratory):
    before = Before(laboratory, "keyed")
    campaign = before.run()
    headers = {**laboratory.headers, "Idempotency-Key": "again"}
    made = {
        laboratory.client.post(
            "/api/v1/rejudgements", json={"campaigns": [campaign]}, headers=headers
        ).json()["id"]
        for _ in range(2)
    }
    assert len(made) == 1


def test_who_asked_and_what_changed_is_on_record(laboratory, tenants):
    before = Before(laboratory, "recorded")
    campaign = before.run()
    before.judged_otherwise(campaign, "inconclusive")
    before.again(campaigns=[campaign])
    with unit_of_work(laboratory.sessions) as session:
        entries = session.execute(
            text(
                "SELECT action, details->>'verdict_before', details->>'verdict' FROM audit_entries"
                " WHERE project_id = :project AND action LIKE '%rejudge%' ORDER BY at DESC LIMIT 2"
            ),
            {"project": tenants[0].project_id},
        ).all()
    assert [tuple(one) for one in entries] == [
        ("campaign.rejudged", "inconclusive", "no_baseline"),
        ("verdicts.rejudgement_asked", None, None),
    ]


def test_what_is_learned_of_noise_follows_the_new_verdicts(laboratory):
    """A regression is no noise, and what is none any more is."""
    before = Before(laboratory, "renewed")
    good, slow, again = before.run(), before.run(0.8), before.run()
    before.judged_otherwise(slow, "inconclusive", good)
    before.judged_otherwise(again, "regression", good)
    before.execute(
        "UPDATE series_points SET regressed = NOT regressed WHERE campaign_id IN (:slow, :again)",
        slow=slow, again=again,
    )  # fmt: skip
    assert regressed(laboratory, slow, again) == [False, True]
    before.again(experiment="renewed", dry_run=True)
    assert regressed(laboratory, slow, again) == [False, True]
    before.again(experiment="renewed")
    assert regressed(laboratory, slow, again) == [True, False]


def regressed(laboratory, *campaigns):
    """Of each campaign: whether its points are left out of what is learned of noise."""
    found = []
    with unit_of_work(laboratory.sessions) as session:
        for campaign in campaigns:
            rows = session.scalars(
                text("SELECT DISTINCT regressed FROM series_points WHERE campaign_id = :campaign"),
                {"campaign": campaign},
            )
            found += rows.all()
    return found
