"""Request headers and bodies: docs/formats/request.md."""

import hashlib
from dataclasses import dataclass
from typing import Any

from . import cbor
from .keys import ED25519, PublicKey, parse
from .merkle import SIZE_MAX
from .rejected import Malformed, Rejected

APPEND, CLUE_DELETE = 1, 2
MEMBER_ADD, MEMBER_REVOKE, PARAMETERS = 16, 17, 18
KEY_ROTATION, TIME = 19, 20
PURGE, OCCULT, RECALL = 21, 22, 23
GRANT, CLOSE = 24, 25
KINDS = {APPEND, CLUE_DELETE, MEMBER_ADD, MEMBER_REVOKE, PARAMETERS}
KINDS |= {KEY_ROTATION, TIME, PURGE, OCCULT, RECALL, GRANT, CLOSE}

OWNER, REGULATOR, NORMAL, READ_ONLY, VERIFY_ONLY = 1, 2, 3, 4, 5
STRAND_MAX = 2**31 - 1
PAYLOAD_BYTES_MAX = 1024 * 1024
BODY_BYTES_MAX = 1114112
CONTENT_TYPE_BYTES_MAX = 255
CLUES_MAX, CLUE_BYTES_MAX = 64, 256
OPERATIONS_MAX = 10000
PROOF_BYTES_MAX = 12288
TARGETS_MAX, BASIS_BYTES_MAX, RECALL_MS_MAX = 100, 128, 7776000000
EMPTY_BODY = bytes.fromhex("8440608080")


@dataclass(frozen=True)
class MemberAdd:
    """A key and the role it is to have."""

    role: int
    key: PublicKey


@dataclass(frozen=True)
class MemberRevoke:
    """The kid that is to be no member any more."""

    kid: bytes


@dataclass(frozen=True)
class Parameters:
    """Features that are to be on from a block on."""

    first_height: int
    features: frozenset[int]


@dataclass(frozen=True)
class Grant:
    """A key and what it may do: docs/formats/people-and-time.md."""

    role: int
    key: PublicKey
    not_after_ms: int | None
    replaces: bytes | None
    delegated: bool


@dataclass(frozen=True)
class Close:
    """Only kinds 19 to 23 come behind it."""


@dataclass(frozen=True)
class KeyRotation:
    """The service's keys from the head of this block on."""

    note_key: PublicKey
    receipt_key: PublicKey


@dataclass(frozen=True)
class Time:
    """A head and who says that it existed; without a token that is another ledger."""

    size: int
    root: bytes
    previous: tuple[int, bytes] | None
    token: bytes | None
    entry: tuple[bytes, bytes, bytes, bytes] | None = None  # T-Ledger id, receipt file, salt, body


@dataclass(frozen=True)
class Purge:
    """All below a journal goes: docs/formats/removal.md."""

    first_kept: int
    height: int
    snapshot_digest: bytes
    recall_ms: int


@dataclass(frozen=True)
class Occult:
    """Bodies from first to last go: of the journals named, or else of all with the clue."""

    first: int
    last: int
    named: tuple[tuple[int, bytes], ...] | None
    clue_id: bytes | None
    basis: str


@dataclass(frozen=True)
class Recall:
    """A purge is taken back."""

    purge: int


Removal = Purge | Occult | Recall
Change = MemberAdd | MemberRevoke | Parameters | Grant | Close | KeyRotation | Time | Removal


@dataclass(frozen=True)
class Header:
    """A RequestHeader."""

    encoded: bytes
    ledger_id: bytes
    strand: int
    kind: int
    client_time_ms: int
    expires_ms: int
    body_commit: bytes
    body_size: int
    clue_ids: tuple[bytes, ...]
    operations: int
    ops_root: bytes | None
    change: Change | None

    @property
    def request_hash(self) -> bytes:
        """What is signed."""
        return hashlib.sha256(self.encoded).digest()


def parse_header(encoded: bytes) -> Header:
    """A RequestHeader from its encoding."""
    items = cbor.array(cbor.decode(encoded), "the RequestHeader", 13)
    cbor.exactly(items[0], 1, "version")
    kind = cbor.uint(items[3], "kind")
    cbor.uint(items[4], "clientSeq")
    client_time = cbor.time(items[5], "clientTimeMs")
    expires = cbor.time(items[6], "expiresMs")
    if expires < client_time:
        raise Malformed("expiresMs before clientTimeMs")
    clue_ids = tuple(
        cbor.digest(item, "a clue id") for item in cbor.array(items[9], "clueIds", most=CLUES_MAX)
    )
    if any(a >= b for a, b in zip(clue_ids, clue_ids[1:], strict=False)):
        raise Malformed("clue ids do not ascend")
    operations = cbor.uint(items[11], "opsCount", 0, OPERATIONS_MAX)
    if operations:
        cbor.digest(items[10], "opsRoot")
    else:
        cbor.exactly(items[10], None, "opsRoot")
    header = Header(
        encoded,
        cbor.digest(items[1], "ledgerId"),
        cbor.uint(items[2], "strand", 0, STRAND_MAX),
        kind,
        client_time,
        expires,
        cbor.digest(items[7], "bodyCommit"),
        cbor.uint(items[8], "bodySize", len(EMPTY_BODY), BODY_BYTES_MAX),
        clue_ids,
        operations,
        items[10],
        _change(kind, items[12]),
    )
    _check_kind(header)
    return header


def _change(kind: int, ext: Any) -> Change | None:
    if kind not in KINDS:
        raise Malformed(f"kind {kind}")
    if kind < 16:
        cbor.mapping(ext, "ext", set())
        return None
    content = cbor.mapping(ext, "ext", {1})[1]
    if kind == PARAMETERS:
        return _parameters(content)
    if kind == GRANT:
        return _grant(content)
    if kind == KEY_ROTATION:
        return _key_rotation(content)
    if kind == TIME:
        return _time(content)
    if kind == CLOSE:
        (number,) = cbor.array(content, "the change", 1)
        cbor.exactly(number, 10, "the change's type")
        return Close()
    if kind in (PURGE, OCCULT, RECALL):
        return _removal(kind, content)
    if kind == MEMBER_ADD:
        number, role, spki = cbor.array(content, "the change", 3)
        cbor.exactly(number, 1, "the change's type")
        role = cbor.uint(role, "role", OWNER, VERIFY_ONLY)
        return MemberAdd(role, parse(cbor.byte_string(spki, "an SPKI")))
    number, kid = cbor.array(content, "the change", 2)
    cbor.exactly(number, 2, "the change's type")
    return MemberRevoke(cbor.digest(kid, "kid"))


def _removal(kind: int, content: Any) -> Removal:
    if kind == PURGE:
        number, first_kept, height, digest, recall = cbor.array(content, "the change", 5)
        cbor.exactly(number, 6, "the change's type")
        first_kept = cbor.uint(first_kept, "firstKept", 4)
        height = cbor.uint(height, "height", 1, (first_kept - 2) // 2)
        recall = cbor.uint(recall, "recallMs", 0, RECALL_MS_MAX)
        return Purge(first_kept, height, cbor.digest(digest, "snapshotDigest"), recall)
    if kind == RECALL:
        number, purge = cbor.array(content, "the change", 2)
        cbor.exactly(number, 8, "the change's type")
        return Recall(cbor.uint(purge, "purgeJsn"))
    number, target, basis = cbor.array(content, "the change", 3)
    cbor.exactly(number, 7, "the change's type")
    if len(cbor.text(basis, "basis").encode()) > BASIS_BYTES_MAX:
        raise Malformed("a basis too long")
    if cbor.array(target, "target")[:1] == [2]:
        _, clue, first, last = cbor.array(target, "target", 4)
        last = cbor.uint(last, "lastJsn")
        first = cbor.uint(first, "firstJsn", 0, last)
        return Occult(first, last, None, cbor.digest(clue, "a clue id"), basis)
    number, items = cbor.array(target, "target", 2)
    cbor.exactly(number, 1, "the target's form")
    named = [_reference(item) for item in cbor.array(items, "journals", most=TARGETS_MAX)]
    jsns = [jsn for jsn, _ in named]
    if not named or any(a >= b for a, b in zip(jsns, jsns[1:], strict=False)):
        raise Malformed("journals are none, or do not ascend")
    return Occult(jsns[0], jsns[-1], tuple(named), None, basis)


def _reference(item: Any) -> tuple[int, bytes]:
    jsn, leaf = cbor.array(item, "a journal", 2)
    return cbor.uint(jsn, "its jsn"), cbor.digest(leaf, "its leaf hash")


def _grant(content: Any) -> Grant:
    number, role, spki, not_after, replaces, delegated, certs = cbor.array(content, "the change", 7)
    cbor.exactly(number, 9, "the change's type")
    role = cbor.uint(role, "role", OWNER, VERIFY_ONLY)
    key = parse(cbor.byte_string(spki, "an SPKI"))
    if not_after is not None:
        cbor.time(not_after, "notAfterMs")
    for digest, name in ((replaces, "replaces"), (certs, "certDigest")):
        if digest is not None:
            cbor.digest(digest, name)
    if not isinstance(delegated, bool):
        raise Malformed("delegated is no flag")
    if replaces == key.kid:
        raise Malformed("a key that replaces itself")
    return Grant(role, key, not_after, replaces, delegated)


def _key_rotation(content: Any) -> KeyRotation:
    number, *spkis = cbor.array(content, "the change", 3)
    cbor.exactly(number, 4, "the change's type")
    note, receipt = (parse(cbor.byte_string(spki, "an SPKI")) for spki in spkis)
    if {note.alg, receipt.alg} != {ED25519} or note == receipt:
        raise Malformed("a service key that is not Ed25519, or one key for both")
    return KeyRotation(note, receipt)


def _time(content: Any) -> Time:
    number, size, root, previous, proof = cbor.array(content, "the change", 5)
    cbor.exactly(number, 5, "the change's type")
    size = cbor.uint(size, "size", 2, SIZE_MAX)
    cbor.digest(root, "root")
    if previous is not None:
        jsn, leaf = cbor.array(previous, "previous", 2)
        previous = (cbor.uint(jsn, "its jsn", 2, size - 1), cbor.digest(leaf, "its leaf hash"))
    token = _proof(proof)
    return Time(size, root, previous, token, None if token else tuple(proof[1:]))


def _proof(proof: Any) -> bytes | None:
    """The token; nil of a proof by another ledger."""
    items = cbor.array(proof, "proof", most=5)
    if items[:1] == [1]:
        _, token = cbor.array(proof, "proof", 2)
        parts, more = [cbor.byte_string(token, "a token")], 0
    else:
        number, ledger_id, file, salt, body = cbor.array(proof, "proof", 5)
        cbor.exactly(number, 2, "the proof's type")
        cbor.digest(ledger_id, "T-Ledger id")
        cbor.digest(salt, "salt")
        parts = [cbor.byte_string(file, "a receipt file"), cbor.byte_string(body, "a body")]
        token, more = None, 68
    if not all(parts):
        raise Malformed("a proof of no bytes")
    encoded = 2 + more + sum(len(cbor.encode_bytes(part)) for part in parts)
    if encoded > PROOF_BYTES_MAX:
        raise Malformed(f"a proof of {encoded} bytes")
    return token


def _parameters(content: Any) -> Parameters:
    number, first_height, features = cbor.array(content, "the change", 3)
    cbor.exactly(number, 3, "the change's type")
    first_height = cbor.uint(first_height, "firstHeight", 1)
    if not cbor.mapping(features, "features"):
        raise Malformed("a change of no features")
    for feature, setting in features.items():
        cbor.uint(feature, "a feature", 1, 2)
        cbor.exactly(setting, 1, "a feature's value")
    return Parameters(first_height, frozenset(features))


def _check_kind(header: Header) -> None:
    if header.kind == CLUE_DELETE and (len(header.clue_ids) != 1 or header.operations):
        raise Malformed("a clueDelete has one clue and no operations")
    if header.kind >= 16 and (header.clue_ids or header.operations):
        raise Malformed("a change of members or parameters with clues or operations")
    if header.kind >= 16 and header.body_size != len(EMPTY_BODY):
        raise Malformed(f"a change of members or parameters with a body of {header.body_size}")


def body_commit(salt: bytes, body: bytes) -> bytes:
    """The commitment to a body in its header."""
    return hashlib.sha256(b"tallystick/body/1\0" + salt + body).digest()


def check_body(header: Header, salt: bytes, body: bytes, puts: int = 0) -> list[bytes]:
    """That salt and body are those the header commits to, and the body what it may be.

    Answers the values, one for each put of the operations.
    """
    if len(body) != header.body_size:
        raise Rejected("BODY_MISMATCH", f"{len(body)} bytes, the header says {header.body_size}")
    if body_commit(salt, body) != header.body_commit:
        raise Rejected("BODY_MISMATCH", "salt and body do not have the header's commitment")
    if header.kind >= 16 and body != EMPTY_BODY:
        raise Rejected("BODY_MISMATCH", "a change of members or parameters has a body")
    try:
        return _values(header, cbor.array(cbor.decode(body), "the body", 4), puts)
    except Malformed as e:
        raise Rejected("BODY_MISMATCH", e.detail) from e


def _values(header: Header, items: list[Any], puts: int) -> list[bytes]:
    if len(cbor.byte_string(items[0], "payload")) > PAYLOAD_BYTES_MAX:
        raise Malformed("payload too long")
    if len(cbor.text(items[1], "contentType").encode()) > CONTENT_TYPE_BYTES_MAX:
        raise Malformed("contentType too long")
    clues = [cbor.text(clue, "a clue") for clue in cbor.array(items[2], "clues", most=CLUES_MAX)]
    if any(not 1 <= len(clue.encode()) <= CLUE_BYTES_MAX for clue in clues):
        raise Malformed("a clue of no bytes or too many")
    if tuple(clue_id(header.ledger_id, clue) for clue in clues) != header.clue_ids:
        raise Malformed("clues that are not those of the header")
    values = cbor.array(items[3], "values", most=OPERATIONS_MAX)
    if len(values) != puts:
        raise Malformed(f"{len(values)} values for {puts} puts")
    return [cbor.byte_string(value, "a value") for value in values]


def clue_id(ledger_id: bytes, clue: str) -> bytes:
    """The id of a clue in a ledger."""
    return hashlib.sha256(b"tallystick/clue/1\0" + ledger_id + clue.encode()).digest()
