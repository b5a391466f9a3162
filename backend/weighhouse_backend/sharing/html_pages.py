"""Pages for readers and programs that run no scripts: the front page, embeds, and the head of a
public page. Every text in them is text, whatever signs it has. Pure.
"""

import datetime
import json
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.sharing.schemas import PublicRead

DESCRIPTION = re.compile(r'<meta\s+name="description"[^>]*>')
TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem;"
    "color:#1b1b1b;background:#fff;overflow-wrap:anywhere}svg,img{max-width:100%;height:auto}"
    "h1{font-size:1.4rem}h2{font-size:1.1rem}.about{color:#555;font-size:.9rem}a{color:#0b5fa5}"
    "li{margin:.4rem 0}.bar{font-weight:600}.picture{overflow-x:auto}.picture svg{min-width:38rem;"
    "background:#fff}@media (prefers-color-scheme:dark){body{color:#e6ece8;background:#141a17}"
    ".about{color:#aab5ae}a{color:#7ab8f0}}"
)
LEAD = (
    "What was weighed here and is shown to everybody. Each page has the figures with their "
    "intervals, and all that has to be known beside them."
)


def _page(title: str, body: str, head: str = "") -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{head}<style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def front_page(
    address: str,
    found: Sequence[PublicRead],
    studies: Sequence[tuple[str, str]],
    said: str = "",
    refused: str = "",
) -> str:
    """What is public on this installation.

    :param studies: title and reference of the published studies that it can repeat.
    :param said: what it was searched for; empty: it shows all.
    :param refused: why it was not searched.
    """
    items = "".join(
        f'<li><a href="{escape(one.url)}">{escape(one.title)}</a> <span class="about">'
        f"{escape(one.organization)}, {one.shared_at:%Y-%m-%d}</span></li>"
        for one in found
    )
    nothing = refused or (f"Nothing public has “{said}” in its title." if said else "Nothing yet.")
    weighed = f"<ul>{items}</ul>" if items else f"<p>{escape(nothing)}</p>"
    everything = '<p><a href="/public">Show all</a></p>' if said else ""
    field = (
        '<form action="/public" role="search"><label>Search by title '
        f'<input type="search" name="q" maxlength="200" value="{escape(said)}"></label> '
        "<button>Search</button></form>"
    )
    listed = "".join(
        f'<li>{escape(title)} <span class="about">{escape(by)}</span></li>' for title, by in studies
    )
    repeated = f"<h2>Published studies that can be repeated here</h2><ul>{listed}</ul>"
    body = (
        f"<h1>Weighhouse</h1><p>{LEAD}</p>{field}"
        f"<h2>{'Found' if said else 'Weighed lately'}</h2>{weighed}{everything}"
        f'{repeated if listed else ""}<p class="about"><a href="/login">Sign in</a></p>'
    )
    described = {
        "@context": "https://schema.org",
        "@type": "DataCatalog",
        "name": "Weighhouse",
        "description": LEAD,
        "url": address,
        "dataset": [
            {"@type": "Dataset", "name": one.title, "url": one.url,
             "description": described_as(one.title, "Figures of databases, measured here, with "
                                                    "their intervals and caveats.")}
            for one in found
        ],
    }  # fmt: skip
    return _page(
        "Weighhouse: what was weighed", body, head_of("Weighhouse", LEAD, address, described)
    )


def embed_page(
    title: str, picture: str, caveats: Sequence[CaveatRead], said: Sequence[str], address: str
) -> str:
    """What stands in another page's frame: the picture, all caveats in full, and the way to it all.

    :param picture: an SVG of our own.
    """
    beside = "".join(
        f'<li class="{escape(one.severity)}">{escape(one.title)}: {escape(one.text)}</li>'
        for one in caveats
    )
    lines = "".join(f'<p class="about">{escape(one)}</p>' for one in said)
    body = (
        f'<h1><a href="{escape(address)}" target="_blank" rel="noopener">{escape(title)}</a></h1>'
        f'<div class="picture" tabindex="0">{picture}</div>'
        f"<h2>What has to be known</h2><ul>{beside}</ul>{lines}"
    )
    return _page(title, body)


def told_page(title: str, words: str) -> str:
    """A page that says why there is nothing to see."""
    return _page(title, f"<h1>{escape(title)}</h1><p>{escape(words)}</p>")


def dataset(
    title: str, sentence: str, organization: str, address: str, data: str,
    modified: datetime.datetime, variables: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """JSON-LD of something public.

    :param data: where its JSON lies.
    :param variables: names of what was measured.
    """
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": title,
        "description": described_as(title, sentence),
        "url": address,
        "isAccessibleForFree": True,
        "creator": {"@type": "Organization", "name": organization},
        "dateModified": modified.isoformat(),
        "variableMeasured": list(variables),
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": "application/json", "contentUrl": data}
        ],
    }


def described_as(title: str, sentence: str) -> str:
    """A description of 50 to 5,000 signs, as readers of `Dataset` want it."""
    words = f"{title}. {sentence}"
    if len(words) < 50:  # noqa: PLR2004 - as the docstring says
        words = f"{words} Measured with Weighhouse, with all that has to be known beside it."
    return words[:5000]


def head_of(title: str, description: str, address: str, described: dict[str, Any]) -> str:
    """What search engines and previews of links read."""
    # Within a script's element only `<` could end it.
    data = json.dumps(described, ensure_ascii=False).replace("<", "\\u003c")
    short = escape(description[:300])
    return (
        f'<meta name="description" content="{short}">'
        f'<link rel="canonical" href="{escape(address)}">'
        f'<meta property="og:title" content="{escape(title)}">'
        f'<meta property="og:description" content="{short}">'
        f'<meta property="og:type" content="article">'
        f'<script type="application/ld+json">{data}</script>'
    )


def with_head(index: str, title: str, head: str) -> str:
    """The frontend's first page with a title and a head of its own, which describes it alone."""
    named = TITLE.sub(lambda _: f"<title>{escape(title)}</title>", index, count=1)
    if head:
        named = DESCRIPTION.sub("", named)
    return named.replace("</head>", f"{head}</head>", 1)
