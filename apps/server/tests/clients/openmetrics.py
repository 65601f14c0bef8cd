"""Reads the metrics with the parser of prometheus_client, which is strict. The parser of the older format reads the same."""

import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain


def samples(families):
    """Names and labels, without those that say when a series began."""
    return {
        (sample.name, tuple(sorted((k, float(v) if k == "le" else v) for k, v in sample.labels.items())))
        for family in families
        for sample in family.samples
    }


with urllib.request.urlopen(sys.argv[1]) as response:
    kind, text = response.headers["Content-Type"], response.read().decode()
assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8", kind
families = list(openmetrics(text))
kinds = {family.name: family.type for family in families}
assert kinds["lockfree_cuckoo_command_errors"] == "counter", kinds
assert kinds["lockfree_cuckoo_command_seconds"] == "histogram", kinds
assert kinds["lockfree_cuckoo_build"] == "info", kinds
assert kinds["lockfree_cuckoo_connections"] == "gauge", kinds
assert all(family.documentation for family in families)
assert samples(plain(text)) == samples(families), samples(plain(text)) ^ samples(families)
print("as it should be")
