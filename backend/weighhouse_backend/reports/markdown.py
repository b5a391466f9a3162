"""A report's text as a tree: Markdown (CommonMark, with tables), in which references are replaced.

HTML in it stays text, a picture is its description, and a link leads to a page of the web or to
nowhere. Pure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from weighhouse_backend.reports.nodes import Child, Node, node
from weighhouse_backend.reports.references import MARK

REFERENCE = "report_reference"
SCHEMES = ("https://", "http://", "mailto:")
BELOW_TITLE = 2
"""Where a text's highest headings stand: the report's title is the page's only h1."""
LOWEST = 6


def _reference(state: StateInline, silent: bool) -> bool:
    found = MARK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push(REFERENCE, "", 0).content = found[1].strip()
    state.pos = found.end()
    return True


def _made() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.inline.ruler.before("emphasis", REFERENCE, _reference)
    # A text ends at signs that may begin something; `{` is one of them here.
    made.inline.ruler.at("text", _text)
    return made


_ENDS = frozenset("\n!#$%&*+-:<=>@[\\]^_`{}~")


def _text(state: StateInline, silent: bool) -> bool:
    at = state.pos
    while at < state.posMax and state.src[at] not in _ENDS:
        at += 1
    if at == state.pos:
        return False
    if not silent:
        state.pending += state.src[state.pos : at]
    state.pos = at
    return True


PARSER = _made()


@dataclass(frozen=True)
class Drawn:
    """How references are drawn: where they stand alone in a paragraph, and within a line."""

    alone: Callable[[str], Sequence[Child]]
    within: Callable[[str], Sequence[Child]]


@dataclass
class _Open:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Child] = field(default_factory=list)


def tree(text: str, drawn: Drawn) -> list[Child]:
    """The nodes of a text; its highest headings are h2, whichever they are written as."""
    tokens = PARSER.parse(text)
    headings = [one for one in tokens if one.type in {"heading_open", "heading_close"}]
    highest = min((int(one.tag[1:]) for one in headings), default=BELOW_TITLE)
    for one in headings:
        one.tag = f"h{min(int(one.tag[1:]) - highest + BELOW_TITLE, LOWEST)}"
    return _built(tokens, drawn)


def _built(tokens: Sequence[Token], drawn: Drawn) -> list[Child]:
    stack = [_Open("")]
    for at, token in enumerate(tokens):
        if token.type == "inline":
            named = _alone(token)
            if named is not None and tokens[at - 1].type == "paragraph_open":
                stack[-1].tag = "div"
                stack[-1].attributes = {"class": "reference"}
                stack[-1].children += drawn.alone(named)
            else:
                stack[-1].children += _built(token.children or (), drawn)
        elif token.nesting == 1:
            opened = _Open("" if token.hidden else token.tag)
            opened.attributes = _attributes(token)
            stack.append(opened)
        elif token.nesting == -1:
            closed = stack.pop()
            if closed.tag == "" and closed.attributes == {}:
                stack[-1].children += closed.children
            else:
                made = Node(closed.tag or "div", closed.attributes, tuple(closed.children))
                stack[-1].children.append(made)
        else:
            stack[-1].children += _leaf(token, drawn)
    return stack[0].children


def _alone(token: Token) -> str | None:
    children = token.children or ()
    if len(children) == 1 and children[0].type == REFERENCE:
        return children[0].content
    return None


def _leaf(token: Token, drawn: Drawn) -> Sequence[Child]:
    if token.type == REFERENCE:
        return drawn.within(token.content)
    leaves: dict[str, Child] = {
        "softbreak": " ",
        "hardbreak": node("br"),
        "hr": node("hr"),
        "fence": node("pre", token.content.rstrip("\n")),
        "code_block": node("pre", token.content.rstrip("\n")),
        "code_inline": node("code", token.content),
        "image": f"[picture: {token.content or 'without a description'}]",
    }
    return (leaves.get(token.type, token.content),)


def _attributes(token: Token) -> dict[str, str]:
    if token.tag == "a":
        href = str(token.attrGet("href") or "")
        if href.lower().startswith(SCHEMES):
            return {"href": href, "rel": "noopener noreferrer nofollow"}
        return {"class": "no-link"}
    if token.tag == "ol" and isinstance(token.attrGet("start"), int):
        return {"start": str(token.attrGet("start"))}
    return {}
