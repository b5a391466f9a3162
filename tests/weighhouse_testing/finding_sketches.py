"""Drawings of findings that need no arithmetic: what belongs to what, and what is counted."""

from weighhouse_testing.svg import Drawing, Plot

CLIENTS = 8


def _timeline(drawing: Drawing, top: float, label: str, waiting: list[tuple[float, float]]) -> None:
    """One client's time: filled where somebody timed it."""
    drawing.text(52, top + 11, label, "soft small", "end")
    drawing.frame(60, top, 540, 14)
    for begin, end in waiting:
        drawing.box(60 + 540 * begin, top, 540 * (end - begin), 14, "fill-good")


def unaccounted_clients() -> Drawing:
    """Eight clients whose time is mostly in no latency."""
    drawing = Drawing(
        "Little's law from below",
        "Eight clients in a closed loop over the same stretch of time. Only 15 percent of it is "
        "filled by timed operations; where were they the rest of the time?",
    )
    for client in range(CLIENTS):
        shift = client * 0.029
        spans = [(shift + 0.25 * step, shift + 0.25 * step + 0.0375) for step in range(4)]
        shown = [span for span in spans if span[1] <= 1]
        _timeline(drawing, 24 + 20 * client, f"{client + 1}", shown)
    drawing.text(60, 206, "20,000 a second × 60 µs = 1.2 of 8 clients are waiting", "strong")
    drawing.text(60, 226, "empty: time of a client that is in no latency", "soft small")
    return drawing


def latency_understated() -> Drawing:
    """A clock that began too late."""
    drawing = Drawing(
        "A clock that starts after the waiting",
        "A client's next operation is due with the answer before it. The old driver's clock began "
        "only when the client got its turn, so the wait behind other clients was not counted.",
        160,
    )
    drawing.line([(60, 70), (600, 70)], "axis")
    for x, words in ((80, "answer before: due"), (330, "its turn: sent"), (560, "answer")):
        drawing.line([(x, 58), (x, 82)])
        drawing.text(x, 46, words, "small", "middle")
    drawing.box(80, 64, 250, 12, "fill-bad")
    drawing.box(330, 64, 230, 12, "fill-good")
    drawing.text(205, 104, "waits behind others: left out", "t-bad", "middle")
    drawing.text(445, 104, "timed", "t-good", "middle")
    drawing.text(60, 140, "throughput × what was timed = 42 to 64 % of the clients", "strong")
    return drawing


def co_located() -> Drawing:
    """One machine shared, or two."""
    drawing = Drawing(
        "Driver and system on one machine",
        "Left: driver and system share the cores and caches of one machine. Right: each has a "
        "machine, and a network lies between.",
        180,
    )
    drawing.frame(50, 40, 230, 90, "caution")
    drawing.frame(360, 40, 100, 90, "good")
    drawing.frame(510, 40, 100, 90, "good")
    for x, words in ((105, "driver"), (225, "system"), (410, "driver"), (560, "system")):
        drawing.text(x, 90, words, "strong", "middle")
    drawing.line([(460, 85), (510, 85)], "good")
    drawing.text(165, 152, "they compete for cores, caches, memory", "t-caution small", "middle")
    drawing.text(485, 152, "the network is part of the answer", "soft small", "middle")
    return drawing


def _shares(drawing: Drawing, rows: list[tuple[str, list[tuple[float, str, str]]]]) -> None:
    """Bars of 480 pixels, divided into shares with a class and a word each."""
    for place, (label, shares) in enumerate(rows):
        top, left = 44 + 62 * place, 120.0
        drawing.text(110, top + 20, label, "", "end")
        for share, kind, words in shares:
            drawing.box(left, top, 480 * share, 30, kind)
            drawing.text(left + 2, top + 46, words, "small soft")
            left += 480 * share


def errors() -> Drawing:
    """Limits of the share that failed."""
    drawing = Drawing(
        "Share of operations that failed",
        "A scale of the share of failed operations: nothing is said up to 0.1 percent, a caution "
        "up to 1 percent, an error above.",
        150,
    )
    plot = Plot(drawing, 60, 50, 540, 40, (-4, 0), (0, 1))
    for begin, end, kind, words in (
        (-4, -3, "fill-good", "silent"), (-3, -2, "fill-caution", "caution"),
        (-2, 0, "fill-bad", "error"),
    ):  # fmt: skip
        plot.shade(begin, end, kind)
        plot.text((begin + end) / 2, 1.2, words, "", "middle")
    for power, words in ((-4, "0.01 %"), (-3, "0.1 %"), (-2, "1 %"), (-1, "10 %"), (0, "100 %")):
        plot.text(power, -0.5, words, "small soft", "middle")
    drawing.text(60, 136, "failed / (ok + not found + failed)", "strong")
    return drawing


def not_found() -> Drawing:
    """Found and not found."""
    drawing = Drawing(
        "Records that were not found",
        "Of the operations that were answered, a share found no record though only loaded keys are "
        "asked for. Up to 1 percent nothing is said.",
        170,
    )
    _shares(drawing, [
        ("answered", [(0.93, "fill-good", "found"), (0.07, "fill-caution", "7 %")]),
    ])  # fmt: skip
    drawing.text(120, 140, "not found / (ok + not found) ≤ 1 %", "strong")
    return drawing


def verification() -> Drawing:
    """What was written and what came back."""
    drawing = Drawing(
        "A read that returns what was never written",
        "The value of a record follows from seed, key and version. The answer carries another one.",
        150,
    )
    drawing.text(60, 50, "written", "soft")
    drawing.text(60, 90, "read", "soft")
    for place, letter in enumerate("a91f3c07"):
        for row, words in ((50, letter), (90, letter if place not in (3, 4) else "x")):
            wrong = words != letter
            drawing.frame(140 + 34 * place, row - 20, 28, 28, "bad" if wrong else "good")
            drawing.text(154 + 34 * place, row, words, "t-bad strong" if wrong else "", "middle")
    drawing.text(60, 132, "value = f(seed, key, version);  verify_failed = 0", "strong")
    return drawing


def load_complete() -> Drawing:
    """Asked, acknowledged, held."""
    drawing = Drawing(
        "Asked, acknowledged, held",
        "Three bars: records asked for and acknowledged are alike, but the system says it holds "
        "only 60 percent of them: the rest was evicted.",
        250,
    )
    _shares(drawing, [
        ("asked for", [(1.0, "fill-rule", "1,000,000")]),
        ("acknowledged", [(1.0, "fill-good", "1,000,000, by the driver")]),
        ("held", [(0.6, "fill-caution", "600,000, by the system's own count")]),
    ])  # fmt: skip
    return drawing


def data_found() -> Drawing:
    """What a sample of records came to."""
    drawing = Drawing(
        "A sample of the records",
        "Of 1,000 records drawn from all that the workload names, most were found whole, some had "
        "other fields or lengths, and some were not there.",
        170,
    )
    _shares(drawing, [
        ("sampled", [(0.74, "fill-good", "found, of the workload's shape"),
                     (0.14, "fill-caution", "another"), (0.12, "fill-bad", "none")]),
    ])  # fmt: skip
    drawing.text(120, 140, "found = sampled", "strong")
    return drawing


def memory_fit() -> Drawing:
    """Data against what was in effect."""
    drawing = Drawing(
        "Data against memory",
        "Four bars: the data set is small beside the machine's memory, half of the limit, and four "
        "times the cache that was in effect.",
        270,
    )
    rows = [
        ("machine", 1.0, "fill-rule", "16 GiB"), ("limit", 0.5, "fill-rule", "8 GiB"),
        ("data × copies", 0.25, "fill-ink", "4 GiB"), ("cache", 0.0625, "fill-good", "1 GiB"),
    ]  # fmt: skip
    _shares(drawing, [(name, [(share, kind, words)]) for name, share, kind, words in rows[:3]])
    drawing.box(120, 44 + 62 * 3, 480 * 0.0625, 26, "fill-good")
    drawing.text(110, 44 + 62 * 3 + 18, "cache", "", "end")
    drawing.text(160, 44 + 62 * 3 + 18, "1 GiB: reads go past it", "small soft")
    return drawing


def effective_configuration() -> Drawing:
    """Settings and who changed them."""
    drawing = Drawing(
        "Effective against default",
        "Three settings as they are in effect beside the vendor's defaults; the two that differ "
        "are listed with who changed them.",
        170,
    )
    rows = [
        ("appendfsync", "everysec", "everysec", ""), ("maxmemory", "4 GiB", "0", "experiment"),
        ("save", "(empty)", "3600 1 300 100", "plugin"),
    ]  # fmt: skip
    for x, words in ((60, "setting"), (210, "in effect"), (350, "vendor's default"), (510, "by")):
        drawing.text(x, 44, words, "soft small")
    for place, row in enumerate(rows):
        for x, words in zip((60, 210, 350, 510), row, strict=True):
            drawing.text(x, 76 + 30 * place, words, "t-caution strong" if row[3] else "")
    return drawing


def not_told() -> Drawing:
    """Questions, and who answered them."""
    drawing = Drawing(
        "What the system told",
        "Three questions to a system: its reads and writes were answered, its configuration and "
        "its statistics were refused.",
        170,
    )
    rows = [
        ("GET, SET", "answered: measured", ""), ("CONFIG GET", "NOPERM …: not told", "refused"),
        ("INFO", "NOPERM …: not told", "refused"),
    ]  # fmt: skip
    for x, words in ((60, "question"), (260, "the system")):
        drawing.text(x, 44, words, "soft small")
    for place, row in enumerate(rows):
        for x, words in zip((60, 260), row[:2], strict=True):
            drawing.text(x, 76 + 30 * place, words, "t-caution strong" if row[2] else "")
    return drawing


def reconciliation() -> Drawing:
    """Two columns of counts, one pair of which differs."""
    drawing = Drawing(
        "Client and server",
        "Reads and writes as the client and as the server counted them: the writes agree; of the "
        "reads the server served all that were asked, and 2 % of the answers did not come back.",
        140,
    )
    rows = [
        ("reads", "20,000", "19,600", "20,000", "2 % lost"),
        ("writes", "20,000", "20,000", "20,000", ""),
    ]
    places = (60, 180, 300, 420, 540)
    for x, words in zip(places, ("", "asked", "answered", "served", ""), strict=True):
        drawing.text(x, 44, words, "soft small")
    for place, row in enumerate(rows):
        for x, words in zip(places, row, strict=True):
            drawing.text(x, 76 + 30 * place, words, "t-bad strong" if row[4] else "")
    return drawing


def same_program() -> Drawing:
    """Two versions, and one digest."""
    drawing = Drawing(
        "One program under two versions",
        "Two sides: their versions differ, their executables have the same digest, so that nothing "
        "of a build is compared.",
        140,
    )
    rows = [("7.2.4", "4f0c91d2…", ""), ("7.2.5", "4f0c91d2…", "the same program")]
    for x, words in ((60, "version"), (240, "what ran (sha256)")):
        drawing.text(x, 44, words, "soft small")
    for place, row in enumerate(rows):
        for x, words in zip((60, 240, 420), row, strict=True):
            drawing.text(x, 76 + 30 * place, words, "t-bad strong" if row[2] else "")
    return drawing


def caches_unsaid() -> Drawing:
    """A read's way, and where it ends."""
    drawing = Drawing(
        "Where reads are answered",
        "Three places that a read may be answered from: the system's own cache and the page cache, "
        "which the load has filled, and the disk, which nothing asked.",
        170,
    )
    rows = [
        ("the system's own cache", "filled by the load: answered here", "warm"),
        ("the page cache", "filled by the load: answered here", "warm"),
        ("the disk", "not asked", ""),
    ]  # fmt: skip
    for x, words in ((60, "a read asks"), (300, "after a load")):
        drawing.text(x, 44, words, "soft small")
    for place, row in enumerate(rows):
        for x, words in zip((60, 300), row[:2], strict=True):
            drawing.text(x, 76 + 30 * place, words, "t-caution strong" if row[2] else "")
    return drawing


def comparability() -> Drawing:
    """A sheet with one red row."""
    drawing = Drawing(
        "What else differs",
        "A fairness sheet of two sides: system and version are compared, durability differs as "
        "well and could explain a difference, threads agree.",
        190,
    )
    rows = [
        ("system", "Redis", "Memcached", ""), ("durability", "log each second", "none", "differs"),
        ("nodes", "1", "1", "same"), ("machine", "same kind", "same kind", "same"),
    ]  # fmt: skip
    for place, row in enumerate(rows):
        kind = "t-bad strong" if row[3] == "differs" else ""
        for x, words in zip((60, 190, 350, 510), row, strict=True):
            drawing.text(x, 50 + 34 * place, words, kind)
    return drawing


def clock_offset() -> Drawing:
    """The four instants of an exchange."""
    drawing = Drawing(
        "Four instants of an exchange",
        "The agent sends at T1, the server receives at T2 and answers at T3, the agent receives at "
        "T4. The offset is half the sum of the two differences, known to half the round trip.",
        200,
    )
    drawing.line([(60, 60), (600, 60)], "axis")
    drawing.line([(60, 140), (600, 140)], "axis")
    drawing.text(60, 50, "server's clock", "soft small")
    drawing.text(60, 160, "agent's clock", "soft small")
    drawing.line([(180, 140), (290, 60)], "good")
    drawing.line([(350, 60), (480, 140)], "good")
    for x, y, words in ((180, 158, "T1"), (290, 50, "T2"), (350, 50, "T3"), (480, 158, "T4")):
        drawing.text(x, y, words, "strong", "middle")
    drawing.text(330, 190, "offset = ((T2 − T1) + (T3 − T4)) / 2 ≤ interval", "strong", "middle")
    return drawing


def percentile_order() -> Drawing:
    """A curve of percentiles that falls where none can."""
    drawing = Drawing(
        "A higher percentile is never less",
        "Latency over percentiles: the curve rises from p50 to p99, as every one does. A printed "
        "p99 lies below the p95 of the same operations, where none can.",
    )
    plot = Plot(drawing, 60, 40, 540, 160, (45, 101), (0, 1.2))
    plot.axes("percentile", "latency, ms")
    plot.line([50.0, 75.0, 90.0, 95.0, 99.0], [0.2, 0.28, 0.45, 0.6, 1.05], "good")
    plot.line([95.0, 99.0], [0.6, 0.35], "bad dashed")
    drawing.dot(*plot.at(99, 0.35), "fill-bad")
    drawing.dot(*plot.at(95, 0.6), "fill-good")
    plot.text(93.5, 0.68, "p95", "t-good", "end")
    plot.text(98, 0.2, "p99, as printed", "t-bad", "end")
    return drawing


def closed_as_open() -> Drawing:
    """What was asked for, and when clients that wait do ask."""
    drawing = Drawing(
        "Clients that wait keep no rate",
        "Four requests are due at equal distances. A client that waits for its answer asks late, "
        "and its clock starts late, so the wait since each was due is in no latency.",
        190,
    )
    drawing.text(60, 30, "due", "small")
    drawing.line([(60, 40), (600, 40)], "axis")
    for place in range(4):
        drawing.dot(60 + 130 * place, 40, "fill-good", 4.0)
        left = 60 + 165 * place
        drawing.box(60 + 130 * place, 64 + 24 * place, 35 * place, 12, "fill-bad")
        drawing.box(left, 64 + 24 * place, 120 if place < 3 else 45, 12, "fill-good")
    drawing.text(60, 176, "filled red: waited since it was due, and timed by nobody", "t-bad small")
    return drawing
