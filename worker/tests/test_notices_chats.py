"""Chats are written to in the library's formats, and no log tells their addresses."""

import json
import ssl

import pytest
from weighhouse_backend.notices.kinds import ChannelKind

from worker.tests.receiving import receiving

SLACK = "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
DISCORD = "https://discord.com/api/webhooks/4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js"
TEAMS = (
    "https://localhost:443/workflows/abc123def456/triggers/manual/paths/invoke"
    "?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=hushhushhushhush"
)


@pytest.mark.parametrize(
    ("kind", "address", "plugin", "base", "path"),
    [
        (ChannelKind.SLACK, SLACK, "slack.NotifySlack", "webhook_url", "/T1JJ3T3L2/A1BRTD4JD/TIi"),
        (ChannelKind.DISCORD, DISCORD, "discord.NotifyDiscord", "notify_url", "/4174216298/JHMHI"),
    ],
)
def test_chats_are_written_to_in_the_librarys_format(
    project, receiver, monkeypatch, capfd, caplog, kind, address, plugin, base, path
):
    monkeypatch.setattr(f"apprise.plugins.{plugin}.{base}", receiver.url)
    caplog.set_level("DEBUG", logger="apprise")
    project.channel(kind, address)
    project.notify(title="p99 of <redis> rose", words="In balanced.", path="/alerts?alert=1")
    receiver.answers = [500, 200]
    project.go_round()
    project.hurry()
    project.go_round()
    (posted, headers, body), _ = receiver.got
    assert posted.startswith(path)
    assert headers["Content-Type"].startswith("application/json")
    said = json.dumps(json.loads(body))
    assert "Regression: p99 of" in said
    assert "https://weighhouse.example/alerts?alert=1" in said
    refused, delivered = project.attempts()
    assert (refused[0], delivered[0]) == ("refused", "delivered")
    hidden = address.rsplit("/", 1)[1]
    output = capfd.readouterr()
    for kept in (refused[2], output.out, output.err, caplog.text):
        assert hidden not in kept


def test_teams_is_written_to_in_the_librarys_format(project, certificate, monkeypatch):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate[1], certificate[0])
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[1]))
    hosts = "weighhouse_backend.notices.chats.HOSTS"
    monkeypatch.setattr(hosts, {ChannelKind.TEAMS: ("localhost",)})
    with receiving(context) as receiver:
        receiver.answers = [200]
        address = TEAMS.replace("https://localhost:443", receiver.url)
        project.channel(ChannelKind.TEAMS, address)
        project.notify(title="p99 of redis rose")
        project.go_round()
    assert project.attempts() == [("delivered", None, "")]
    ((path, _, body),) = receiver.got
    assert path.startswith("/workflows/abc123def456/triggers/manual/paths/invoke?")
    assert "sig=hushhushhushhush" in path
    assert "AdaptiveCard" in body.decode()
    assert "p99 of redis rose" in body.decode()
