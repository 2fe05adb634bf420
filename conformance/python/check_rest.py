"""Shows the REST front to schemathesis, which makes requests out of the OpenAPI document.

    check_rest.py SCHEMATHESIS URL FOLDER     FOLDER is what rest_client.py left

An operation passes if no check of schemathesis failed and at least one answer was 2xx. The tampered
twins are documents that say something untrue of each operation's success: schemathesis must find
fault with every one of them, or it has seen nothing.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

import effort
import yaml
from rest_client import Rest

SCHEMATHESIS, URL, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])
SEED, EXAMPLES, TIMEOUT_SECONDS = 20261121, effort.of(6, 12), 600

# A limit that is passed is told with 413; a fault of the service is never an expected answer.
CONFIG = """
[checks]
# Every call has a good token: what is no token is for the tests of the service itself.
ignored_auth.enabled = false
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422]
positive_data_acceptance.expected-statuses = ["2xx", 404]
missing_required_header.expected-statuses = [400, 406, 415, 422]
# A size beyond the newest head is 404 by design, also of a ledger that was founded a moment ago.
ensure_resource_availability.enabled = false

# No schema can say that bytes are canonical CBOR, a signature of a member, or a point of a curve,
# and none that two parameters exclude each other, or which of two keys is the lower one.
[[operations]]
include-operation-id = [
  "createLedger", "prepareLedger", "changeMember", "prepareMember", "appendJournal", "appendBatch",
  "prepareJournal", "verify", "listJournals", "getClue", "listLineage", "getMembership",
  "getState", "getStateHistory", "listState", "lookUpState", "putProposal", "signProposal", "withdrawProposal",
  "setTrustedAnchor", "preparePurge",
]
[operations.checks]
positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 410, 413, 422, 451]

# This service asks no time authority: 409. A call without its token has one here, see above.
[[operations]]
include-operation-id = ["requestTime"]
[operations.checks]
positive_data_acceptance.expected-statuses = ["2xx", 404, 409]
missing_required_header.enabled = false

# Its body is text that is PEM or not: there is no other type that could be sent in its place.
[[operations]]
include-operation-id = ["showCertificates"]
[operations.checks]
positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 413, 422]
negative_data_rejection.enabled = false
"""


def run(name, document, *options):
    """What failed of each operation, and how often each was answered how."""
    calls = FOLDER / "calls"
    calls.unlink(missing_ok=True)
    config, report = FOLDER / "schemathesis.toml", FOLDER / f"{name}.xml"
    config.write_text(CONFIG)
    with open(FOLDER / f"{name}.out", "w") as out:
        done = subprocess.run(
            [SCHEMATHESIS, "--no-color", "--config-file", config, "run", document, "--url", URL,
             "--seed", str(SEED), "--max-examples", str(EXAMPLES), "--continue-on-failure",
             "--generation-database", "none", "--report", "junit", "--report-junit-path", report,
             *options],
            cwd=FOLDER, stdout=out, stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS,
            env={
                **os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
                "PYTHONPATH": str(Path(__file__).parent),
                "CONFORMANCE_FOLDER": str(FOLDER), "CONFORMANCE_REST": URL,
            })
    if done.returncode not in (0, 1) or not report.exists():
        sys.exit((FOLDER / f"{name}.out").read_text())
    failed = {
        case.get("name") for case in xml.parse(report).iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None}
    answers = Counter(tuple(line.rstrip().split(" ", 2)) for line in calls.open())
    return failed, answers, done.returncode == 0


# Nothing but refusals come of a service without a time authority, as this one is.
WITHOUT_TIME = {"GET /v1/ledgers/{ledger}/last-time", "POST /v1/ledgers/{ledger}/times"}


def operations(document):
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            yield f"{verb.upper()} {path}", operation


def falsify(document):
    """Each success is said to be something else: another status, another type, another schema."""
    for number, (_, operation) in enumerate(operations(document)):
        responses = operation["responses"]
        for status in [status for status in responses if status.startswith("2")]:
            answer = responses.pop(status)
            content = answer.get("content", {})
            if number % 3 == 0:
                responses["299"] = answer
            elif number % 3 == 1 and "application/json" in content:
                schema = content["application/json"]["schema"]
                never = {"allOf": [schema, {"required": ["neverThere"]}]}
                responses[status] = {**answer, "content": {"application/json": {"schema": never}}}
            else:
                responses[status] = {
                    "description": "untrue", "content": {"application/x-untrue": {"schema": {}}}}


def main():
    text = Rest(URL).call("/v1/openapi.yaml", accept="application/yaml")[2]
    document = FOLDER / "openapi.yaml"
    document.write_bytes(text)
    parsed = yaml.safe_load(text)
    labels = [label for label, _ in operations(parsed)]

    failed, answers, passed = run("rest", document)
    reached = {label for (_, status, label) in answers if status.startswith("2")}
    wrong = {
        label for label in labels
        if label in failed or label not in reached | WITHOUT_TIME}
    strange = {name for name in failed if name not in labels}
    falsify(parsed)
    twin = FOLDER / "openapi-untrue.yaml"
    twin.write_text(yaml.safe_dump(parsed, sort_keys=False))
    found, _, _ = run("rest-untrue", twin, "--phases", "fuzzing", "--mode", "positive")
    unseen = [label for label in labels if label not in found | WITHOUT_TIME]

    for label in sorted(wrong | strange):
        why = "failed" if label in failed else "was never answered with 2xx"
        print(f"FAILED schemathesis: {label} {why}", file=sys.stderr)
    if wrong or strange or not passed:
        print((FOLDER / "rest.out").read_text(), file=sys.stderr)
    for label in unseen:
        print(f"FAILED schemathesis: {label} passed with an untrue document", file=sys.stderr)
    calls = sum(answers.values())
    rejected = sum(
        count for (mode, status, _), count in answers.items()
        if mode == "negative" and status.startswith("4"))
    print(f"schemathesis: {calls} calls, {rejected} wrong on purpose and refused")
    failures = len(wrong | strange) + len(unseen) + (not passed and not wrong and not strange)
    print(
        f"schemathesis: {len(labels) - len(wrong)} accepted, "
        f"{len(labels) - len(unseen)} tampered refused, {failures} failed")
    sys.exit(0 if failures == 0 else 1)


if __name__ == "__main__":
    main()
