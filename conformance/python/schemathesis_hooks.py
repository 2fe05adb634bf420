"""What schemathesis is told of the ledger it tests, so that it does not see 404 alone.

Values that fit the schema by chance are no ledger, no jsn and no signature. So requests that are
well formed are pointed at the ledger that check_rest.py founded, and some get bodies that are
really signed. Requests that are wrong on purpose stay as they are in what is wrong about them.
Every call is noted, for check_rest.py to count.
"""

import itertools
import os
from pathlib import Path

import schemathesis
from rest_client import (
    CLUE, CLUE_JSN, ERASED_JSN, KEY, PEM, PUT, Key, Rest, anchor_request, b64, batch_request, ledger_in,
    signatures)

FOLDER = Path(os.environ["CONFORMANCE_FOLDER"])
FORGETFUL, PURGED = (ledger_in(FOLDER, f"{name}-ledger") for name in ("forgetful", "purged"))
LEDGER, OWNER, CLERK = ledger_in(FOLDER), Key(FOLDER / "owner.pem"), Key(FOLDER / "clerk.pem")
REST = Rest(os.environ["CONFORMANCE_REST"], OWNER)
CALLS = FOLDER / "calls"
# One in so many well formed bodies or queries is a real one, and so are the first.
REAL_FIRST, REAL_EVERY = 2, 8
# Within the ledger that rest_client.py founds: of its parameters of query and path.
SMALL = itertools.cycle([0, 1, 2, 3, 5, 8])
NUMBERS = {"jsn", "height", "size", "from", "to", "fromJsn", "asOfSize", "asOfBlock", "asOf"}

counts = {}


def new_key():
    return Key(FOLDER / f"new-{os.getpid()}-{next(new_key.numbers)}.pem")


new_key.numbers = itertools.count()

def proposal():
    """A grant that the clerk alone has signed, which waits for an owner."""
    request = REST.member_request(
        LEDGER, {"action": "grant", "role": "normal", "spki": b64(new_key().spki)}, CLERK)
    return {field: request[field] for field in ("header", "salt", "signatures")}


def chain():
    """Certificates of a key that is nobody's yet."""
    return new_key().certificate("Another", os.environ["CONFORMANCE_CA"])


def granted():
    """The kid of a new member with certificates, and their digest."""
    member = new_key()
    pem = member.certificate("Granted", os.environ["CONFORMANCE_CA"])
    return {"kid": member.kid, "certDigest": REST.grant(LEDGER, member, pem, OWNER)}


BODIES = {
    "POST /v1/ledgers": lambda: REST.found_request("another", OWNER),
    "POST /v1/ledgers:prepare": lambda: {"name": "another", "owners": [b64(OWNER.spki)]},
    "POST /v1/ledgers/{ledger}:verify": lambda: {
        field: REST.json(f"/v1/ledgers/{LEDGER}/journals/2/receipt")[field]
        for field in ("leaf", "receipt")
    },
    "POST /v1/ledgers/{ledger}/members": lambda: REST.member_request(
        LEDGER, {"action": "add", "role": "normal", "spki": b64(new_key().spki)}, OWNER),
    "POST /v1/ledgers/{ledger}/state:lookup": lambda: {"keyTexts": [KEY, "never written"]},
    "POST /v1/ledgers/{ledger}/proposals": proposal,
    "POST /v1/ledgers/{ledger}/anchors": lambda: anchor_request(REST, LEDGER, CLERK),
    "POST /v1/ledgers/{ledger}/members:prepare": lambda: {
        "action": "revoke", "kid": CLERK.kid, "signers": [OWNER.kid]},
    "POST /v1/ledgers/{ledger}/journals": lambda: REST.journal_request(LEDGER, b"one", CLERK),
    "POST /v1/ledgers/{ledger}/journals:batch": lambda: batch_request(
        REST, LEDGER, [b"one", b"two"], CLERK),
    "POST /v1/ledgers/{ledger}/journals:prepare": lambda: {
        "payload": b64(b"one"), "signers": [CLERK.kid], "operations": [PUT]},
}


# No schema says that a clue is told by its text or by its id, nor which keys there are.
QUERIES = {
    "GET /v1/ledgers/{ledger}/clue": {"clue": CLUE},
    "GET /v1/ledgers/{ledger}/lineage": {"clue": CLUE, "order": "desc", "limit": 2},
    "GET /v1/ledgers/{ledger}/journals/{jsn}/membership": {"clue": CLUE},
    "GET /v1/ledgers/{ledger}/state/{key}": {"proof": "true"},
    "GET /v1/ledgers/{ledger}/state/{key}/history": {"limit": 2},
    "GET /v1/ledgers/{ledger}/state": {"from": "a", "limit": 2},
}


# Each is of a proposal that waits, and of no other.
KEPT = "/v1/ledgers/{ledger}/proposals/{requestHash}"
ON_PROPOSALS = {f"GET {KEPT}", f"DELETE {KEPT}", f"POST {KEPT}/signatures"}

# And each of these of a member that was just granted.
CHAIN = "/v1/ledgers/{ledger}/certificates"
ON_CHAINS = {
    f"GET {CHAIN}/{{certDigest}}", f"DELETE {CHAIN}/{{certDigest}}",
    "GET /v1/ledgers/{ledger}/members/{kid}/certificate"}
JOURNAL = "/v1/ledgers/{ledger}/journals/{jsn}"
ON_ERASED = {f"GET {JOURNAL}/erasure", f"GET {JOURNAL}/certificate"}
PREPARE_PURGE, PSEUDO_GENESIS = (
    "POST /v1/ledgers/{ledger}/purges:prepare", "GET /v1/ledgers/{ledger}/pseudo-genesis")
ON_PURGED = {PREPARE_PURGE, PSEUDO_GENESIS}
PURGE_BLOCK = 5  # of the purge that rest_client.py makes; the next purge goes at least so far
SHOW = f"POST {CHAIN}"
ERASE = f"DELETE {CHAIN}/{{certDigest}}"
PROPOSALS = "/v1/ledgers/{ledger}/proposals"
# Refused without a token, whatever the ledger is.
TOKENED = {
    ERASE, f"GET {PROPOSALS}", f"GET {PROPOSALS}/{{requestHash}}",
    f"DELETE {PROPOSALS}/{{requestHash}}"}


@schemathesis.serializer(PEM)
def as_it_is(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


def is_right(case):
    """Whether every part of a request is well formed, as schemathesis sees it."""
    return all(found.mode.is_positive for found in case.meta.components.values())


def is_positive(case, location):
    """Whether a part of a request is well formed, as schemathesis sees it."""
    return case.meta is None or all(
        found.mode.is_positive for at, found in case.meta.components.items() if at.value == location)


@schemathesis.hook
def before_call(context, case, kwargs):
    label = case.operation.label
    # What would succeed with any body or digest that was seen before is also asked for as it is wrong.
    if label not in TOKENED or is_positive(case, "header"):
        case.headers["Authorization"] = f"Bearer {REST.token()}"
    if case.meta is None or not case.meta.generation.mode.is_positive and not case.meta.components:
        return
    if label == SHOW and not is_positive(case, "path"):
        return
    if is_positive(case, "path_parameters") and "ledger" in (case.path_parameters or {}):
        case.path_parameters["ledger"] = LEDGER
        for name in NUMBERS & set(case.path_parameters):
            case.path_parameters[name] = next(SMALL)
    if is_positive(case, "query") and case.query:
        for name in NUMBERS & set(case.query):
            case.query[name] = next(SMALL)
    if label in ON_CHAINS | {SHOW} and not is_right(case):
        return
    real = label in BODIES | QUERIES or label in ON_PROPOSALS | ON_CHAINS | ON_ERASED | ON_PURGED | {SHOW}
    if real and case.meta.generation.mode.is_positive:
        counts[label] = counts.get(label, 0) + 1
        if counts[label] <= REAL_FIRST or counts[label] % REAL_EVERY == 0:
            make_real(case, label)


def make_real(case, label):
    if label in ON_PROPOSALS:
        kept = REST.json(f"/v1/ledgers/{LEDGER}/proposals", proposal())
        case.path_parameters["requestHash"] = kept["requestHash"]
        if case.method.upper() == "POST":
            case.body, case.media_type = signatures(kept, OWNER)[0], "application/json"
    elif label in ON_CHAINS:
        case.path_parameters.update(
            (name, value) for name, value in granted().items() if name in case.path_parameters)
    elif label in ON_ERASED:
        case.path_parameters.update(ledger=FORGETFUL, jsn=ERASED_JSN)
    elif label in ON_PURGED:
        case.path_parameters["ledger"] = PURGED
        if label == PREPARE_PURGE:
            case.body, case.media_type = {"height": PURGE_BLOCK}, "application/json"
    elif label == SHOW:
        case.body, case.media_type = chain(), PEM
    elif label in BODIES:
        case.body, case.media_type = BODIES[label](), "application/json"
    else:
        case.query = dict(QUERIES[label])
        if "jsn" in case.path_parameters:
            case.path_parameters["jsn"] = CLUE_JSN
        if "key" in case.path_parameters:
            case.path_parameters["key"] = KEY


@schemathesis.hook
def after_call(context, case, response):
    mode = case.meta.generation.mode.value if case.meta else "none"
    with CALLS.open("a") as calls:
        print(mode, response.status_code, case.operation.label, file=calls)
