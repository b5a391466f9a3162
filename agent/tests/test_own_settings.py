"""Which settings beside parameters a machine accepts."""

from pathlib import Path

import pytest
from weighhouse_agent.attempt.own_settings import check_settings
from weighhouse_agent.machine.policy import Policy, PolicyFile, PolicyRefused
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.manifest import load_manifest
from weighhouse_protocol.target import Target
from weighhouse_sdk.registry import discover
from weighhouse_sdk.testkit.attacks import dangers

REDIS = load_manifest(
    Path(__file__).parents[2] / "plugins/redis/weighhouse_plugin_redis/plugin.toml"
)


def target(**settings: Scalar) -> Target:
    named = {name.replace("_", "-"): value for name, value in settings.items()}
    return Target(name="r", system="redis", settings=named)


@pytest.mark.parametrize(
    ("allowed", "settings"),
    [
        (None, {"maxclients": 20_000}),
        ([], {}),
        (["redis:maxclients"], {"maxclients": 20_000}),
        (["listed", "redis:propagation-*"], {"propagation_error_behavior": "panic-on-replicas"}),
    ],
)
def test_what_is_listed_or_named_is_accepted(
    allowed: list[str] | None, settings: dict[str, Scalar]
) -> None:
    policy = Policy() if allowed is None else Policy.model_validate({"settings": allowed})
    check_settings(policy, target(**settings), REDIS)


@pytest.mark.parametrize(
    ("allowed", "settings", "said"),
    [
        (["listed"], {"propagation_error_behavior": "ignore"}, "does not list"),
        (["listed"], {"maxclient": 9}, "did you mean 'maxclients'"),
        ([], {"maxclients": 9}, "settings: none"),
        (["valkey:*"], {"maxclients": 9}, "settings: valkey:"),
        (["listed", "redis:*"], {"loadmodule": "x"}, "never taken"),
        (["listed", "redis:*"], {"maxclients": "9 --dir"}, "single word"),
    ],
)
def test_the_rest_is_refused_and_what_is_dangerous_whatever_the_policy_says(
    allowed: list[str], settings: dict[str, Scalar], said: str
) -> None:
    policy = Policy.model_validate({"settings": allowed})
    with pytest.raises(PolicyRefused) as told:
        check_settings(policy, target(**settings), REDIS)
    assert said in str(told.value)


def test_the_policy_file_says_it_and_a_typing_error_accepts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text('settings = ["listed", "redis:propagation-*"]\n')
    assert PolicyFile(path).read().statement().settings == ("listed", "redis:propagation-*")
    path.write_text('settings = ["all"]\n')
    with pytest.raises(PolicyRefused, match="settings"):
        PolicyFile(path).read()


@pytest.mark.parametrize("system", sorted(discover()[0]))
def test_a_policy_that_allows_everything_allows_nothing_dangerous(system: str) -> None:
    manifest = discover()[0][system].manifest
    policy = Policy.model_validate({"settings": ["listed", f"{system}:*"]})
    for name, _ in () if manifest.settings is None else dangers(manifest.settings):
        asked = Target(
            name="r",
            system=system,
            deployment=manifest.default_deployment,
            settings={name: "x"},
        )
        with pytest.raises(PolicyRefused, match=r"is (never taken|set by the agent|the parameter)"):
            check_settings(policy, asked, manifest)
