"""The charts: linted, held against Kubernetes' own schemas, and what every pod of them promises."""

import functools
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from weighhouse_agent.machine.policy import Policy
from weighhouse_backend.kit.settings import Settings
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.pod_security import beyond_baseline, beyond_restricted, containers

REPOSITORY = Path(__file__).resolve().parents[2]
CHARTS = REPOSITORY / "infra" / "helm"
PLATFORM, AGENTS = CHARTS / "weighhouse", CHARTS / "weighhouse-agents"
FILES = sorted(CHARTS.glob("*/ci/*-values.yaml"))
VERSIONS = ("1.27", "1.37")
"""The oldest Kubernetes that the charts say they run on, and the newest whose schemas are here."""
BESIDE_SETTINGS = {
    "WEIGHHOUSE_ADMIN_EMAIL", "WEIGHHOUSE_ADMIN_PASSWORD", "WEIGHHOUSE_OWNER_DATABASE_URL",
    "WEIGHHOUSE_WORKERS",
}  # fmt: skip
FRACTION = "{url: http://w, pools: [{name: a, roles: [driver], processors: 1.5, memory: 1Gi}]}"
SECRET = ("PASSWORD", "KEY", "TOKEN")
Document = dict[str, Any]
Render = Callable[..., list[Document]]


@pytest.fixture
def helm(request: pytest.FixtureRequest) -> Path:
    return at_hand.server(
        request, "helm", "WEIGHHOUSE_HELM", "infra/build/helm.sh builds it with Go"
    )


def ran(helm: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    verb, *rest = words
    command = [helm, verb, "--kube-version", f"{VERSIONS[-1]}.0", *rest]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def render(helm: Path) -> Render:
    return functools.partial(rendered, helm)


def rendered(helm: Path, chart: Path, values: Path) -> list[Document]:
    done = ran(helm, "template", "-f", values, "weighhouse", chart)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def pods(documents: list[Document]) -> Iterator[tuple[str, Document, Document]]:
    """Each pod's kind and name, its metadata, and its specification."""
    for each in documents:
        name = f"{each['kind']} {each['metadata']['name']}"
        if each["kind"] == "Pod":
            yield name, each["metadata"], each["spec"]
        elif "template" in each.get("spec", {}):
            template = each["spec"]["template"]
            yield name, template["metadata"], template["spec"]


@pytest.mark.parametrize("values", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_chart_is_linted_and_is_what_the_api_knows(
    helm: Path, render: Render, values: Path
) -> None:
    chart = values.parents[1]
    linted = ran(helm, "lint", "--strict", "-f", values, chart)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    documents = render(chart, values)
    assert documents
    for version in VERSIONS:
        for each in documents:
            kubernetes_validate.validate(each, version, strict=True)


def test_the_schemas_know_a_word_that_they_do_not_have(render: Render) -> None:
    (one,) = (
        each for each in render(PLATFORM, PLATFORM / "ci/bundled-values.yaml")
        if each["metadata"]["name"] == "weighhouse-backend" and each["kind"] == "Deployment"
    )  # fmt: skip
    one["spec"]["template"]["spec"]["containers"][0]["livenessProb"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(one, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("values", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_pod_has_few_rights(render: Render, values: Path) -> None:
    for name, _, spec in pods(render(values.parents[1], values)):
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for each in containers(spec):
            place, rights = f"{name}: {each['name']}", each["securityContext"]
            assert rights["readOnlyRootFilesystem"] is True, place
            assert rights["allowPrivilegeEscalation"] is False, place
            assert rights["capabilities"]["drop"] == ["ALL"], place
            assert each["resources"]["requests"].keys() >= {"cpu", "memory"}, place
            assert "memory" in each["resources"]["limits"], place
            # One container of all is root: it gives a folder of the node's away, and ends.
            assert (rights.get("runAsUser") == 0) == (each["name"] == "own-home"), place
        for volume in spec.get("volumes", ()):
            mounts = [
                mount for each in containers(spec) for mount in each["volumeMounts"]
                if mount["name"] == volume["name"]
            ]  # fmt: skip
            if "hostPath" in volume and volume["name"] != "home":
                assert all(mount["readOnly"] for mount in mounts), f"{name}: {volume}"


@pytest.mark.parametrize("values", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_namespace_may_enforce_what_the_page_says(render: Render, values: Path) -> None:
    """`restricted`, but where the pod is asked to look at its node, or to leave something on it."""
    own = yaml.safe_load((values.parents[1] / "values.yaml").read_text("utf-8"))
    given = own | yaml.safe_load(values.read_text("utf-8"))
    for name, _, spec in pods(render(values.parents[1], values)):
        of_node = {volume["name"] for volume in spec.get("volumes", ()) if "hostPath" in volume}
        wanted = set()
        if values.parents[1] == AGENTS:
            (pool,) = (each for each in given["pools"] if name.endswith(f"-{each['name']}"))
            if given.get("nodeFacts", True):
                wanted |= {"node-sys", "node-machine-id", "node-os-release"}
            if pool.get("home", {}).get("kind", "node") == "node":
                wanted.add("home")
        assert of_node == wanted, name
        if not of_node and not given.get("hostNetwork"):
            assert list(beyond_restricted(spec)) == [], name
        assert set(beyond_baseline(spec)) == {
            *(f"hostPath {each}" for each in wanted),
            *(["hostNetwork"] if given.get("hostNetwork") else []),
        }, name


@pytest.mark.parametrize("values", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_no_secret_stands_in_a_manifest_and_every_variable_is_known(
    render: Render, values: Path
) -> None:
    documents = render(values.parents[1], values)
    assert not [each for each in documents if each["kind"] == "Secret"]
    known = {f"WEIGHHOUSE_{name.upper()}" for name in Settings.model_fields} | BESIDE_SETTINGS
    for name, _, spec in pods(documents):
        for each in containers(spec):
            before: set[str] = set()
            for variable in each.get("env", ()):
                key = variable["name"]
                if key.endswith(SECRET):
                    assert "secretKeyRef" in variable["valueFrom"], f"{name}: {key}"
                if values.parents[1] == PLATFORM and key.startswith("WEIGHHOUSE_"):
                    assert key in known, f"{name}: {key}"
                named = variable.get("value", "").partition("$(")[2].partition(")")[0]
                assert not named or named in before, f"{name}: {key} names {named}"
                before.add(key)


@pytest.mark.parametrize("values", sorted(PLATFORM.glob("ci/*")), ids=lambda path: path.stem)
def test_nobody_but_the_platform_meets_its_stores(render: Render, values: Path) -> None:
    documents = render(PLATFORM, values)
    walls = {
        each["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: each["spec"]
        for each in documents if each["kind"] == "NetworkPolicy"
    }  # fmt: skip
    running = {
        metadata["labels"]["app.kubernetes.io/component"] for _, metadata, _ in pods(documents)
    }
    assert walls.keys() == running - {"test"}
    for store in running & {"postgres", "redis"}:
        assert walls[store]["egress"] == []
        (entry,) = walls[store]["ingress"]
        (peer,) = entry["from"]
        (expression,) = peer["podSelector"]["matchExpressions"]
        assert set(expression["values"]) == {"backend", "worker", "beat", "migrate"}


def test_a_platform_that_runs_long_is_probed(render: Render) -> None:
    for name, _, spec in pods(render(PLATFORM, PLATFORM / "ci/bundled-values.yaml")):
        if name.startswith(("Deployment", "StatefulSet")) and not name.endswith("beat"):
            assert "livenessProbe" in spec["containers"][0], name


@pytest.mark.parametrize("values", sorted(AGENTS.glob("ci/*")), ids=lambda path: path.stem)
def test_agents_have_what_they_ask_for_and_tell_of_their_node(render: Render, values: Path) -> None:
    given = yaml.safe_load(values.read_text("utf-8"))
    for name, metadata, spec in pods(render(AGENTS, values)):
        for each in containers(spec):
            assert each["resources"]["requests"] == each["resources"]["limits"], name
            assert each["resources"]["requests"]["cpu"].isdecimal(), name
        told = {each["name"]: each for each in spec["containers"][0]["env"]}
        node = told["WEIGHHOUSE_NODE_NAME"]["valueFrom"]["fieldRef"]
        assert node == {"fieldPath": "spec.nodeName"}
        roles = {label for label in metadata["labels"] if label in {
            "weighhouse/driver", "weighhouse/server"}}  # fmt: skip
        assert roles == {
            f"weighhouse/{role}" for role in told["WEIGHHOUSE_AGENT_ROLES"]["value"].split()
        }
        assert ("WEIGHHOUSE_NODE_ROOT" in told) == given.get("nodeFacts", True)
        apart = spec.get("affinity", {}).get("podAntiAffinity", {})
        labels = [
            each["labelSelector"]["matchLabels"]
            for each in apart.get("requiredDuringSchedulingIgnoredDuringExecution", ())
        ]
        if not given.get("sharedNodes"):
            # Whatever their pools: servers and drivers are agents of one release.
            assert [set(each) for each in labels] == [
                {"app.kubernetes.io/name", "app.kubernetes.io/instance"}
            ], name


@pytest.mark.parametrize("values", sorted(AGENTS.glob("ci/*")), ids=lambda path: path.stem)
def test_an_agents_directory_is_its_own(render: Render, values: Path) -> None:
    """A volume's folder is root's, as the kubelet makes it; an agent opens and closes its own."""
    for name, _, spec in pods(render(AGENTS, values)):
        (agent,) = spec["containers"]
        told = {each["name"]: each.get("value") for each in agent["env"]}
        home = Path(told.get("WEIGHHOUSE_AGENT_HOME") or "/var/lib/weighhouse/agent")
        (mount,) = (each for each in agent["volumeMounts"] if each["name"] == "home")
        given = [each["command"] for each in spec.get("initContainers", ())]
        if given:
            assert given == [["chown", "999:999", str(home)]], name
            assert home == Path(mount["mountPath"]), name
        else:
            assert Path(mount["mountPath"]) in home.parents, name


@pytest.mark.parametrize("values", sorted(AGENTS.glob("ci/*")), ids=lambda path: path.stem)
def test_agents_understand_the_policy_that_the_chart_writes(render: Render, values: Path) -> None:
    documents = [each for each in render(AGENTS, values) if each["kind"] == "ConfigMap"]
    assert documents
    for each in documents:
        text = each["data"]["policy.toml"].replace("@ADDRESS@", "10.42.0.9")
        policy = Policy.model_validate(tomllib.loads(text))
        assert "127.0.0.0/8" in policy.statement().networks
        if "podNetworks" in values.read_text("utf-8"):
            assert policy.statement().address == "10.42.0.9"
            assert "10.42.0.0/16" in policy.statement().networks


@pytest.mark.parametrize(
    ("chart", "values", "words"),
    [
        (PLATFORM, "datbase: {bundled: false}", "datbase"),
        (PLATFORM, "database: {bundled: false}", "host"),
        (PLATFORM, "backend: {replicas: 3}", "ReadWriteMany"),
        (PLATFORM, "settings: {PATH: /bin}", "PATH"),
        (AGENTS, "pools: []", "pools"),
        (AGENTS, "url: ''", "url"),
        (AGENTS, FRACTION, "processors"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_name(
    helm: Path, tmp_path: Path, chart: Path, values: str, words: str
) -> None:
    (tmp_path / "values.yaml").write_text(values, "utf-8")
    done = ran(helm, "template", "-f", tmp_path / "values.yaml", "weighhouse", chart)
    assert done.returncode != 0
    assert words in done.stderr


def test_charts_are_of_the_release() -> None:
    release = tomllib.loads((REPOSITORY / "cli/pyproject.toml").read_text("utf-8"))["project"]
    for chart in (PLATFORM, AGENTS):
        told = yaml.safe_load((chart / "Chart.yaml").read_text("utf-8"))
        assert told["version"] == told["appVersion"] == release["version"]
