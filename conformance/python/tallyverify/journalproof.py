"""Proof files of journals: docs/formats/journal-proof.md."""

from dataclasses import dataclass
from typing import Any

from . import cbor, cose, keychain, merkle, receipt, request, service
from .keychain import Shown
from .keys import PublicKey, allowed, parse
from .ledger import Genesis, pinned
from .rejected import Malformed, Rejected, iso
from .request import KEY_ROTATION, TIME, Header, KeyRotation, Time
from .service import ServiceKeys

FILE_BYTES_MAX, RECEIPT_FILE_BYTES_MAX, REST_BYTES_MAX = 64 << 20, 20480, 1114112
CLOCK_SKEW_MS = 30000
PATH_MAX = 63
_TYPE = 35


@dataclass(frozen=True)
class JournalProof:
    """What a proof file shows of a document."""

    journal: Shown
    signers: list[bytes]
    content_type: str
    clues: list[str]
    payload_bytes: int
    heads: list[receipt.Head]


def verify(encoded: bytes, ledger_id: bytes, strand: int, document: bytes) -> JournalProof:
    """A proof file of this ledger, and the document it is about."""
    if len(encoded) > FILE_BYTES_MAX:
        raise Malformed(f"a journal proof of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a journal proof", 9)
    cbor.exactly(items[0], _TYPE, "its type")
    params = cbor.byte_string(items[1], "GenesisParams")
    chain = keychain.EMPTY
    if items[2] is not None:
        chain = cbor.byte_string(items[2], "the key chain")
        if chain == keychain.EMPTY:
            raise Malformed("a key chain without journals")
    file = cbor.byte_string(items[3], "the receipt file")
    attestation = cbor.byte_string(items[4], "the attestation")
    place = None if items[5] is None else cbor.byte_string(items[5], "the batch proof")
    spkis = cbor.array(items[6], "the keys", most=cose.SIGNERS_OF_ALL_MAX)
    keys = [parse(cbor.byte_string(spki, "an SPKI")) for spki in spkis]
    salt = cbor.digest(items[7], "the salt")
    rest = cbor.byte_string(items[8], "the rest of the body")
    if not keys or len(file) > RECEIPT_FILE_BYTES_MAX or len(rest) > REST_BYTES_MAX:
        raise Malformed("no keys, or a part that is too long")
    genesis = pinned(params, ledger_id)
    known = keychain.verify(genesis, strand, chain)
    leaf, head = keychain.verified_file(file, known.service, strand)
    journal = keychain.shown(leaf)
    header = journal.header
    _check_signatures(journal, strand, attestation, keys, place, genesis, known.service)
    _check_times(journal)
    content_type, clues = _read_rest(rest)
    if tuple(request.clue_id(ledger_id, clue) for clue in clues) != header.clue_ids:
        raise Rejected("COMMITMENT_MISMATCH", "clues that are not those of the header")
    body = b"\x84" + cbor.encode_bytes(document) + rest
    if len(body) != header.body_size or request.body_commit(salt, body) != header.body_commit:
        raise Rejected("COMMITMENT_MISMATCH", f"not the document of {header.body_commit.hex()}")
    signers = [key.kid for key in keys]
    return JournalProof(
        journal, signers, content_type, clues, len(document), [*known.heads, head]
    )


def _check_signatures(
    journal: Shown,
    strand: int,
    encoded: bytes,
    keys: list[PublicKey],
    place: bytes | None,
    genesis: Genesis,
    by: ServiceKeys,
) -> None:
    if cose.attest_hash(encoded) != journal.leaf.attest_hash:
        raise Rejected("COMMITMENT_MISMATCH", "another attestation than the leaf's")
    single = journal.leaf.batch_count == 1
    of_all = single and journal.header.kind in (request.PURGE, request.CLOSE)
    most = cose.SIGNERS_OF_ALL_MAX if of_all else cose.SIGNERS_MAX
    signatures = cose.attestation(encoded, most)
    if len(signatures) != len(keys):
        raise Rejected("MISSING", f"{len(keys)} keys for {len(signatures)} signatures")
    for signature, key in zip(signatures, keys, strict=True):
        if signature.kid != key.kid:
            raise Rejected("WRONG_KEY", f"{key.kid.hex()} did not sign")
        _check_allowed(key)
    header = journal.header
    if (header.ledger_id, header.strand) != (genesis.ledger_id, strand):
        raise Rejected("WRONG_LEDGER", "the request is for another ledger or strand")
    if single:
        if place is not None:
            raise Malformed("a batch proof of a single journal")
        payload = journal.header.request_hash
        _check_single(journal, signatures, genesis, by)
    else:
        payload = _check_member(journal, signatures, place, genesis)
    for signature, key in zip(signatures, keys, strict=True):
        signature.verify(key, payload)


def _check_allowed(key: PublicKey) -> None:
    try:
        allowed(key)
    except Rejected as e:
        raise Rejected("WRONG_KEY", e.detail) from e


def _check_single(
    journal: Shown, signatures: list[cose.Sign1], genesis: Genesis, by: ServiceKeys
) -> None:
    header = journal.header
    own: set[bytes] = set()
    if header.kind in (KEY_ROTATION, TIME):
        own = _services(journal, signatures, by)
    for signature in signatures:
        typ = cose.SERVICE_REQUEST if signature.kid in own else cose.REQUEST
        cose.check_request(
            signature, genesis.ledger_id, header.strand, header.request_hash, typ
        )


def _services(journal: Shown, signatures: list[cose.Sign1], by: ServiceKeys) -> set[bytes]:
    """The kids of the service's keys, which all signed."""
    change = journal.header.change
    assert isinstance(change, KeyRotation | Time)
    wanted = {by.in_force(journal.jsn).receipt_key.kid}
    if isinstance(change, KeyRotation):
        wanted.add(change.receipt_key.kid)
    own, others = service.split(signatures)
    if isinstance(change, Time) and others:
        raise Rejected("WRONG_TYPE", "another signed the time journal, too")
    if {signature.kid for signature in own} - wanted:
        raise Rejected("WRONG_KEY", "not by the receipt key that was in force")
    if wanted - {signature.kid for signature in own}:
        raise Rejected("MISSING", "a service key did not sign")
    if isinstance(change, KeyRotation) and not others:
        raise Rejected("MISSING", "no member signed the rotation")
    return wanted


def _check_member(
    journal: Shown, signatures: list[cose.Sign1], place: bytes | None, genesis: Genesis
) -> bytes:
    """The root that a batch signs."""
    if place is None:
        raise Rejected("MISSING", "no batch proof of a batch's journal")
    size, index, nodes = cbor.array(cbor.decode(place), "the batch proof", 3)
    cbor.uint(size, "size")
    cbor.uint(index, "index")
    path = [cbor.digest(node, "a hash") for node in cbor.array(nodes, "path", most=PATH_MAX)]
    if (index, size) != (journal.leaf.batch_index, journal.leaf.batch_count):
        raise Rejected("LEAF_MISMATCH", f"a proof of number {index} of {size}")
    header = journal.header
    if header.kind >= 16:
        raise Malformed(f"kind {header.kind} in a batch")
    for signature in signatures:
        _check_count(signature, size)
        cose.check_batch(signature, genesis.ledger_id, header.strand, size)
    return merkle.inclusion_root(index, size, path, merkle.leaf_hash(header.request_hash))


def _check_count(signature: cose.Sign1, size: int) -> None:
    signature.check_type(cose.BATCH)
    context: Any = signature.header.get(cose.CONTEXT)
    if len(cbor.array(context, "label -70002")) == 4 and context[3] != size:
        raise Rejected("WRONG_SIZE", f"signed for {context[3]} requests, in a batch of {size}")


def _check_times(journal: Shown) -> None:
    header: Header = journal.header
    now = journal.leaf.time_ms
    if not header.client_time_ms - CLOCK_SKEW_MS <= now <= header.expires_ms:
        raise Rejected("LEAF_MISMATCH", f"of {iso(now)}, outside its request's times")


def _read_rest(rest: bytes) -> tuple[str, list[str]]:
    """Content type and clues of what stands behind the payload of a Body."""
    items = cbor.array(cbor.decode(b"\x83" + rest), "the rest of the body", 3)
    content_type = cbor.text(items[0], "contentType")
    if len(content_type.encode()) > request.CONTENT_TYPE_BYTES_MAX:
        raise Malformed("contentType too long")
    clues = [
        cbor.text(clue, "a clue")
        for clue in cbor.array(items[1], "clues", most=request.CLUES_MAX)
    ]
    if any(not 1 <= len(clue.encode()) <= request.CLUE_BYTES_MAX for clue in clues):
        raise Malformed("a clue of no bytes or too many")
    for value in cbor.array(items[2], "values", most=request.OPERATIONS_MAX):
        cbor.byte_string(value, "a value")
    return content_type, clues
