"""A report as a page of its own, for print and for files: one HTML document without anything from
elsewhere. Pure.
"""

from collections.abc import Sequence
from html import escape

from weighhouse_backend.reports.nodes import Child, html_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
@page{size:A4;margin:20mm 18mm 22mm;
@bottom-left{content:TITLE;font:8pt system-ui,sans-serif;color:#555}
@bottom-right{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif;color:#555}}
:root{color-scheme:light}
body{font:10.5pt/1.5 "Source Serif 4",Georgia,"DejaVu Serif",serif;color:#15201d;background:#fff;
margin:0 auto;max-width:44rem;padding:1rem;overflow-wrap:anywhere}
h1,h2,h3,h4{font-family:system-ui,"DejaVu Sans",sans-serif;line-height:1.25;break-after:avoid;
break-inside:avoid}
h1{font-size:20pt;margin:0 0 .4em}h2{font-size:14pt;margin:1.6em 0 .5em}h3{font-size:11.5pt}
p{margin:.5em 0;orphans:3;widows:3}.about{color:#43504b;font-size:9pt;margin:.1em 0}
.stamp{border:1pt solid #a8123a;color:#a8123a;padding:.3em .6em;font:600 9pt system-ui,sans-serif}
.withdrawn{color:#9a4a00;border-left:2pt solid #9a4a00;padding-left:.5em}
.claim{border-left:2pt solid #616d67;padding-left:.5em}
span.withdrawn{border:0;padding:0}.figure{font-weight:600}
figure{margin:1em 0;break-inside:avoid}figcaption,caption{font:9pt/1.4 system-ui,sans-serif;
color:#43504b;text-align:left;caption-side:top;padding:.3em 0}caption{break-after:avoid}
table{border-collapse:collapse;width:100%;font:8.5pt/1.35 system-ui,"DejaVu Sans",sans-serif;
margin:.8em 0;overflow-wrap:break-word}
.even{table-layout:fixed}thead{display:table-header-group;break-after:avoid}
tr{break-inside:avoid}tbody tr:first-child{break-before:avoid}
th,td{border-bottom:.5pt solid #d7dcd3;padding:.3em .6em .3em 0;text-align:left;vertical-align:top;
font-weight:400}thead th{font-weight:600;border-bottom-color:#616d67}
pre{white-space:pre-wrap;background:#f3f5f1;padding:.5em}code{font-size:.9em}
blockquote{margin:.8em 0;padding-left:1em;border-left:2pt solid #d7dcd3}
a{color:#2f4f7f}.no-link{color:inherit}sup{font-size:.65em;line-height:0}
.notes{font-size:9pt}.notes li{margin:.35em 0;break-inside:avoid}.notes .bar{font-weight:600}
.reference>p:first-child{margin-top:0}svg{width:100%;height:auto}
svg text{font:11px system-ui,"DejaVu Sans",sans-serif;fill:#43504b}svg .head{font-weight:600;
fill:#15201d}svg .grid{stroke:#d7dcd3;stroke-width:1}svg .line{fill:none;stroke-width:1.5}
svg .whisker{stroke:#43504b;stroke-width:1.5}svg .bar{stroke-width:8;opacity:.45}
svg .hollow{fill:#fff;stroke-width:1.5}
@media print{body{padding:0;max-width:none}.wide{overflow:visible}}
@media (width<40rem){.wide{overflow-x:auto}}
"""


def page(title: str, nodes: Sequence[Child]) -> str:
    """A whole HTML document.

    :param nodes: of `documents.document`.
    """
    style = STYLE.replace("TITLE", quoted(title[:90]), 1)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body>{html_of(nodes)}</body></html>\n"
    )


def quoted(text: str) -> str:
    """A text as CSS has it: each sign that is neither letter nor digit is written out."""
    return '"' + "".join(one if one.isalnum() else f"\\{ord(one):x} " for one in text) + '"'
