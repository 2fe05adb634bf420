"""Has tallyclient keep a state at a service, read it back, and audit the ledger's public files.

usage: check_client_state.py URL

The client founds a public ledger with a state, puts and deletes on conditions, alone and in
batches, and compares what it reads, each reading with its proof, with what it wrote. The service
must refuse requests with a changed byte, and operations whose precondition does not hold. The client
must refuse readings with a changed byte, and older ones. tallyverify replays the state from the
files that the service publishes, and must refuse changed operations.
"""

import copy
import dataclasses
import sys

from tallyclient import request
from tallyclient.client import Client
from tallyclient.request import Shape
from tallyclient.rest import Refused, Rest, b64, un64
from tallyclient.signing import Key
from tallyclient.state import IF_ABSENT, Operation, if_commit, if_version, value_commit
from tallyverify.audit import audit_files
from tallyverify.rejected import Fault
from tallyverify.tiles import Web

from check_client import Tally, flips, taken

# Partitions of 64 entries: some are closed, and the fold looks through them.
SHAPE = Shape(64, 4, 4)
BATCH, BATCHES = 280, 2
OPS = "tile/ops/001"


def put(key, value, precondition=None):
    return Operation(key, value, precondition)


def delete(key, precondition=None):
    return Operation(key, None, precondition)


def conflicts(jsn, index, act, *arguments):
    """Whether something was done; it must have been refused for this entry and request of a batch."""
    try:
        act(*arguments)
    except Refused as e:
        found = e.status, e.code, e.jsn, e.index
        if found != (409, "precondition_failed", jsn, index):
            sys.exit(f"refused, but not because of entry {jsn}: {found}: {e}")
        return False
    return True


def request_twins(client, asked, attestation):
    """Requests whose operations are others than those that were signed."""
    for part, step in (("ops", 2), ("body", 3), ("header", 5)):
        for at, changed in flips(getattr(asked, part), step):
            twin = dataclasses.replace(asked, **{part: changed})
            yield f"a flipped bit in byte {at} of its {part}", (client.send, twin, attestation)
    yield "no operations", (client.send, dataclasses.replace(asked, ops=b""), attestation)
    other = request.append(client.ledger, b"", "", [delete(b"seat")], salt=asked.salt)
    yield "other operations", (client.send, dataclasses.replace(asked, ops=other.ops), attestation)


def show_conditions(tally, client):
    """Operations on conditions that hold and that do not; answers what wrote `seat` and `gone`."""
    operations = [
        put(b"seat", b"free", IF_ABSENT), put(b"gone", b"for now"), delete(b"none", IF_ABSENT)]
    asked = request.append(client.ledger, b"a payload", "text/plain", operations)
    attestation = client.signed(asked)
    for change, twin in request_twins(client, asked, attestation):
        tally.judge_refused(change, taken, twin)
    tally.judge("puts and a deletion", taken, (client.send, asked, attestation), [])
    first = client.send(asked, attestation).jsn
    free = value_commit(asked.salt, 0, b"free")
    taken_by = client.append(b"", "", [put(b"seat", b"alice", if_commit(free))]).jsn
    gone = client.append_cose(b"", "", [delete(b"gone", if_version(first))]).jsn
    before = client.read(b"gone", client.read(b"gone", since=gone + 1).height - 1)
    if (before.what, before.value) != ("present", b"for now"):
        sys.exit(f"before its deletion {before}")
    for what, operation, stands in (
        ("a key that is there taken as absent", put(b"seat", b"bob", IF_ABSENT), taken_by),
        ("a value that was replaced", put(b"seat", b"bob", if_commit(free)), taken_by),
        ("a version that was replaced", put(b"seat", b"bob", if_version(first)), taken_by),
        ("the version of a deletion", put(b"gone", b"bob", if_version(gone)), gone),
        ("a version of what was never written", delete(b"nothing", if_version(first)), 0),
    ):
        tally.judge_refused(what, conflicts, (
            stands, None, client.append, b"", "", [put(b"other", b""), operation]))
    batch = [
        request.append(client.ledger, b"", "", [put(b"batched", b"1")]),
        request.append(client.ledger, b"", "", [put(b"batched", b"2", IF_ABSENT)]),
    ]
    newest = client.append(b"the newest").jsn
    tally.judge_refused("a precondition that the same batch breaks", conflicts, (
        newest + 2, 1, client.send_batch, batch, client.signed_batch(batch)))
    return taken_by, gone


def prepared(client):
    """A journal with operations that the service encodes, and the client again, is appended."""
    operations = [
        put(b"prepared", b"\0\1", IF_ABSENT), put(b"seat 2", b""),
        delete(b"x", if_version(3)), put(b"y", b"y", if_commit(bytes(32)))]
    told = client.prepare(b"", "", operations)
    client.check_prepared(told, b"", "", operations)
    client.send(*client.prepared(b"", "", operations[:2]))


def prepared_twins(client):
    operations = [put(b"prepared", b"1"), delete(b"seat")]
    told = client.prepare(b"", "", operations)
    for at, changed in flips(un64(told["ops"]), 3):
        yield f"byte {at} of prepared operations", (
            client.check_prepared, {**told, "ops": b64(changed)}, b"", "", operations)
    yield "prepared operations left out", (
        client.check_prepared, {**told, "ops": ""}, b"", "", operations)
    yield "other prepared operations", (client.check_prepared, told, b"", "", operations[:1])


def reading_twins(client, told, key, others):
    """What a service could have answered instead; `others` are true answers about other keys."""
    def twin(change, *more):
        changed = copy.deepcopy(told)
        change(changed)
        return client.check_reading, changed, key, *more

    def at(*path):
        def change(answer, content):
            *holders, name = path
            for holder in holders:
                answer = answer[holder]
            answer[name] = content
        return change

    for field in (("proof",), ("head", "sealLeaf"), ("head", "headReceipt"), ("entry", "value")):
        if field[0] in told:
            place = told[field[0]] if len(field) == 1 else told[field[0]][field[1]]
            for byte, changed in flips(un64(place), 3):
                yield f"byte {byte} of {field[-1]}", twin(
                    lambda answer, f=field, c=changed: at(*f)(answer, b64(c)))
    for field, content in (
        (("state",), "absent" if told["state"] != "absent" else "deleted"), (("key",), b64(b"k")),
        (("head", "size"), 1), (("head", "height"), 0), (("head", "root"), "00" * 32),
        (("deletedJsn",), 1), (("neverWritten",), False), (("entry", "jsn"), 1),
        (("entry", "opening"), "00" * 32), (("entry", "valueSize"), 1),
    ):
        if field[0] in told:
            yield f"another {field[-1]}", twin(lambda answer, f=field, c=content: at(*f)(answer, c))
    yield "an older head than is known", twin(lambda answer: None, None, told["head"]["size"] + 1)
    yield "another height than asked for", twin(lambda answer: None, told["head"]["height"] - 1)
    for other in others:
        yield "the answer about another key", (client.check_reading, other, key)
        yield "the proof about another key", twin(
            lambda answer, o=other: answer.update(head=o["head"], proof=o["proof"]))


def show_readings(tally, client, taken_by, gone):
    """A value, a deletion and an absence, as of the newest and of an older block."""
    def told(key):
        return client.rest.get_json(client.path(f"state/{key.hex()}?keys=hex"))

    wanted = {
        b"seat": ("present", taken_by, b"alice"), b"gone": ("deleted", gone, None),
        b"nothing": ("neverWritten", None, None), b"batched": ("neverWritten", None, None),
        b"other": ("neverWritten", None, None)}
    answers = {key: told(key) for key in list(wanted)[:3]}
    for key, what in wanted.items():
        reading = client.read(key, since=gone + 1)
        if (reading.what, reading.jsn, reading.value) != what:
            sys.exit(f"{key} is read as {reading}, want {what}")
        others = [answer for other, answer in answers.items() if other != key]
        twins = reading_twins(client, answers[key], key, others) if key in answers else []
        tally.judge(f"the reading of {key}", taken, (client.read, key, reading.height), twins)


def write_batches(client):
    """Keys put, replaced and deleted in batches that go over the borders of files."""
    state = {}
    for number in range(BATCHES):
        asked = []
        for i in range(BATCH):
            key = b"key %03d" % (i * 37 % 200)
            value = None if i % 5 == 4 else b"%d of batch %d" % (i, number)
            operations = [Operation(key, value), put(b"%d" % i, b"")] if i % 3 else [Operation(key, value)]
            asked.append(request.append(client.ledger, b"", "", operations if i % 7 else []))
            state |= {one.key: one.value for one in (operations if i % 7 else [])}
        last = client.send_batch(asked, client.signed_batch(asked))[-1]
    return {key: value for key, value in state.items() if value is not None}, last.tree_size


def same_keys(client, wanted, since):
    """That the proven pages of all keys have what was written, values included."""
    found = client.keys(since)
    if found != sorted(wanted.items()):
        sys.exit(f"{len(found)} keys are listed, {len(wanted)} were written, or others")


class Changed:
    """Files as they are served, but for one that is another or missing."""

    def __init__(self, files, path, content):
        self._files, self._path, self._content = files, path, content

    def read(self, path, most):
        return self._content if path == self._path else self._files.read(path, most)


def items(bundle):
    found = []
    while bundle:
        length = 4 + int.from_bytes(bundle[:4], "big")
        found.append(bundle[:length])
        bundle = bundle[length:]
    return found


def file_twins(files):
    """What could have been published instead of the operations of leaves 256 to 511."""
    good = files.read(OPS, 1 << 30)
    found = items(good)
    at = next(i for i, item in enumerate(found) if len(item) > 4 and len(found[i + 1]) == 4)
    whole = found[at]
    key = whole.index(b"key ")

    def with_items(*changed):
        return b"".join([*found[:at], *changed, *found[at + len(changed) :]])

    none = bytes(4)
    for change, content, jsn, kind in (
        ("another key", with_items(whole[:key] + b"kez " + whole[key + 4 :]), 256 + at,
         "OPERATIONS_MISMATCH"),
        ("operations dropped", with_items(none), 256 + at, "OPERATIONS_MISSING"),
        ("operations moved", with_items(none, whole), 256 + at, "OPERATIONS_MISSING"),
        ("operations doubled", with_items(whole, whole), 257 + at, "OPERATIONS_MISMATCH"),
        ("a bundle cut short", good[:-1], 256, "LOG_MALFORMED"),
        ("no bundle", None, 256, "LOG_TRUNCATED"),
    ):
        yield change, (Changed(files, OPS, content), jsn, kind)


def show_files(tally, client, url, head):
    """The files that the service publishes, and twins of them."""
    files = Web(f"{url}/l/{client.ledger.hex()}/0")
    report = audit_files(files, client.ledger, 0, head)
    if report.size < head.size or not report.counts["operations"]:
        sys.exit(f"another log is published: {report}")

    def judged(files, jsn, kind):
        try:
            audit_files(files, client.ledger)
        except Fault as fault:
            if (fault.jsn, fault.kind) != (jsn, kind):
                sys.exit(f"{fault}, want {kind} at {jsn}")
            return False
        return True

    tally.judge("the published files", judged, (files, 0, ""), file_twins(files))


def main():
    url = sys.argv[1]
    client = Client.found(Rest(url), "python client, state", Key.fresh(), public=True, state=SHAPE)
    tally = Tally("tallyclient, state")
    taken_by, gone = show_conditions(tally, client)
    show_readings(tally, client, taken_by, gone)
    tally.judge("prepared operations", taken, (prepared, client), prepared_twins(client))
    written, size = write_batches(client)
    written |= {b"seat": b"alice", b"prepared": b"\0\1", b"seat 2": b""}
    tally.judge("all keys", taken, (same_keys, client, written, size), [])
    show_files(tally, client, url, client.read(b"seat", since=size).head)
    tally.finish()


if __name__ == "__main__":
    main()
