"""Reads the metrics with the parser of prometheus_client, which is strict, and compares both formats."""

import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as plain

url = sys.argv[1]


def get(accept):
    request = urllib.request.Request(url, headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request) as response:
        return response.headers["Content-Type"], response.read().decode()


def samples(families):
    """Names and labels, without those that say when a series began."""
    return {
        (sample.name, tuple(sorted((k, float(v) if k == "le" else v) for k, v in sample.labels.items())))
        for family in families
        for sample in family.samples
    }


prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
kind, text = get(prometheus)
assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8", kind
assert text.endswith("\n# EOF\n"), text[-100:]
families = list(openmetrics(text))
kinds = {family.name: family.type for family in families}
assert kinds["membership_command_errors"] == "counter", kinds
assert kinds["membership_command_seconds"] == "histogram", kinds
assert kinds["membership_build"] == "info", kinds
assert kinds["membership_connections"] == "gauge", kinds
assert all(family.documentation for family in families)

for accept in (None, "text/plain", "*/*", "application/openmetrics-text;q=0"):
    kind, text = get(accept)
    assert kind.startswith("text/plain"), (accept, kind)
    assert "# EOF" not in text

assert samples(plain(text)) == samples(families), samples(plain(text)) ^ samples(families)
print("both as they should be")
