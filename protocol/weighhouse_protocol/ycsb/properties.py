"""Names of YCSB's properties, and what they are called here.

Sources: CoreWorkload, Client and measurements of YCSB at d9faaac; go-ycsb's pkg/prop.
"""

from collections.abc import Mapping

OPERATIONS = {
    "read": "readproportion",
    "update": "updateproportion",
    "insert": "insertproportion",
    "scan": "scanproportion",
    "read_modify_write": "readmodifywriteproportion",
    "delete": "deleteproportion",
}
DEFAULT_SHARES = {"read": 0.95, "update": 0.05}
SCALED = {
    "fieldcount": "field_count",
    "fieldlength": "field_length",
    "minfieldlength": "min_field_length",
    "insertstart": "insert_start",
    "insertcount": "insert_count",
    "zeropadding": "zero_padding",
    "minscanlength": "min_scan_length",
    "maxscanlength": "max_scan_length",
    "core_workload_insertion_retry_limit": "insert_retry_limit",
}
"""Whole numbers that are taken over as they are → their name here."""
SHARES = {
    "hotspotdatafraction": "hotspot_data_fraction",
    "hotspotopnfraction": "hotspot_operation_fraction",
    "exponential.percentile": "exponential_percentile",
    "exponential.frac": "exponential_fraction",
}
FLAGS = {
    "readallfields": "read_all_fields",
    "readallfieldsbyname": "read_fields_by_name",
    "writeallfields": "write_all_fields",
}
HISTOGRAMS = "histograms of every operation are stored whole; weighhouse-events writes other forms"
OWN_LOGS = "each run keeps the log of its driver"
UNREAD = "YCSB's template has it, and no part of YCSB reads it"
WITHOUT_EFFECT: Mapping[str, str] = {
    "dotransactions": "every run loads, then measures",
    "status": "progress is always shown",
    "status.interval": "phases.interval_seconds is the length of an interval",
    "label": "runs have names of their own",
    "exporter": "results are stored; weighhouse-events writes YCSB's text",
    "exportfile": "results are stored; weighhouse-events writes YCSB's text",
    "spin.sleep": "pacing always spends the last stretch without sleeping",
    "reportlatencyforeacherror": "errors are always told apart by kind",
    "latencytrackederrors": "errors are always told apart by kind",
    "core_workload_insertion_retry_interval": "a failed insert is tried again at once",
    "core_workload_insertion_keep_going_on_error": "a record that cannot be inserted is left out",
    "measurementtype": HISTOGRAMS,
    "measurement.interval": "response and service time are both recorded",
    "measurement.trackjvm": "there is no Java machine; the driver's own resources are recorded",
    "measurement.histogram.verbose": HISTOGRAMS,
    "measurement.raw.output_file": HISTOGRAMS,
    "measurement.raw.no_summary": HISTOGRAMS,
    "measurement.output_file": HISTOGRAMS,
    "hdrhistogram.percentiles": HISTOGRAMS,
    "hdrhistogram.fileoutput": HISTOGRAMS,
    "hdrhistogram.output.path": HISTOGRAMS,
    "histogram.buckets": HISTOGRAMS,
    "histogram.percentiles.export": HISTOGRAMS,
    "histogram.percentiles.export.filepath": HISTOGRAMS,
    "timeseries.granularity": HISTOGRAMS,
    "maxscanrate": UNREAD,
    "scanoptimelimit": UNREAD,
    "discardscannedrecord": UNREAD,
    "command": OWN_LOGS,
    "verbose": OWN_LOGS,
    "silence": OWN_LOGS,
    "outputstyle": OWN_LOGS,
    "debug.pprof": OWN_LOGS,
    "debug": OWN_LOGS,
    "test": OWN_LOGS,
}
"""Properties that change nothing here → why."""
PREFIXES_WITHOUT_EFFECT = {
    "htrace.": "nothing is traced",
    "basicdb.": "it is of YCSB's own stand-in for a database",
    "gbudb.": "it is of YCSB's own stand-in for a database",
}
GO_YCSBS = "is go-ycsb's, and YCSB ignores it: leave it out"
REFUSED: Mapping[str, tuple[str, frozenset[str]]] = {
    name: (message, frozenset(harmless))
    for name, message, harmless in (
        (
            "keylength",
            "YCSB has no such property; a key is `keyprefix` and a number that `zeropadding` pads",
            (),
        ),
        ("warmuptime", f"{GO_YCSBS}, for `phases.warmup_seconds` of the experiment", ("0",)),
        ("batch.size", f"{GO_YCSBS}; a read may have `keys_per_read`", ("0", "1")),
        ("dropdata", f"{GO_YCSBS}; nothing that others wrote is ever removed", ("false",)),
    )
}
"""Properties of others that would change what is measured → why not, and values that do not."""
CORE_KNOWN = frozenset({
    *OPERATIONS.values(), *SCALED, *SHARES, *FLAGS, *WITHOUT_EFFECT, *REFUSED, "db", "workload",
    "recordcount", "operationcount", "threadcount", "target", "maxexecutiontime", "table",
    "requestdistribution", "fieldnameprefix", "fieldlengthdistribution", "fieldlengthhistogram",
    "dataintegrity", "scanlengthdistribution", "insertorder", "zipfianconstant", "keyprefix",
})  # fmt: skip
