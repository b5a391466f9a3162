"""What people write becomes text, whatever it is; references stand where they were written."""

import pytest
from weighhouse_backend.reports import charts
from weighhouse_backend.reports.documents import document
from weighhouse_backend.reports.items import Chart, Content, Line, Panel, Point, Resolved, Words
from weighhouse_backend.reports.nodes import html_of, text_of
from weighhouse_backend.reports.references import read, wanted
from weighhouse_backend.reports.sheets import page


def drawn(text, **items):
    content = Content(title="T", text=text, about=(), resolved=Resolved(items=items, notes={}))
    return html_of(document(content))


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("a <b onclick=x>c</b>", "<b "),
        ("![p](https://elsewhere.test/p.png)", "<img"),
        ("[x](javascript:alert(1))", 'href="javascript'),
        ("[x](data:text/html,x)", 'href="data'),
        ("[x][y]\n\n[y]: vbscript:x", 'href="vbscript'),
        ("</body></html>", "</body>"),
    ],
)
def test_html_pictures_and_programs_are_text(text, never):
    assert never not in drawn(text)


def test_a_title_ends_no_style():
    made = page("</style><script>x", [])
    assert "<script" not in made
    assert made.count("</style>") == 1


def test_references_stand_in_sentences_tables_and_alone():
    item = {"a.throughput(x; y; 8 clients, pipeline 4)": Words(words="202/s")}
    mark = f"{{{{{next(iter(item))}}}}}"
    assert 'is <span class="figure">202/s</span>.' in drawn(f"It is {mark}.", **item)
    assert drawn(f"|a|\n|-|\n|{mark}|", **item).count("202/s") == 1
    assert "202/s" in drawn(mark, **item)
    assert "202/s" not in drawn(f"`{mark}`", **item), "code shows how one refers"


def test_a_reference_is_read_with_the_commas_of_loads():
    found = read("a.p99_us(redis; balanced; 8 clients, pipeline 4)")
    assert found.parts == ("redis", "balanced", "8 clients, pipeline 4")
    assert str(found) == "a.p99_us(redis; balanced; 8 clients, pipeline 4)"
    assert read("a b c") is None
    assert read("<script>") is None
    assert wanted("{{a.b}} {{ a.b }} {{c.d(1)}}") == ["a.b", "c.d(1)"]


@pytest.mark.parametrize("places", [("8 clients",), ("1", "2", "3")])
def test_a_chart_shows_every_value_with_its_interval(places):
    points = tuple(
        Point(at=at, value=100.0 * 40**at, low=90.0, high=120.0 * 40**at, words=f"{at} words")
        for at in range(len(places))
    )
    line = Line(label="A <side>", colour="#123456", mark="◆", points=points)
    chart = Chart(caption="C", unit="µs", places=places,
                  panels=(Panel(title="w", lines=(line,)),))  # fmt: skip
    made = charts.drawing(chart)
    html = html_of([made])
    assert html.count('class="whisker"') == len(places)
    assert "A &lt;side&gt;" in html
    assert text_of(made).count("words") == len(places)
