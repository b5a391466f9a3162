"""OpenTelemetry's libraries, set up; imported by `kit.tracing` alone, and only where it is wanted.

What leaves is an allowed list of attributes: no address with its query, no header, no address of a
person, no parameter of a statement, no word of an exception.
"""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, overload

from fastapi import FastAPI
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_ON,
    Decision,
    ParentBased,
    Sampler,
    SamplingResult,
)
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, TraceState
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import Attributes

UNTRACED = (
    r"/health(/|$),/metrics$,/api/v1/campaigns/[^/]+/events$,"
    r"/agent/v1/claims$,/agent/v1/attempts/[^/]+/barriers/"
)
"""Addresses of streams, of questions that are held open, and of whoever only looks."""
TOLD = frozenset(
    {
        "http.method", "http.request.method", "http.route", "http.status_code",
        "http.response.status_code", "db.system", "db.system.name", "db.statement", "db.query.text",
        "celery.action", "celery.task_name", "celery.state", "celery.retries",
        "messaging.message.id", "messaging.message_id", "exception.type", "error.type",
    }
)  # fmt: skip
"""Attributes that may leave; whatever the libraries add later may not."""
MOST_CHARACTERS = 2000
"""Of a statement: a thousand rows in one would be a thousand times the same marks."""
BEGINNINGS = frozenset({SpanKind.SERVER, SpanKind.CONSUMER, SpanKind.PRODUCER})
"""With what a trace may begin. SQL of streams and rounds belongs to none, and makes none."""


class WithBeginning(Sampler):
    """Traces begin with a request or a task, never with a statement."""

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Take it, or drop it."""
        if kind in BEGINNINGS:
            return ALWAYS_ON.should_sample(
                parent_context, trace_id, name, kind, attributes, links, trace_state
            )
        return SamplingResult(Decision.DROP)

    def get_description(self) -> str:
        """A name."""
        return "WithBeginning"


class Discreet(SpanExporter):
    """Hands spans on without what must not leave."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Hand them on."""
        return self._inner.export([discreet(one) for one in spans])

    def shutdown(self) -> None:
        """End."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Deliver what waits."""
        return self._inner.force_flush(timeout_millis)


def discreet(span: ReadableSpan) -> ReadableSpan:
    """The same span with nothing but what may leave."""
    return ReadableSpan(
        name=span.name,
        context=_ids(span.context),
        parent=_ids(span.parent),
        resource=span.resource,
        attributes=_told(span.attributes),
        events=[Event(one.name, _told(one.attributes), one.timestamp) for one in span.events],
        links=[Link(_ids(one.context)) for one in span.links],
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


@overload
def _ids(context: SpanContext) -> SpanContext: ...
@overload
def _ids(context: SpanContext | None) -> SpanContext | None: ...
def _ids(context: SpanContext | None) -> SpanContext | None:
    """Without a caller's `tracestate`."""
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)


def _told(attributes: Attributes) -> Attributes:
    kept = {name: value for name, value in (attributes or {}).items() if name in TOLD}
    return {
        name: value[:MOST_CHARACTERS] if isinstance(value, str) else value
        for name, value in kept.items()
    }


class SentByName(CeleryInstrumentor):
    """Celery's instrumentation, for apps that send tasks by name and do not know them.

    The library ends the span of a sending only if the sender's app knows the task, and leaves it
    the current one of its thread for ever otherwise.
    """

    def _trace_before_publish(self, *_args: Any, **told: Any) -> None:
        headers = told.get("headers")
        if headers is None:
            return
        span = self._tracer.start_span(f"send/{told.get('sender')}", kind=SpanKind.PRODUCER)
        propagate.inject(headers, trace.set_span_in_context(span))
        span.end()

    @staticmethod
    def _trace_after_publish(*_args: Any, **_told: Any) -> None:
        """Nothing is open."""


class Traced:
    """Traces of this process."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider

    def follow_requests(self, app: FastAPI) -> None:
        """Trace what the application answers, but for `UNTRACED`."""
        FastAPIInstrumentor.instrument_app(
            app,
            tracer_provider=self._provider,
            excluded_urls=UNTRACED,
            exclude_spans=["send", "receive"],
        )

    def words(self) -> dict[str, str]:
        """The trace's id, of one that is taken."""
        context = trace.get_current_span().get_span_context()
        if not context.trace_flags.sampled:
            return {}
        return {"trace_id": trace.format_trace_id(context.trace_id)}

    def end(self) -> None:
        """Deliver what waits."""
        self._provider.shutdown()


@cache
def begin(endpoint: str, part: str) -> Traced:
    """Trace this process; asked again, it is the same.

    :param endpoint: the whole address that takes OTLP/HTTP.
    :param part: the service's name.
    """
    told = {"service.name": part, "service.version": version("weighhouse-backend")}
    provider = TracerProvider(sampler=ParentBased(WithBeginning()), resource=Resource.create(told))
    provider.add_span_processor(BatchSpanProcessor(Discreet(OTLPSpanExporter(endpoint))))
    # Without baggage, which callers could have carried along without bounds.
    propagate.set_global_textmap(TraceContextTextMapPropagator())
    # It declares itself for SQLAlchemy below 2.1; a test sees it at work with ours.
    SQLAlchemyInstrumentor().instrument(tracer_provider=provider, skip_dep_check=True)
    SentByName().instrument(tracer_provider=provider)  # type: ignore[no-untyped-call]
    return Traced(provider)
