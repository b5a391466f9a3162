"""Files of runs in a bucket of a real S3-compatible store."""

import hashlib
import threading
from contextlib import contextmanager
from io import BytesIO
from uuid import uuid4

import pytest
from pydantic import SecretStr
from weighhouse_backend.files import bucket
from weighhouse_backend.files.directory import ArtifactDirectory
from weighhouse_backend.files.stores import store_of
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.measurements import models
from weighhouse_backend.measurements.errors import FilesAway
from weighhouse_testing.s3 import ACCESS_KEY, SECRET_KEY, running_store
from weighhouse_testing.waits import PATIENCE_SECONDS, until

from .laboratory import experiment
from .store_gateway import Gateway, Said, listing_forbidden

CONTENT = bytes(range(256)) * 1000


@pytest.fixture(scope="module")
def store():
    with running_store() as running:
        yield running


@pytest.fixture(scope="module")
def settings(settings, store, tmp_path_factory):
    return settings.model_copy(
        update={
            "artifact_dir": tmp_path_factory.mktemp("former"),
            "artifact_s3_url": f"{store.url}/lab",
            "artifact_s3_access_key": ACCESS_KEY, "artifact_s3_secret_key": SecretStr(SECRET_KEY),
        }
    )  # fmt: skip


@pytest.fixture
def order(laboratory):
    laboratory.campaign(experiment("files", repetitions=1))
    begun = laboratory.begin()
    yield begun
    failure = {"kind": "invalid", "message": "the test is over"}
    laboratory.complete(begun, 0, outcome="failed", failure=failure)


def put(laboratory, order, content, name="a name of ours.bin"):
    path = f"artifacts/{hashlib.sha256(content).hexdigest()}"
    query = {"name": name}
    return laboratory.attempt(order, "PUT", path, content=content, params=query)


def read(laboratory, order, content):
    address = f"/api/v1/runs/{order['run_id']}/artifacts/{hashlib.sha256(content).hexdigest()}"
    return laboratory.client.get(address, headers=laboratory.headers)


@contextmanager
def with_settings(laboratory, **changed):
    state = laboratory.client.app.state
    right = state.settings
    state.settings = right.model_copy(update=changed)
    try:
        yield state.settings
    finally:
        state.settings = right


@pytest.fixture
def gateway(laboratory, store):
    made = Gateway(store.port)
    url = f"http://127.0.0.1:{made.port}/files-of-runs/lab"
    with with_settings(laboratory, artifact_s3_url=url) as made.settings:
        yield made
    made.close()


def slug(answer):
    return answer.json()["type"].rpartition("/")[2]


def project_of(laboratory, order):
    with unit_of_work(laboratory.sessions) as session:
        rows = session.query(models.Artifact).filter_by(attempt_id=order["attempt_id"])
        return rows.first().project_id


def test_a_file_goes_into_the_bucket_and_comes_out_again(laboratory, order, store):
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert laboratory.attempt(order, "HEAD", f"artifacts/{digest}").status_code == 404
    assert put(laboratory, order, CONTENT).status_code == 201
    assert put(laboratory, order, CONTENT).status_code == 200
    assert laboratory.attempt(order, "HEAD", f"artifacts/{digest}").status_code == 200
    project_id = project_of(laboratory, order)
    assert store.keys() == [f"lab/{project_id}/{digest[:2]}/{digest}"]
    assert list(laboratory.settings.artifact_dir.rglob("*")) == [], "nothing lies on the disk"
    answer = read(laboratory, order, CONTENT)
    assert (answer.content, answer.headers["Content-Length"]) == (CONTENT, str(len(CONTENT)))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a name of ours.bin"'
    # Its row gone, it is unneeded, and the next turn of the worker takes it out.
    with unit_of_work(laboratory.sessions) as session:
        session.query(models.Artifact).delete()
        session.add(models.UnneededFile(project_id=project_id, sha256=digest))
    laboratory.clear_away()
    assert store.keys() == []


def test_what_lay_in_the_directory_before_is_still_read_and_removed(laboratory, order, store):
    older = b"from before there was a bucket"
    digest = hashlib.sha256(older).hexdigest()
    assert put(laboratory, order, older).status_code == 201
    project_id = project_of(laboratory, order)
    (key,) = store.keys()
    store.client.remove_object("files-of-runs", key)
    assert read(laboratory, order, older).status_code == 404
    directory = ArtifactDirectory(laboratory.settings.artifact_dir)
    directory.write(project_id, digest, BytesIO(older))
    assert read(laboratory, order, older).content == older
    with unit_of_work(laboratory.sessions) as session:
        session.query(models.Artifact).delete()
        session.add(models.UnneededFile(project_id=project_id, sha256=digest))
    laboratory.clear_away()
    assert directory.local(project_id, digest) is None


def test_a_store_that_is_away_is_said_and_loses_nothing(laboratory, order, store):
    kept = b"kept until the store is back"
    former = b"in the directory, and in no bucket"
    assert put(laboratory, order, former).status_code == 201
    directory = ArtifactDirectory(laboratory.settings.artifact_dir)
    digest = hashlib.sha256(former).hexdigest()
    directory.write(project_of(laboratory, order), digest, BytesIO(former))
    store.stop()
    try:
        assert read(laboratory, order, former).content == former
        assert laboratory.attempt(order, "HEAD", f"artifacts/{digest}").status_code == 200
        refused = put(laboratory, order, kept)
        assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (
            503, "files-away",
        )  # fmt: skip
        assert str(store.port) not in refused.text, "where it is, is the operator's"
        with unit_of_work(laboratory.sessions) as session:
            assert session.query(models.Artifact).count() == 1, "nothing is half written"
    finally:
        store.start()
    assert put(laboratory, order, kept).status_code == 201
    assert read(laboratory, order, kept).content == kept


def test_a_key_that_may_not_is_said(laboratory, order):
    with with_settings(laboratory, artifact_s3_secret_key=SecretStr("wrong")):
        refused = put(laboratory, order, b"x")
        assert refused.status_code == 503
        assert "wrong" not in refused.text


def test_a_key_that_may_list_nothing_is_enough(laboratory, order, gateway):
    gateway.instead = listing_forbidden
    content = b"written without a list"
    digest = hashlib.sha256(content).hexdigest()
    assert laboratory.attempt(order, "HEAD", f"artifacts/{digest}").status_code == 404
    assert put(laboratory, order, content).status_code == 201
    assert laboratory.attempt(order, "HEAD", f"artifacts/{digest}").status_code == 200
    assert read(laboratory, order, content).content == content


def test_a_store_that_fails_when_it_is_read_is_said(laboratory, order, gateway):
    content = b"read from a store that fails"
    assert put(laboratory, order, content).status_code == 201
    gateway.instead = lambda method, said: Said(503) if method == "GET" else said
    assert slug(read(laboratory, order, content)) == "files-away"
    gateway.instead = listing_forbidden
    assert read(laboratory, order, content).content == content


def test_a_content_that_is_cut_short_is_no_content(laboratory, gateway):
    project_id, digest = uuid4(), "ab" * 32
    kept = store_of(gateway.settings)
    kept.write(project_id, digest, BytesIO(CONTENT))
    assert b"".join(kept.pieces(project_id, digest)) == CONTENT
    gateway.instead = lambda _, said: Said(200, said.content, said.headers, held_back=10)
    with pytest.raises(FilesAway):
        list(kept.pieces(project_id, digest))
    gateway.instead = lambda _, said: said
    with pytest.raises(FileNotFoundError):
        kept.pieces(project_id, "cd" * 32)


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        ("text/html; charset=latin-1", "<p>Zugriff verweigert für Sie".encode("latin-1")),
        ("application/xml", b"<html><br></html>"),
        ("application/xml", b"\xff\xfe"),
        ("application/xml", b""),
        ("text/html", b"<p>who are you?"),
    ],
)
def test_the_page_of_a_proxy_is_no_stores_answer(laboratory, order, gateway, kind, page):
    content = b"behind a proxy " + page + kind.encode()

    def proxy(method, said):
        return said if method == "HEAD" else Said(407, page, {"Content-Type": kind})

    gateway.instead = proxy
    refused = put(laboratory, order, content)
    assert (refused.status_code, slug(refused)) == (503, "files-away")
    gateway.instead = lambda _, said: said
    assert put(laboratory, order, content).status_code == 201
    gateway.instead = proxy
    assert slug(read(laboratory, order, content)) == "files-away"


def test_a_store_that_hangs_keeps_nobody_else_waiting(laboratory, order, gateway, monkeypatch):
    monkeypatch.setattr(bucket, "TURN_SECONDS", 0.05)
    monkeypatch.setattr(bucket, "READ_SECONDS", 60.0)
    over = threading.Event()
    gateway.instead = lambda _, said: over.wait(PATIENCE_SECONDS) and said
    hanging = [
        threading.Thread(
            target=store_of(gateway.settings).write, args=(uuid4(), "ab" * 32, BytesIO(b"x"))
        )
        for _ in range(bucket.MOST_AT_ONCE)
    ]
    for each in hanging:
        each.start()
    try:
        until("all ask", lambda: len(gateway.asked) == bucket.MOST_AT_ONCE)
        refused = put(laboratory, order, b"one more")
        assert (refused.status_code, slug(refused)) == (503, "files-away")
        assert "many wait" in refused.json()["detail"]
        assert len(gateway.asked) == bucket.MOST_AT_ONCE, "one more has not asked"
    finally:
        over.set()
        for each in hanging:
            each.join()
    assert put(laboratory, order, b"one more").status_code == 201


def test_a_store_that_hangs_is_asked_twice_at_most(laboratory, order, gateway, monkeypatch):
    monkeypatch.setattr(bucket, "READ_SECONDS", 0.2)
    over = threading.Event()

    def hanging(method, said):
        over.wait(PATIENCE_SECONDS)
        return said

    gateway.instead = hanging
    try:
        assert slug(put(laboratory, order, b"nobody takes it")) == "files-away"
        assert gateway.asked == ["HEAD", "HEAD"]
    finally:
        over.set()
