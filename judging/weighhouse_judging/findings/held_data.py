"""Whose records were measured, and were they there? A check of a run. Pure."""

from typing import Literal

from weighhouse_protocol.percent import percent

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import RunObservation, Sampled

Part = tuple[Literal["info", "caution", "error"], str]
GRAVITY = ("info", "caution", "error")


def data_found(run: RunObservation) -> Finding | None:
    """What is to be known of records that the run itself did not load, or not alone."""
    parts = [*_sampled(run), *_beside(run), *_shared(run), *_asked_for(run)]
    if not parts:
        return None
    severity = max((one for one, _ in parts), key=GRAVITY.index)
    told = run.sampled
    numbers: dict[str, Number] = {
        "data": run.data,
        "sampled": None if told is None else told.asked,
        "found": None if told is None else told.found,
        "missing": None if told is None else told.missing,
        "misshapen": None if told is None else told.misshapen,
        "failed": None if told is None else told.failed,
        "records_asked": run.records_asked,
        "records_named": run.key_space,
        "held_before": run.held_before,
    }
    return checks.DATA_FOUND.found(severity, " ".join(words for _, words in parts), numbers)


def _sampled(run: RunObservation) -> list[Part]:
    told = run.sampled
    if told is None or not told.asked:
        return []
    if run.fills and not told.failed + told.misshapen:
        there = f"Of {told.asked:,} sampled records {told.found:,} were in the cache before"
        return [("info", f"{there}; reads that miss one fill it in.")]
    whole = f"{run.records_asked:,}" if run.records_asked is not None else "the"
    if told.found + told.misshapen == 0:
        nothing = f"None of {told.asked:,} sampled records, of {whole}, could be read"
        return [("error", f"{nothing}: what was measured is answers about nothing.{_words(told)}")]
    said: list[Part] = []
    if lacking := told.missing + told.failed:
        share = percent(lacking / told.asked)
        words = f"{lacking:,} of {told.asked:,} sampled records, of {whole}, were not there"
        said.append(("caution", f"{words} ({share}).{_words(told)}"))
    if told.misshapen:
        words = (
            f"{told.misshapen:,} of {told.asked:,} sampled records have not the workload's shape"
        )
        said.append(("caution", f"{words}: other fields, or other lengths."))
    if run.data == "keep":
        there = (
            "Nothing was loaded: the records were there before. "
            f"{told.found:,} of {told.asked:,} in a sample were found, with the fields and "
            "lengths of the workload; who wrote them, and what else is there, is not known."
        )
        said.append(("info", there))
    return said


def _words(told: Sampled) -> str:
    if not told.failed:
        return ""
    return f" {told.failed:,} reads failed" + (f": “{told.words}”" if told.words else ".")


def _beside(run: RunObservation) -> list[Part]:
    if not run.held_before:
        return []
    words = (
        f"The system held {run.held_before:,} records before the campaign's first load; the "
        "workload's were loaded beside them, or over those of the same keys."
    )
    return [("caution", words)]


def _shared(run: RunObservation) -> list[Part]:
    if run.data != "once":
        return []
    if run.writes:
        words = (
            "Runs of the campaign go on with one load, whose records the workload's writes change"
        )
        return [("caution", f"{words}: later repeats measure other data than the first.")]
    return [("info", "Runs of the campaign share one load; the workload only reads it.")]


def _asked_for(run: RunObservation) -> list[Part]:
    """A slice of the key space is loaded and asked for."""
    asked, named = run.records_asked, run.key_space
    if run.fills or asked is None or named is None or asked >= named:
        return []
    words = (
        f"The workload asks for keys of {asked:,} of its {named:,} records alone "
        f"({percent(asked / named)}): insert_start and insert_count say so. Caches see no more."
    )
    return [("caution", words)]
