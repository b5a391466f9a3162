"""How figures and names stand in reports."""

from weighhouse_backend.reports.documents import document
from weighhouse_backend.reports.items import Content, Resolved, Table
from weighhouse_backend.reports.nodes import html_of
from weighhouse_backend.reports.quantities import figure_words, interval_words


def test_sizes_and_flows_are_in_the_unit_that_suits_them():
    assert figure_words(64 * 2**20, "memory_after_bytes") == "64 MiB"
    assert figure_words(3 * 2**30, "bytes_per_second") == "3 GiB/s"
    assert figure_words(-1536, "memory_after_bytes") == "-1.5 KiB"
    said = interval_words(2**20, 2**19, 2**21, "memory_after_bytes")
    assert said == "1 MiB (512 KiB to 2 MiB)"


def test_other_figures_stay_in_their_own():
    assert interval_words(17158, 16900, 17400, "throughput") == "17,158/s (16,900 to 17,400)"


def test_names_in_backticks_are_set_as_code():
    table = Table(caption="What is set", columns=("Setting",), rows=(("`appendonly` is <on>",),))
    resolved = Resolved(items={"a.b": table}, notes={}, stamps=())
    content = Content(title="Ours", text="{{a.b}}", about=(), resolved=resolved)
    told = html_of(document(content))
    assert "<code>appendonly</code> is &lt;on&gt;" in told
    assert "`" not in told
