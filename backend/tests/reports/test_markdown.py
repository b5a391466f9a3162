"""What people write becomes text, whatever it is; references stand where they were written."""

import re

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


def test_panels_of_a_chart_have_one_scale_and_no_interval_hides_another():
    def line(label, *values):
        points = tuple(
            Point(at=at, value=value, low=value, high=value, words=f"{value}")
            for at, value in enumerate(values)
        )
        return Line(label=label, colour="#123456", mark="●", points=points)

    small = Panel(title="small", lines=(line("a", 10.0, 12.0), line("b", 10.0, 12.0)))
    large = Panel(title="large", lines=(line("a", 10.0, 9000.0),))
    places = ("1 client", "8 clients")
    chart = Chart(caption="C", unit="µs", places=places, panels=(small, large))
    html = html_of([charts.drawing(chart)])
    marks = [re.findall(r'c[xy]="([0-9.]+)"', one) for one in re.findall("<circle[^>]*>", html)]
    key, drawn = marks[:2], marks[2:]
    assert len(key) == 2
    (left_a, y_a), (left_b, y_b), (_, y_large) = drawn[0], drawn[2], drawn[4]
    assert y_a == y_b == y_large, "10 µs stands at one height, whichever panel it is in"
    assert float(left_b) - float(left_a) == charts.APART
    assert html.count(">10k<") == 2
