"""How other pages show something public: an iframe where this installation allows it, an SVG, a
badge. Pure.
"""

from html import escape
from urllib.parse import urlsplit

from weighhouse_protocol import pages

from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.schemas import EmbedRead

NO_PAGE = (
    "No other page may embed anything of this installation; whoever keeps it can name some in "
    "WEIGHHOUSE_EMBED_ORIGINS. A picture or a badge by its address works everywhere."
)


def address(settings: Settings, path: str) -> str:
    """A whole address of something that is no page of the interface: `/embed/…`, `/pictures/…`."""
    return f"{settings.public_url.rstrip('/')}{path}"


def origins_of(settings: Settings) -> list[str]:
    """Pages that may embed, as they are named in Content-Security-Policy; `*` is every one."""
    return settings.embed_origins.split()


def may_embed(settings: Settings, referrer: str | None) -> bool | None:
    """Whether the page that a browser says it comes from may embed; None: it does not say."""
    named = origins_of(settings)
    if not referrer or not named:
        return None if named else False
    parts = urlsplit(referrer)
    return "*" in named or f"{parts.scheme}://{parts.netloc}" in named


def embed_of(share: Share, settings: Settings) -> EmbedRead:
    """Of something public."""
    named = origins_of(settings)
    source, title = address(settings, f"/embed/{share.id}"), escape(share.title)
    frame = (
        f'<iframe src="{source}" title="{title}" width="100%" height="420" loading="lazy" '
        'style="border: 0"></iframe>'
    )
    if not named:
        words = NO_PAGE
    elif "*" in named:
        words = "Every page may embed it."
    else:
        words = f"Pages of {', '.join(named)} may embed it, no others."
    picture = address(settings, f"/pictures/{share.id}.svg")
    badge = None
    if share.kind == "series":
        badge = address(settings, f"/badges/series/{share.id}.svg")
    page = pages.at(settings.public_url, pages.public(share.id))
    return EmbedRead(
        frame=frame if named else None,
        frame_words=words,
        picture_url=picture,
        badge_url=badge,
        markdown=f"[![{in_markdown(share.title)}]({badge or picture})]({page})",
    )


def in_markdown(text: str) -> str:
    """A text in the brackets of a link, where nothing of it is markup."""
    return "".join(f"\\{sign}" if sign in "\\[]*_`<>!&" else sign for sign in text)
