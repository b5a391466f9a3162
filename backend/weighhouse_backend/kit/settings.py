"""Settings, read once from the environment by the composition root."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from weighhouse_backend.kit.bucket_address import insist_on_bucket, insist_on_keys


class Settings(BaseSettings):
    """Every setting of backend and worker; environment variables `WEIGHHOUSE_…`."""

    model_config = SettingsConfigDict(
        env_prefix="WEIGHHOUSE_", extra="ignore", use_attribute_docstrings=True
    )

    database_url: str
    """PostgreSQL, as SQLAlchemy takes it: `postgresql+psycopg://…`."""
    database_pooled: bool = False
    """A pooler answers there, as PgBouncer, with another connection for each transaction."""
    redis_url: str
    """Redis: Celery's broker, and wake-ups of what is live."""
    public_url: str = "http://127.0.0.1:8480"
    """Address people use; stands in links."""
    frontend_dir: Path | None = None
    """The built frontend to serve; none: the API alone."""
    docs_dir: Path | None = None
    """The folder `docs/`, for the pages that errors and findings link to."""
    experiments_dir: Path | None = None
    """The folder `experiments/`, offered as templates."""
    migrations_dir: Path | None = None
    """The folder `migrations/`: `/health/ready` says whether the database is at its head."""
    packages_dir: Path | None = None
    """This version's packages, for agents and pipelines (agents.md); none: not served."""
    public_ca_file: Path | None = None
    """Your own authority's certificates, where it signed the address's: agents get them."""
    artifact_dir: Path = Path("/var/lib/weighhouse/artifacts")
    """Where artefacts and logs of runs lie."""
    artifact_s3_url: str | None = Field(default=None, pattern=r"^https?://[^/@?#]+/[^/?#]+[^?#]*$")
    """A bucket to keep artefacts in instead: `https://HOST/BUCKET`, and a prefix if you like."""
    artifact_s3_region: str = Field(
        default="us-east-1", pattern=r"^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$"
    )
    """Its region."""
    artifact_s3_access_key: str | None = None
    """Who asks it."""
    artifact_s3_secret_key: SecretStr | None = None
    """With which secret."""
    artifact_s3_secret_key_file: Path | None = Field(default=None, validate_default=True)
    """A file that holds that secret instead."""
    spare_mebibytes: int = Field(default=64, ge=0)
    """Less free than this where artefacts lie is told as *no space*."""
    secret_key: SecretStr | None = None
    """The installation's secret, at least 16 characters: signs links, seals stored secrets."""
    secret_key_file: Path | None = None
    """A file that holds the secret instead; without either there are no links, no secrets."""
    former_secret_keys: SecretStr | None = None
    """What the secret was before, newest first, commas between: what it sealed and signed holds."""
    former_secret_keys_file: Path | None = None
    """A file with former secrets too, one a line, newest first."""
    smtp_host: str | None = None
    """The server that mail is sent through; none: no mail, invitations are handed over as links."""
    smtp_port: int = Field(default=587, ge=1, le=65535)
    """Its port."""
    smtp_encryption: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is kept secret; `none` only for a server on this machine."""
    smtp_ca_file: str | None = None
    """Certificates to trust instead of the system's."""
    smtp_user: str | None = None
    """Name to sign in with; none: without."""
    smtp_password: SecretStr | None = None
    """Password to sign in with."""
    mail_from: str = "weighhouse@localhost"
    """The sender of mail."""
    notices_to_own_networks: bool = False
    """Let webhooks go to private networks and to this machine; anybody who makes one may."""
    providers_in_own_networks: bool = False
    """Let identity providers and CI services, which people name, stand in private networks."""
    log_level: str = "INFO"
    """The least that is logged: DEBUG, INFO, WARNING, ERROR."""
    metrics_token: SecretStr | None = None
    """Bearer token for `/metrics`; none: it answers this machine alone, and no proxy."""
    worker_metrics_port: int | None = Field(default=None, ge=1, le=65535)
    """Where the worker answers Prometheus; none: nowhere."""
    worker_metrics_host: str = "127.0.0.1"
    """The address it does so on."""
    traces_endpoint: SecretStr | None = None
    """Where traces go by OTLP/HTTP, whole (`http://…:4318/v1/traces`); none: nowhere."""
    cookie_secure: bool = False
    """Set cookies for HTTPS alone, under guarded names; needed behind a proxy with TLS."""
    hsts_seconds: int = Field(default=31_536_000, ge=0)
    """How long browsers then ask for this host over HTTPS alone; 0: they are not told to."""
    public_page: bool = False
    """Show everybody a front page, `/public`, with all that is shared with the public."""
    embed_origins: str = Field(
        default="", pattern=r"^(\*|https?://[A-Za-z0-9.:\-]+( https?://[A-Za-z0-9.:\-]+)*)?$"
    )
    """Pages that may embed what is public: `https://HOST`, spaces between; `*` all; empty none."""
    chromium: str | None = None
    """The Chromium that makes PDFs of reports, by name or path; none: the one on the path."""
    security_contact: str | None = Field(
        default=None, pattern=r"^(mailto:[^\s@]+@[^\s@]+|https://\S+)$"
    )
    """Whom to tell of weaknesses, `mailto:…` or `https://…`; none: no `security.txt`."""
    session_hours: float = Field(default=336.0, gt=0)
    """How long a login lasts without use."""
    provisioner: Path | None = None
    """A program that makes machines for campaigns (provisioners.md); none: nobody may ask."""
    provisioned_machines: int = Field(default=20, ge=1, le=10_000)
    """Machines that it may have made and not ended, of all organizations together."""
    lease_seconds: float = Field(default=90.0, gt=0)
    """Without a heartbeat for this long an agent is shown as unreachable."""
    heartbeat_seconds: float = Field(default=15.0, gt=0)
    """How often agents report."""
    agent_sign_seconds: float = Field(default=1.0, ge=0)
    """How often agents at work say so, a fifth as often where many do; 0: they are not asked to."""
    lost_after_seconds: float = Field(default=600.0, gt=0)
    """Without a heartbeat for this long an attempt is lost."""
    long_poll_seconds: float = Field(default=50.0, gt=0)
    """How long an agent's question for work is held open."""
    sweep_seconds: float = Field(default=30.0, gt=0)
    """How often lost work is looked for."""
    silent_agent_minutes: float = Field(default=60.0, gt=0)
    """An agent that work waits for raises an alert when nobody heard of it for so long."""
    trusted_proxies: str | None = None
    """Proxies whose `X-Forwarded-For` is believed: addresses or networks, with commas between."""
    rate_person_per_minute: int = Field(default=3000, ge=0)
    """Requests that a person may make in a minute; 0: without limit."""
    rate_token_per_minute: int = Field(default=6000, ge=0)
    """Requests with one API token in a minute; 0: without limit."""
    rate_agent_per_minute: int = Field(default=6000, ge=0)
    """Requests with one token of an agent or attempt in a minute; 0: without limit."""
    rate_address_per_minute: int = Field(default=3000, ge=0)
    """Requests in a minute from one address by whoever is not recognized; 0: without limit."""
    body_megabytes: float = Field(default=4.0, gt=0)
    """The largest body that people and pipelines may send; most operations take 64 KiB at most."""
    agent_body_megabytes: float = Field(default=8.0, gt=0)
    """The largest body that agents may send; files of runs have a limit of their own."""
    bodies_megabytes: float = Field(default=32.0, gt=0)
    """Large bodies that one process has under way at a time; of one organization half of it."""
    files_megabytes: float = Field(default=1024.0, ge=512)
    """Files of runs that one process receives at a time; of one organization half of it."""
    body_wait_seconds: float = Field(default=10.0, ge=0)
    """How long a large body waits for its turn until its sender is told to come again."""
    turn_wait_seconds: float = Field(default=10.0, ge=0)
    """How long a request waits since others ask too, until its sender is told to come again."""
    body_patience_seconds: float = Field(default=20.0, gt=0)
    """How long a body may take, beside what its size takes at the least rate."""
    body_least_kilobytes_per_second: float = Field(default=16.0, gt=0)
    """The least rate at which bodies arrive."""

    attempt_log_mebibytes: int = Field(default=64, ge=1)
    """All logs of an attempt together; what comes beyond is cut, and the log says so."""
    attempt_file_mebibytes: int = Field(default=512, ge=1)
    """All files that a machine may leave of an attempt."""
    attempt_events: int = Field(default=4_000_000, ge=1000)
    """Events that a machine may report of an attempt; beyond, the run fails and is not repeated."""
    log_mebibytes_per_minute: int = Field(default=128, ge=0)
    """Logs that are taken of one agent by one process in a minute; 0: without limit."""

    @field_validator("artifact_s3_url")
    @classmethod
    def _bucket(cls, url: str | None) -> str | None:
        return None if url is None else insist_on_bucket(url)

    # Of one field, since what is refused is shown: of the whole it would be every secret.
    @field_validator("artifact_s3_secret_key_file")
    @classmethod
    def _keys(cls, file: Path | None, info: ValidationInfo) -> Path | None:
        known = info.data
        if known.get("artifact_s3_url") is not None:
            secret = known.get("artifact_s3_secret_key")
            insist_on_keys(known.get("artifact_s3_access_key"), secret, file)
        return file

    @model_validator(mode="after")
    def _read_once(self) -> Self:
        file, secret = self.artifact_s3_secret_key_file, self.artifact_s3_secret_key
        if self.artifact_s3_url is not None and secret is None and file is not None:
            self.artifact_s3_secret_key = SecretStr(file.read_text(encoding="utf-8").strip())
        return self
