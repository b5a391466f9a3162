"""Ready-made experiments, as they are offered to whoever begins one."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "experiments"


def test_templates_are_the_files_of_the_folder(client, ours, settings) -> None:
    client.app.state.settings = settings.model_copy(update={"experiments_dir": FOLDER})

    found = client.get("/api/v1/experiment-templates", headers=ours).json()

    quickstart = next(one for one in found if one["slug"] == "quickstart")
    assert quickstart["yaml"].startswith("#"), "the file's own text"
    of_studies = list((FOLDER / "studies").rglob("*.yaml"))
    assert of_studies, "run by their study, and no templates"
    assert len(found) == len(list(FOLDER.rglob("*.yaml"))) - len(of_studies)


def test_templates_say_what_they_ask_for_a_newcomers_first_then_the_quickest(
    client, ours, settings
) -> None:
    client.app.state.settings = settings.model_copy(update={"experiments_dir": FOLDER})

    found = client.get("/api/v1/experiment-templates", headers=ours).json()

    assert [one["slug"] for one in found[:2]] == ["quickstart", "first-look"]
    lengths = [one["most_estimated_seconds"] for one in found[2:]]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]
    quickstart = found[0]
    assert quickstart["systems"] == ["redis", "memcached", "rocksdb"]
    asked = client.post(
        "/api/v1/experiments/validate", json={"yaml": quickstart["yaml"]}, headers=ours
    ).json()["plan"]
    told = ("runs", "most_runs", "estimated_seconds", "most_estimated_seconds")
    assert [quickstart[one] for one in told] == [asked[one] for one in told]
