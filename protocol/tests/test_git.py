"""What may be said of a commit, and that no secret stays in an address."""

import pytest
from pydantic import ValidationError
from weighhouse_protocol.git import GitContext, commit_page, repository_address

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("remote", "kept"),
    [
        ("https://github.com/team/name.git", "https://github.com/team/name"),
        ("https://bot:s3cret@github.com/team/name", "https://github.com/team/name"),
        ("https://gitlab-ci-token:abc@git.corp:8443/g/n.git/", "https://git.corp:8443/g/n"),
        ("https://git.corp/n?private_token=abc#x", "https://git.corp/n"),
        ("git@github.com:team/name.git", "https://github.com/team/name"),
        ("ssh://git@codeberg.org:22/team/name", "https://codeberg.org/team/name"),
        ("git@git.corp:team/name.git", "ssh://git.corp/team/name"),
        ("ssh://git:pw@git.corp:2222/team/name", "ssh://git.corp:2222/team/name"),
        ("http://u:p@[::1]:3000/team/name", "http://[::1]:3000/team/name"),
    ],
)
def test_an_address_loses_what_is_nobodys_business(remote: str, kept: str) -> None:
    assert repository_address(remote) == kept
    assert repository_address(kept) == kept


@pytest.mark.parametrize(
    "remote",
    ["", "name", "/srv/git/name", "../name", "file:///srv/git/name", "C:\\name", "https://",
     "https://host:99999/x", "https://[::1", "ext::sh -c x", "ftp://host/name"],
)  # fmt: skip
def test_what_is_no_address_of_another_machine_is_refused(remote: str) -> None:
    with pytest.raises(ValueError, match=r"address of a repository|Port|IPv6"):
        repository_address(remote)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("commit", "abc123"),
        ("commit", "0" * 65),
        ("commit", "HEAD~1234"),
        ("commit", "abcdef1\n"),
        ("branch", "a" * 256),
        ("branch", "two\nlines"),
        ("branch", "nul\x00"),
        ("branch", "\ud800"),
        ("subject", "s" * 201),
        ("subject", "two\u2028lines"),
        ("repository", "https://h/" + "a" * 500),
        ("pull_request", 0),
        ("pull_request", 2**31),
        ("pull_request_url", "javascript:alert(1)"),
        ("pull_request_url", "data:text/html,x"),
        ("author", "somebody"),
    ],
)
def test_what_cannot_be_kept_or_shown_is_refused_by_field(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        GitContext.model_validate({"commit": COMMIT} | {field: value})

    assert refused.value.errors()[0]["loc"] == (field,)


def test_a_commit_is_kept_in_small_letters() -> None:
    assert GitContext(commit="ABCDEF1").commit == "abcdef1"


def test_a_pull_requests_page_keeps_its_place_and_loses_its_user() -> None:
    context = GitContext(
        commit=COMMIT, pull_request=7, pull_request_url="https://u:p@git.corp/t/n/pull/7?a=b#top"
    )

    assert context.pull_request_url == "https://git.corp/t/n/pull/7#top"


@pytest.mark.parametrize(
    ("repository", "page"),
    [
        ("https://github.com/t/n", f"https://github.com/t/n/commit/{COMMIT}"),
        ("https://gitlab.corp/g/n", f"https://gitlab.corp/g/n/-/commit/{COMMIT}"),
        ("https://bitbucket.org/t/n", f"https://bitbucket.org/t/n/commits/{COMMIT}"),
        ("ssh://git.corp/t/n", None),
        (None, None),
    ],
)
def test_a_commit_has_a_page_where_its_repository_has(
    repository: str | None, page: str | None
) -> None:
    assert commit_page(repository, COMMIT) == page
