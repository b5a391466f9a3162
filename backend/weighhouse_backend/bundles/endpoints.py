"""Bundles of campaigns, and the keys that sign them."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from weighhouse_protocol.bundles.manifest import Reproduces

from weighhouse_backend.bundles.bundled_campaign import contents_of
from weighhouse_backend.bundles.dependencies import ReproductionServiceDep
from weighhouse_backend.bundles.keys import keys_of
from weighhouse_backend.bundles.schemas import (
    KeyRead,
    KeysRead,
    ReproductionRead,
    ReproductionsRead,
)
from weighhouse_backend.bundles.writer import write_bundle
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.exports.file_answers import streamed
from weighhouse_backend.exports.snapshots import SnapshotDep
from weighhouse_backend.files.uploads import UploadDep
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.kit.settings import Settings

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["bundles"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A bundle, sent while it is written.",
        "content": {"application/x-tar": {"schema": {"type": "string", "format": "binary"}}},
    },
    **{code: {"model": ProblemDocument} for code in (403, 404, 422, 503)},
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": ProblemDocument} for code in (401, 403, 404, 422)
}
MOST_BYTES = 256 * MEBIBYTE
"""Of a bundle that is brought."""
Sha256Query = Annotated[
    str | None, Query(pattern=r"^[0-9a-f]{64}$", description="Of the bundle that it reproduces.")
]


@router.get("/campaigns/{campaign_id}/bundle", response_class=StreamingResponse, responses=FILE)
def bundles_read_campaign(
    campaign_id: UUID,
    caller: CallerDep,
    snapshot: SnapshotDep,
    audience: AudienceDep = "internal",
    reproduces_manifest: Sha256Query = None,
    reproduces_signer: Sha256Query = None,
    reproduces_campaign: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """A campaign as one signed file that anybody can check without the platform: everything its
    figures follow from, and everything that must stand beside them. The three of `reproduces_` say
    which bundle it measured again.
    """
    contents, licence = contents_of(snapshot, caller, campaign_id, audience)
    key = keys_of(snapshot.get(Settings))[0]
    reproduces = None
    if reproduces_manifest and reproduces_signer:
        reproduces = Reproduces(
            manifest_sha256=reproduces_manifest,
            key_sha256=reproduces_signer,
            campaign_id=reproduces_campaign,
        )
    so_far = "so-far-" if contents.about.interim else ""
    return streamed(
        f"{so_far}campaign-{contents.campaign.number}.bundle.tar",
        snapshot,
        partial(write_bundle, contents, key, licence, reproduces),
    )


@router.get("/bundles/keys")
def bundles_list_keys(caller: CallerDep, request: Request) -> KeysRead:
    """The public halves of the keys by which this installation signs bundles, and by which it did
    before its secret was changed.
    """
    del caller
    settings: Settings = request.app.state.settings
    present, *former = (
        KeyRead(sha256=one.sha256, public_key=one.public, pem=one.pem) for one in keys_of(settings)
    )
    return KeysRead(present=present, former=former)


@router.get("/campaigns/{campaign_id}/reproductions", responses=REFUSALS)
def bundles_list_reproductions(
    campaign_id: UUID, caller: CallerDep, service: ReproductionServiceDep
) -> ReproductionsRead:
    """Who measured a campaign again, counted by the keys that signed their bundles."""
    return service.listed(caller, campaign_id)


@router.post("/campaigns/{campaign_id}/reproductions", status_code=201, responses=REFUSALS)
@takes(MOST_BYTES, sender, as_file=True)
def bundles_add_reproduction(
    content: UploadDep, campaign_id: UUID, caller: CallerDep, service: ReproductionServiceDep
) -> ReproductionRead:
    """Take a bundle that measured this campaign again; takes a member. It is checked to the byte
    and worked out again before it counts; one that was changed is refused.
    """
    return service.add(caller, campaign_id, content.file)


@router.delete(
    "/campaigns/{campaign_id}/reproductions/{manifest_sha256}",
    status_code=204,
    responses=REFUSALS,
)
def bundles_remove_reproduction(
    campaign_id: UUID,
    manifest_sha256: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")],
    caller: CallerDep,
    service: ReproductionServiceDep,
) -> None:
    """Remove a reproduction; takes a maintainer."""
    service.remove(caller, campaign_id, manifest_sha256)
