"""Reads documents, and says of one what the platform thinks of it before it is saved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.names import target_names, twins
from weighhouse_protocol.configuration.grammars import ConfigurationRefused
from weighhouse_protocol.configuration.translation import TargetFromFile, system_of, target_from
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target
from weighhouse_protocol.yaml_document import (
    DocumentError,
    experiment_from_yaml,
    experiment_to_yaml,
    load_yaml,
    parse_experiment,
    targets_in,
)

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.disclosure.service import Disclosed, DisclosureService
from weighhouse_backend.experiments.comparability import draft_fairness, warnings
from weighhouse_backend.experiments.content import stored_form
from weighhouse_backend.experiments.errors import (
    ConfigurationNotRead,
    ExperimentInvalid,
    field_problems,
)
from weighhouse_backend.experiments.estimates import (
    again_seconds,
    campaign_seconds,
    driver_bytes,
    loaded_bytes,
    most_campaign_seconds,
)
from weighhouse_backend.experiments.external_effects import external_effects
from weighhouse_backend.experiments.fairness_schemas import DraftFairnessRead
from weighhouse_backend.experiments.manifest_checks import check, with_addresses_kept
from weighhouse_backend.experiments.placement_checks import check_placement
from weighhouse_backend.experiments.property_files import (
    PropertyFile,
    WorkloadFromFile,
    workload_from,
)
from weighhouse_backend.experiments.schemas import (
    ComparabilityRead,
    ConfigurationFile,
    DocumentSource,
    PlanRead,
    TargetNamed,
    ValidationRead,
)

MOST_RUNS = 10_000
"""Of one campaign."""


@dataclass(frozen=True)
class ValidationService:
    """Checks documents against their form and against the catalog's manifests."""

    catalog: CatalogService

    def read(self, source: DocumentSource, project_id: UUID) -> Experiment:
        """The experiment of a body, for a project, its addresses in the form that is kept.

        :raises ExperimentInvalid: naming everything that is wrong with its form, or with what it
            asks of its systems.
        """
        try:
            experiment = _parsed(source)
        except DocumentError as error:
            raise ExperimentInvalid.of(error.errors) from error
        kept = with_addresses_kept(experiment, self.catalog.manifests([project_id]))
        self.require_possible(kept, project_id)
        return kept

    def require_possible(self, experiment: Experiment, project_id: UUID) -> None:
        """:raises ExperimentInvalid: when a system is unknown or cannot do what is asked."""
        errors = _errors(experiment, self.catalog.manifests([project_id]))
        if errors:
            raise ExperimentInvalid.of(errors)

    def digests(self, project_id: UUID) -> dict[str, str]:
        """Plugin → digest of the manifest by which a project's experiments are checked now."""
        entries = self.catalog.of([project_id]).entries
        return {plugin_id: entry.digest for plugin_id, entry in entries.items()}

    def target_from(
        self, source: ConfigurationFile, project_ids: Collection[UUID]
    ) -> TargetFromFile:
        """What a configuration file comes to.

        :param project_ids: whose agents' manifests say what its lines mean.
        :raises ConfigurationNotRead: naming each line that cannot be read.
        """
        try:
            manifest = system_of(source.file, self.catalog.manifests(project_ids), source.system)
            return target_from(source.text, manifest, source.file)
        except ConfigurationRefused as error:
            raise ConfigurationNotRead.of(error) from error

    def workload_from(
        self, source: PropertyFile, project_ids: Collection[UUID]
    ) -> WorkloadFromFile:
        """What a property file of YCSB's comes to; raises nothing, however wrong it is.

        :param project_ids: whose agents' manifests say what options of bindings become.
        """
        return workload_from(source, self.catalog.manifests(project_ids))

    def validate(self, source: DocumentSource, project_ids: Collection[UUID]) -> ValidationRead:
        """Everything there is to say of a document; raises nothing, however wrong it is.

        :param project_ids: whose agents' manifests it is checked against.
        """
        try:
            experiment = _parsed(source)
        except DocumentError as error:
            return ValidationRead(
                valid=False,
                errors=field_problems(error.errors),
                plan=None,
                comparability=[],
                targets=_named(_targets(source), self.catalog.manifests(project_ids)),
                document=None,
                yaml=None,
                disclosure=None,
            )
        manifests = self.catalog.manifests(project_ids)
        experiment = with_addresses_kept(experiment, manifests)
        errors = _errors(experiment, manifests)
        return ValidationRead(
            valid=not errors,
            errors=field_problems(errors),
            plan=PlanRead(
                runs=experiment.runs_count,
                most_runs=experiment.most_runs_count,
                cells=experiment.cells_count,
                estimated_seconds=round(campaign_seconds(experiment), 1),
                most_estimated_seconds=round(most_campaign_seconds(experiment), 1),
                again_runs=experiment.again_runs_count,
                again_estimated_seconds=round(again_seconds(experiment), 1),
                loaded_bytes=max(map(loaded_bytes, experiment.workloads)),
                driver_bytes=driver_bytes(experiment),
                external=list(external_effects(experiment)),
            ),
            comparability=[
                ComparabilityRead(
                    aspect=warning.aspect, message=warning.message, targets=list(warning.targets)
                )
                for warning in warnings(experiment, manifests)
            ],
            targets=_named(experiment.targets, manifests),
            document=stored_form(experiment),
            yaml=experiment_to_yaml(experiment),
            disclosure=DisclosureService(self.catalog).sheet(
                [Disclosed(Leaving(one, experiment)) for one in sorted(project_ids)[:1]]
            ),
        )

    def fairness(self, source: DocumentSource, project_ids: Collection[UUID]) -> DraftFairnessRead:
        """The fairness sheet of a document, and how its sides become equal; nothing is saved.

        What a plugin does not allow is no hindrance: it is `validate` that says it.

        :param project_ids: whose agents' manifests translate it.
        :raises ExperimentInvalid: when it cannot be read at all.
        """
        try:
            experiment = _parsed(source)
        except DocumentError as error:
            raise ExperimentInvalid.of(error.errors) from error
        return draft_fairness(experiment, self.catalog.manifests(project_ids))


def _errors(experiment: Experiment, manifests: Mapping[str, Manifest]) -> list[FieldError]:
    errors = [*check(experiment, manifests), *check_placement(experiment, manifests)]
    if experiment.most_runs_count > MOST_RUNS:
        errors.append(
            FieldError(
                path="",
                message=f"a campaign would have up to {experiment.most_runs_count:,} runs",
                expected=f"at most {MOST_RUNS:,}: targets × workloads × load levels × repetitions",
            )
        )
    return errors


def _named(targets: Sequence[Target], manifests: Mapping[str, Manifest]) -> list[TargetNamed]:
    called, same = target_names(targets, manifests), twins(targets, manifests)
    return [
        TargetNamed(name=one.name, label=called[one.name], twin_of=same.get(one.name))
        for one in targets
    ]


def _targets(source: DocumentSource) -> tuple[Target, ...]:
    """What can be read of a document that is wrong elsewhere: while it is written, mostly."""
    try:
        return targets_in(
            load_yaml(source.yaml) if source.yaml is not None else source.document or {}
        )
    except DocumentError:
        return ()


def _parsed(source: DocumentSource) -> Experiment:
    if source.yaml is not None:
        return experiment_from_yaml(source.yaml)
    return parse_experiment(source.document or {})
