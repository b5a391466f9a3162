"""What others published, as a source of a report: never beside ours as if it were. Pure."""

from collections.abc import Sequence

from weighhouse_judging.claims.expressions import NotAnExpression, judge_claim, read_expression
from weighhouse_judging.claims.text import STATISTIC_WORDS, Text, label_of
from weighhouse_judging.studies.claims import VERDICT_WORDS, ClaimVerdict
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import ALL, PublishedFigure

from weighhouse_backend.reports.claims import in_words
from weighhouse_backend.reports.items import Claimed, Item, Note, Table, Texts, Withdrawn
from weighhouse_backend.reports.shelves import Offer, Shelf, note_id
from weighhouse_backend.sources.schemas import PublishedSourceRead

MOST_ROWS = 200
NOT_OURS = "Published by others, not measured here"
NOT_TOLD = "not told"
HOLDS = "holds as printed; not measured here"


def published_shelf(read: PublishedSourceRead) -> Shelf:
    """Figures as they are printed, who printed them, and claims over them."""
    source = read.source
    labels = {one.name: one.label or one.system or one.name for one in read.results.sides}
    text = Text(read.results, names=labels)
    known = _notes(read)
    notes = tuple(known)

    def who(_: Sequence[str]) -> Item:
        told = (
            ("Published", source.title), ("By", source.authors), ("Date", source.date),
            ("Paid for by", source.sponsor), ("Machines", source.machines),
            ("Licence", source.licence), ("Address", source.address),
        )  # fmt: skip
        return Texts(texts=tuple((name, said or NOT_TOLD) for name, said in told), notes=notes)

    def figures(_: Sequence[str]) -> Item:
        rows = [_row(cell, one, labels) for cell in read.results.cells for one in cell.figures]
        more = f", the first {MOST_ROWS:,} of {len(rows):,}" if len(rows) > MOST_ROWS else ""
        return Table(
            caption=f"{source.title}: figures as printed{more}. {NOT_OURS}",
            columns=("Side", "Workload, load", "Figure", "Printed", "Place"),
            rows=tuple(rows[:MOST_ROWS]), notes=notes,
        )  # fmt: skip

    def claim(line: str) -> Item:
        try:
            found = judge_claim(read_expression(line), text.figures, of_print=True)
        except NotAnExpression as error:
            return Withdrawn(reason=f"this is no claim that can be held: {error}")
        if found.truth == "missing":
            return Withdrawn(reason=f"{found.words}: {source.title} does not tell it")
        said, why = in_words(line, labels), f"{source.title}: {found.words}."
        if found.truth == "holds":
            return Claimed(says=said, verdict="not_measured", words=HOLDS, why=why, notes=notes)
        verdict: ClaimVerdict = (
            "cannot_be_true_as_printed" if found.truth == "fails" else "cannot_tell"
        )
        return Claimed(says=said, verdict=verdict, words=VERDICT_WORDS[verdict], why=why,
                       notes=notes)  # fmt: skip

    return Shelf(
        label=f"{source.title} ({NOT_OURS.lower()})",
        claim=claim,
        gives={"source": who, "figures": figures},
        offers=(
            Offer("source", (), f"Who published it: {source.title}"),
            Offer("figures", (), f"Table: figures as printed, {source.title}"),
        ),
        notes=known,
    )


def _row(
    cell: PublishedCell, one: PublishedFigure, labels: dict[str, str]
) -> tuple[str, str, str, str, str]:
    found = CATALOGUE.find(one.figure)
    how = STATISTIC_WORDS.get(one.statistic, "")
    operation = "" if one.operation == ALL else f"{one.operation} "
    name = f"{operation}{found.label if found else one.figure}{', ' if how else ''}{how}"
    where = ", ".join(part for part in (cell.workload, label_of(cell.load)) if part)
    place = one.place or NOT_TOLD
    return labels[cell.side], where or NOT_TOLD, name, one.printed or NOT_TOLD, place


def _notes(read: PublishedSourceRead) -> dict[str, Note]:
    """That it is not ours, and what checks have to say of its figures."""
    said = [(f"{NOT_OURS}: {read.source.title}", " ".join(
        part for part in (read.no_verdict, read.source.disclaimer) if part
    ))]  # fmt: skip
    said += [(one.title, one.message) for one in read.findings]
    return {
        note_id(title, text): Note(title=title, text=text, severity="caution")
        for title, text in said
    }
