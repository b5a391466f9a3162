"""Addresses as people write them, by the forms of a manifest, and what nobody is told of them."""

from typing import Any

import pytest
from weighhouse_protocol.compatibility.addresses import address_errors, with_addresses_kept
from weighhouse_protocol.endpoints import Endpoint, Forms, NotAnEndpoint, concealed, parts_of, taken

from .test_compatibility import manifest, target

STORE = Forms(
    kinds=("tcp", "tls", "unix"),
    port=6379,
    schemes={"redis": "tcp", "rediss": "tls"},
    path="database",
    query={"db": "database", "readPreference": "read_preference", "ssl": "kind"},
    refused={"redis+srv": "its servers stand in the DNS: write them out"},
    example="redis://db.example:6379/3",
)
OPTIONS = {
    "properties": {
        "database": {"type": "integer"},
        "read_preference": {"type": "string", "enum": ["primary", "secondary_preferred"]},
    }
}
SYSTEM = {"store": manifest(addresses=STORE.model_dump(), driver={"id": "d", "options": OPTIONS})}


@pytest.mark.parametrize(
    ("written", "kept", "options"),
    [
        ("redis://h:6379/3", ["tcp://h:6379"], {"database": "3"}),
        ("redis://h", ["tcp://h:6379"], {}),
        ("redis://h:7000/", ["tcp://h:7000"], {}),
        ("rediss://db.example.com:6380", ["tls://db.example.com:6380"], {}),
        ("h:11211", ["tcp://h:11211"], {}),
        ("h", ["tcp://h:6379"], {}),
        ("127.0.0.1", ["tcp://127.0.0.1:6379"], {}),
        ("[::1]:6379", ["tcp://[::1]:6379"], {}),
        ("[::1]", ["tcp://[::1]:6379"], {}),
        ("tls://[2001:db8::1]:1", ["tls://[2001:db8::1]:1"], {}),
        ("a,b:7000,[::1]:3", ["tcp://a:6379", "tcp://b:7000", "tcp://[::1]:3"], {}),
        ("unix:///run/redis.sock", ["unix:///run/redis.sock"], {}),
        ("/run/redis.sock", ["unix:///run/redis.sock"], {}),
        ("unix:///run/redis.sock?db=2", ["unix:///run/redis.sock"], {"database": "2"}),
        ("redis://%2Frun%2Fredis.sock/1", ["unix:///run/redis.sock"], {"database": "1"}),
        ("redis://h/?SSL=true", ["tls://h:6379"], {}),
        ("redis://h/?db=4&db=4", ["tcp://h:6379"], {"database": "4"}),
    ],
)
def test_what_people_write_is_kept_in_one_form(
    written: str, kept: list[str], options: dict[str, str]
) -> None:
    found = taken(written, STORE)
    assert [str(each) for each in found.endpoints] == kept
    assert found.options == options
    assert [parts_of(each) for each in kept] == list(found.endpoints)
    assert all(taken(each, STORE).endpoints == (parts_of(each),) for each in kept)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "names no host"), ("redis://", "names no host"), ("redis:///3", "names no host"),
        ("tcp://::1:6379", "IPv6 address is to stand in"), ("tcp://[::1", "IPv6 address in"),
        ("tcp://127.0.0.1:99999", "within 1 and 65535"), ("h:port", "within 1 and 65535"),
        ("h:-1", "within 1 and 65535"), ("h:", "names no port"), ("h:0", "port 0"),
        ("redis+srv://h/x", "write them out"), ("http://h", "is not among tcp://"),
        ("file:///data", "reaches tcp:// and tls:// and unix:// alone"),
        ("redis://h/a/b", "nothing behind its port"), ("redis://h#x", "nothing behind `#`"),
        ("redis://h?timeout=3", "`timeout` behind `?` is to be left out; db"),
        ("redis://h?db=1&db=2", "says `db` twice"), ("redis://h?db", "NAME=VALUE"),
        ("redis://h?ssl=maybe", "true or false"), ("unix:///x?ssl=true", "a socket has no TLS"),
        ("a,,b", "names no host"), ("2130706433", "four decimal numbers"),
        ("0x7f.1:1", "four decimal"), ("a" * 1001, "more than 1000"),
        ("ex ample:1", "SCHEME://HOST:PORT"), ("h:1\n", "line"),
        ("unix://run/x", "written out"), ("unix:///run/../x", "written out"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_what_is_wrong(written: str, says: str) -> None:
    with pytest.raises(NotAnEndpoint) as refused:
        taken(written, STORE)
    assert says in str(refused.value)


SECRET = "s3cr3t"
WITH_SECRETS = [
    f"redis://:{SECRET}@h:6379/3", f"redis://me:{SECRET}@h", f"me:{SECRET}@h:1", f"{SECRET}@h",
    f"redis://me:a?b#{SECRET}@h", f"redis://me:a/{SECRET}@h", f"redis://me:{SECRET}@x@h",
    f"me:{SECRET}?x@h", f"redis://h?password={SECRET}", f"redis://h/0#{SECRET}",
    f"redis://h?{SECRET}", f"tcp://:{SECRET}@", f"unix://me:{SECRET}@/run/x", f"//{SECRET}@h",
    f"redis://h?db={SECRET}&db=1", f"http://me:{SECRET}@h", f"redis://me: {SECRET}@h",
    f"redis://h?ssl={SECRET}", f"a:1,me:{SECRET}@b:1",
]  # fmt: skip


@pytest.mark.parametrize("written", WITH_SECRETS)
def test_nobody_is_told_what_may_be_secret(written: str) -> None:
    wrong = target(deployment="external", endpoints=(written,))
    told = list(address_errors(wrong, SYSTEM["store"]))
    assert told
    assert SECRET not in str(told)
    assert SECRET not in concealed(written)
    if "@" in written and "unix" not in written:
        assert "named as `credentials`" in told[0].message
    assert told[0].expected == "for example redis://db.example:6379/3"


def kept(*endpoints: str, **options: Any) -> Any:
    return with_addresses_kept(
        target(deployment="external", endpoints=endpoints, driver_options=options), SYSTEM
    )


def test_a_target_has_its_addresses_in_the_form_that_is_kept() -> None:
    found = kept("redis://a/3?readPreference=secondaryPreferred", "b:7")
    assert found.endpoints == ("tcp://a:6379", "tcp://b:7")
    assert found.driver_options == {"database": 3, "read_preference": "secondary_preferred"}
    assert kept("a:1", "a:1").endpoints == ("tcp://a:1",)
    assert kept("tcp://a:1") == kept("tcp://a:1")
    wrong = kept("redis://a/3", "redis://:x@b")
    assert wrong.endpoints == ("redis://a/3", "redis://:x@b")
    own = target(endpoints=("redis://a/3",))
    assert with_addresses_kept(own, SYSTEM) == own


@pytest.mark.parametrize(
    ("endpoints", "options", "path", "says"),
    [
        (("redis://a/3",), {"database": 4}, "endpoints[0]", "than driver_options.database"),
        (("redis://a/3", "redis://b/4"), {}, "endpoints[1]", "than the addresses before it"),
        (("redis://a", "rediss://b"), {}, "endpoints", "some are reached by tcp and some by tls"),
    ],
)
def test_addresses_say_one_thing(
    endpoints: tuple[str, ...], options: dict[str, Any], path: str, says: str
) -> None:
    given = target(deployment="external", endpoints=endpoints, driver_options=options)
    (error,) = address_errors(given, SYSTEM["store"])
    assert error.path == path
    assert says in error.message


def test_forms_name_options_that_there_are() -> None:
    with pytest.raises(ValueError, match="no driver options database"):
        manifest(addresses={"path": "database"})


def test_an_address_is_written_as_it_is_read() -> None:
    for each in (
        Endpoint("tls", "::1", 1),
        Endpoint("unix", path="/run/a b"),
        Endpoint("tcp", "h", 9),
    ):
        assert parts_of(str(each)) == each


MAPPED = {"store": manifest(addresses=STORE.model_copy(update={"address_map": True}).model_dump(),
                            driver={"id": "d", "options": OPTIONS})}  # fmt: skip


def there(**more: Any) -> Any:
    return target(system="store", deployment="external", endpoints=["tls://h"], **more)


def test_where_announced_servers_are_reached_is_kept_in_one_form() -> None:
    told = there(address_map={"10.0.0.1:7000": "nat:1", "[2001:DB8:0::1]:2": "rediss://n"})
    assert list(address_errors(told, MAPPED["store"])) == []
    assert with_addresses_kept(told, MAPPED).address_map == {
        "10.0.0.1:7000": "tls://nat:1", "[2001:db8::1]:2": "tls://n:6379",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("announced", "end", "words"),
    [
        ("10.0.0.1", "h:1", "`10.0.0.1`: it names no port"),
        ("tcp://10.0.0.1:1", "h:1", "it is to"),
        ("u:secret@h:1", "h:1", "it holds a user"),
        ("a:1", "tcp://h:1", "the endpoints are reached by tls://"),
        ("a:1", "h:1,b:2", "it is to be one server, and nothing else"),
        ("a:1", "rediss://h/3", "it is to be one server, and nothing else"),
        ("a:1", "rediss://:secret@h", "it holds a user"),
        ("a:1", "unix:///s", "the endpoints are reached by tls://"),
    ],
)
def test_a_map_that_cannot_be_read_is_refused(announced: str, end: str, words: str) -> None:
    told = there(address_map={announced: end})
    (error,) = address_errors(told, MAPPED["store"])
    assert error.path == "address_map"
    assert words in error.message
    assert "secret" not in error.message
    assert with_addresses_kept(told, MAPPED) == told


def test_a_system_whose_driver_knows_of_no_map_is_given_none() -> None:
    (error,) = address_errors(there(address_map={"a:1": "h:1"}), SYSTEM["store"])
    assert "goes where its servers say that they are" in error.message
    assert "address_map" not in there().model_dump()
    assert "address_map" not in STORE.model_dump()
