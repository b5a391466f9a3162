"""The index of packages: what it holds, and what it says where it holds nothing."""

import hashlib
import json
import subprocess

import pytest
from weighhouse_backend.packages.endpoints import SIMPLE_JSON
from weighhouse_backend.packages.endpoints import router as packages
from weighhouse_backend.packages.release import own_version
from weighhouse_backend.packages.script import authority, line

VERSION = own_version()


def wheel(folder, distribution, version, content=b"a wheel"):
    name = f"{distribution.replace('-', '_')}-{version}-py3-none-any.whl"
    (folder / name).write_bytes(content)
    return {
        "distribution": distribution, "version": version, "name": name,
        "size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(),
    }  # fmt: skip


def fill(folder, version=VERSION, **changes):
    release = {
        "version": version, "commit": "", "changed": False, "systems": ["redis"],
        "wheels": [
            wheel(folder, "weighhouse-agent", version, b"agent"),
            wheel(folder, "weighhouse-cli", version, b"command"),
            wheel(folder, "weighhouse-plugin-redis", "0.4.1", b"redis"),
            wheel(folder, "weighhouse-plugin-rocksdb", "0.4.0", b"rocks"),
        ],
        "dependencies": [wheel(folder, "pip", "26.3", b"pip"), wheel(folder, "Typing_Ext", "1")],
        **changes,
    }  # fmt: skip
    (folder / "release.json").write_text(json.dumps(release), "utf-8")
    return release


@pytest.fixture
def client(make_client, tmp_path, settings):
    changed = settings.model_copy(
        update={"packages_dir": tmp_path, "public_url": "https://weigh.example/"}
    )
    made = make_client(packages)
    made.app.state.settings = changed
    yield made
    made.app.state.settings = settings


def test_the_index_names_each_file_with_its_digest(client, tmp_path):
    release = fill(tmp_path)
    names = client.get("/agent/simple/", headers={"Accept": SIMPLE_JSON}).json()["projects"]
    assert {one["name"] for one in names} == {
        "pip", "typing-ext", "weighhouse-agent", "weighhouse-cli", "weighhouse-plugin-redis",
        "weighhouse-plugin-rocksdb",
    }  # fmt: skip
    told = client.get("/agent/simple/weighhouse-agent/", headers={"Accept": SIMPLE_JSON})
    assert told.headers["Content-Type"] == SIMPLE_JSON
    (file,) = told.json()["files"]
    assert file["hashes"] == {"sha256": release["wheels"][0]["sha256"]}
    page = client.get("/agent/simple/Weighhouse_Agent/")
    assert f"#sha256={release['wheels'][0]['sha256']}" in page.text
    address = f"/agent/packages/{file['hashes']['sha256']}/{file['filename']}"
    content = client.get(address)
    assert content.content == b"agent"
    assert "immutable" in content.headers["Cache-Control"]


def test_nothing_but_the_release_is_served(client, tmp_path):
    release = fill(tmp_path)
    digest = release["wheels"][0]["sha256"]
    (tmp_path / "other-1-py3-none-any.whl").write_bytes(b"agent")
    for name in (
        "release.json", "other-1-py3-none-any.whl", "..%2f..%2fetc%2fpasswd", "%2e%2e",
        "weighhouse_plugin_redis-0.4.1-py3-none-any.whl", "%00",
    ):  # fmt: skip
        assert client.get(f"/agent/packages/{digest}/{name}").status_code == 404, name
    assert client.get("/agent/simple/requests/").status_code == 404


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "release.json").unlink(), "has no release.json"),
        (lambda folder: (folder / "release.json").write_text("{"), "cannot be read"),
        (lambda folder: fill(folder, "9.9.9"), f"the platform is {VERSION}"),
        (lambda folder: fill(folder, dependencies=[]), "has no pip"),
        (lambda folder: fill(folder, wheels=[]), "has no weighhouse-agent"),
        (lambda folder: next(folder.glob("pip-*")).unlink(), "lacks pip-26.3"),
        (lambda folder: next(folder.glob("pip-*")).write_bytes(b"shortened"), "lacks pip-26.3"),
    ],
)
def test_what_is_missing_is_told_in_words_by_index_and_script(client, tmp_path, spoil, said):
    fill(tmp_path)
    assert client.get("/agent/simple/").status_code == 200
    spoil(tmp_path)
    refused = client.get("/agent/simple/")
    assert refused.status_code == 404
    assert said in refused.json()["detail"]
    text = client.get("/agent/install.sh").text
    done = subprocess.run(["sh"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in done.stderr


def test_the_script_is_whole_and_says_its_own_address(client, tmp_path):
    fill(tmp_path)
    answer = client.get("/agent/install.sh")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "address=https://weigh.example\n" in answer.text
    assert "@ADDRESS@" not in answer.text
    for shell in ("sh", "bash"):
        subprocess.run([shell, "-n"], input=answer.text, text=True, check=True)
    asked = ["sh", "-s", "--", "--dry-run", "--token", "whr_x"]
    told = subprocess.run(
        [*asked, "--systems", "all", "--networks", "10.1.0.0/16"],
        input=answer.text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "weighhouse-plugin-redis weighhouse-plugin-rocksdb" in told.stdout
    assert '"10.1.0.0/16"' in told.stdout
    for wrong, said in (
        (["--systems", "quokka"], "this platform has no plugin quokka"),
        (["--networks", "everywhere"], "cannot be understood"),
        (["--python", "/bin/false"], "is no Python 3.11"),
        (["--quokka"], "there is no option --quokka"),
        (["--name"], "is without its value"),
    ):
        refused = subprocess.run(
            [*asked, *wrong], input=answer.text, capture_output=True, text=True, check=False
        )
        assert refused.returncode == 1, wrong
        assert said in refused.stderr


def test_an_authority_of_ones_own_goes_with_the_line_and_nothing_else_of_its_file(
    client, tmp_path, settings
):
    fill(tmp_path)
    certificate = "-----BEGIN CERTIFICATE-----\nMIIB+aa/1=\n-----END CERTIFICATE-----"
    file = tmp_path / "ca.pem"
    file.write_text(
        f"-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n{certificate}\n"
    )
    chosen = settings.model_copy(
        update={"public_url": "https://weigh.example", "public_ca_file": file}
    )
    told = line(chosen, "whr_x")
    assert certificate in told
    assert "--cacert /dev/stdin https://weigh.example/agent/install.sh" in told
    assert "secret" not in told
    assert authority(None) == ""
    client.app.state.settings = client.app.state.settings.model_copy(
        update={"public_ca_file": file}
    )
    assert certificate in client.get("/agent/install.sh").text
    file.write_text("nothing of the kind")
    assert "holds no certificate" in client.get("/agent/install.sh").text
