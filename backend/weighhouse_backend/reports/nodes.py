"""A document as a tree of elements: made by our own code alone, written as HTML or read by a page.

Every text in it is text, whatever signs it has; there is no way to put HTML into it. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

VOID = frozenset({"br", "hr"})


@dataclass(frozen=True)
class Node:
    """An element."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: tuple["Node | str", ...] = ()


Child = Node | str


def node(tag: str, *children: Child, **attributes: str | float | None) -> Node:
    """An element; `_` in a name of an attribute is `-`, one at its end is left out."""
    named = {
        name.rstrip("_").replace("_", "-"): str(value)
        for name, value in attributes.items()
        if value is not None
    }
    return Node(tag, named, tuple(one for one in children if one != ""))


def html_of(nodes: Iterable[Child]) -> str:
    """Nodes as HTML."""
    return "".join(_html(one) for one in nodes)


def _html(one: Child) -> str:
    if isinstance(one, str):
        return escape(one)
    named = "".join(f' {name}="{escape(value)}"' for name, value in one.attributes.items())
    if one.tag in VOID:
        return f"<{one.tag}{named}>"
    return f"<{one.tag}{named}>{html_of(one.children)}</{one.tag}>"


def as_json(nodes: Sequence[Child]) -> list[Any]:
    """Nodes as the API tells them: a text, or `[tag, attributes, children]`."""
    return [
        one if isinstance(one, str) else [one.tag, one.attributes, as_json(one.children)]
        for one in nodes
    ]


def text_of(one: Child) -> str:
    """All text below a node."""
    return one if isinstance(one, str) else "".join(text_of(child) for child in one.children)
