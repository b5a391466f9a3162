"""Ready-made experiments: the files of the folder `experiments/`."""

from dataclasses import dataclass
from pathlib import Path

import structlog
from weighhouse_protocol.yaml_document import DocumentError, experiment_from_yaml

from weighhouse_backend.experiments.estimates import campaign_seconds, most_campaign_seconds

STUDY = "study.yaml"
"""A folder that holds one is a published study's."""
FIRST = ("quickstart", "first-look")
"""What a newcomer begins with: a plain comparison, of systems that most machines have."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Template:
    """A file that is a valid experiment."""

    slug: str
    name: str
    description: str
    yaml: str
    """The file's own text, comments included."""
    systems: list[str]
    """What it measures, by its targets, each once."""
    runs: int
    """Of one campaign, at the fewest."""
    most_runs: int
    estimated_seconds: float
    """How long a campaign of the fewest runs takes, before anybody has measured it."""
    most_estimated_seconds: float


def read_templates(folder: Path | None) -> list[Template]:
    """The experiments of a folder and its subfolders: what a newcomer begins with, then the
    quickest first; those of studies are not among them: they are run by their study.

    :param folder: none, or one that is not there, has no templates.
    :returns: a file that is no valid experiment is logged and left out.
    """
    if folder is None or not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        if any((above / STUDY).is_file() for above in path.parents):
            continue
        try:
            text = path.read_text(encoding="utf-8")
            experiment = experiment_from_yaml(text)
        except (DocumentError, UnicodeDecodeError) as error:
            log.warning("template_left_out", file=path.name, error=str(error))
            continue
        found.append(
            Template(
                slug=experiment.slug,
                name=experiment.name,
                description=experiment.description,
                yaml=text,
                systems=list(dict.fromkeys(target.system for target in experiment.targets)),
                runs=experiment.runs_count,
                most_runs=experiment.most_runs_count,
                estimated_seconds=round(campaign_seconds(experiment), 1),
                most_estimated_seconds=round(most_campaign_seconds(experiment), 1),
            )
        )
    return sorted(found, key=_place)


def _place(template: Template) -> tuple[int, float, str]:
    begins = FIRST.index(template.slug) if template.slug in FIRST else len(FIRST)
    return (begins, template.most_estimated_seconds, template.slug)
