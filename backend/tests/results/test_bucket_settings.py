"""A bucket that could never be asked is refused at the start, by the setting's name."""

import pytest
from minio.helpers import check_bucket_name
from pydantic import SecretStr, ValidationError
from weighhouse_backend.files.bucket import ArtifactBucket, open_bucket
from weighhouse_backend.files.stores import store_of
from weighhouse_backend.kit.settings import Settings

GIVEN = {
    "database_url": "postgresql+psycopg://a:of-the-database@b/c", "redis_url": "x",
    "artifact_s3_url": "https://s3.example.com/files", "artifact_s3_access_key": "weighhouse",
    "artifact_s3_secret_key": "of the store",
}  # fmt: skip


def settings(**changed):
    asked = {**GIVEN, **changed}
    return Settings(**{name: one for name, one in asked.items() if one is not None})


@pytest.mark.parametrize(
    "url",
    [
        "https://s3.example.com/AB", "https://s3.example.com/b", "https://s3.example.com/a..b",
        "https://s3.example.com/bucket name", "https://s3.example.com/192.0.2.7",
        "https://s3.example.com/bücher", "https://s3.example.com/-ab",
        "https://s3.example.com/files-s3alias", f"https://s3.example.com/{'a' * 64}",
        "https://s3.example.com:99999/files", "https://s3.example.com:0/files",
        "https://s3.example.com:port/files", "https://s3 example/files", "https://:9000/files",
        "https://s3.example.com/files//runs", "https://s3.example.com/files/../runs",
        "https://ec3.eu-central-1.amazonaws.com/files", "https://files.s3.amazonaws.com/runs",
        "https://[::1/files", "ftp://s3.example.com/files", "https://s3.example.com",
    ],
)  # fmt: skip
def test_an_address_that_names_no_bucket_is_refused(url):
    with pytest.raises(ValidationError) as refused:
        settings(artifact_s3_url=url)
    (error,) = refused.value.errors()
    assert error["loc"] == ("artifact_s3_url",)
    assert "of-the-database" not in str(refused.value)
    assert "of the store" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "bucket", "prefix"),
    [
        ("https://s3.example.com/files", "files", ""),
        ("http://127.0.0.1:9000/files-of.runs/", "files-of.runs", ""),
        ("http://[::1]:9000/files/lab/one", "files", "lab/one/"),
        ("https://S3.example.com/Old_Bucket/a b", "Old_Bucket", "a b/"),
        ("https://s3.eu-central-1.amazonaws.com/files", "files", ""),
        ("https://s3.cn-north-1.amazonaws.com.cn/files", "files", ""),
        ("https://s3.dualstack.eu-west-1.amazonaws.com/files", "files", ""),
        ("http://store/files", "files", ""),
    ],
)
def test_what_is_taken_the_library_takes_too(tmp_path, url, bucket, prefix):
    made = store_of(settings(artifact_s3_url=url, artifact_dir=tmp_path))
    assert isinstance(made, ArtifactBucket)
    assert (made.bucket, made.prefix) == (bucket, prefix)
    check_bucket_name(made.bucket)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"artifact_s3_access_key": None}, "ARTIFACT_S3_ACCESS_KEY is missing"),
        ({"artifact_s3_access_key": " "}, "ARTIFACT_S3_ACCESS_KEY is missing"),
        ({"artifact_s3_secret_key": None}, "ARTIFACT_S3_SECRET_KEY or …_FILE is missing"),
        ({"artifact_s3_secret_key": " "}, "ARTIFACT_S3_SECRET_KEY is empty"),
        (
            {"artifact_s3_secret_key": None, "artifact_s3_secret_key_file": "/no/such/file"},
            "ARTIFACT_S3_SECRET_KEY_FILE: /no/such/file cannot be read",
        ),
        (
            {"artifact_s3_secret_key": None, "artifact_s3_secret_key_file": "/dev/null"},
            "ARTIFACT_S3_SECRET_KEY_FILE is empty",
        ),
        ({"artifact_s3_region": "eu central"}, "artifact_s3_region"),
    ],
)
def test_what_is_missing_is_named(changed, named):
    with pytest.raises(ValidationError) as refused:
        settings(**changed)
    assert named in str(refused.value)
    assert "of-the-database" not in str(refused.value)
    assert "of the store" not in str(refused.value)


def test_a_secret_is_read_from_its_file_once(tmp_path):
    file = tmp_path / "s3"
    file.write_text("of the file\n", encoding="utf-8")
    read = settings(artifact_s3_secret_key=None, artifact_s3_secret_key_file=file)
    file.unlink()
    assert read.artifact_s3_secret_key == SecretStr("of the file")
    assert "of the file" not in repr(read)
    assert isinstance(store_of(read), ArtifactBucket)


def test_keys_without_a_bucket_are_nobodys_concern():
    assert settings(artifact_s3_url=None, artifact_s3_secret_key=None).artifact_s3_url is None
    open_bucket("s3.example.com", True, "us-east-1", "a", "b")
