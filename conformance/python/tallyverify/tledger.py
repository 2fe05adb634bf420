"""Heads that a T-Ledger holds, and time journals that show one: docs/formats/t-ledger.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import cbor, checkpoint, consistency, merkle, receipt, request
from .leaf import BYTES_MAX as LEAF_BYTES_MAX
from .leaf import JournalLeaf, SealLeaf, parse_leaf
from .ledger import CLUE_TRIE, PERMANENT, Genesis, Service
from .receipt import PATH_MAX, Head
from .rejected import Malformed, Rejected, iso

ENTRY_TYPE = "application/vnd.tallystick.head+cbor"
_ENTRY = 22
_AHEAD_MS_MAX = 1000
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class Entry:
    """What an entry's payload says; nothing of it was checked."""

    note: bytes
    seal: bytes
    path: list[bytes]
    growth: tuple[int, list[bytes]] | None


def parse(payload: bytes) -> Entry:
    """An entry from its payload."""
    number, note, seal, path, growth = cbor.array(cbor.decode(payload), "an entry", 5)
    cbor.exactly(number, _ENTRY, "the entry's type")
    note = cbor.byte_string(note, "note")
    seal = cbor.byte_string(seal, "seal")
    if len(note) > checkpoint.NOTE_BYTES_MAX or len(seal) > min(LEAF_BYTES_MAX, 1024):
        raise Malformed(f"a note of {len(note)} bytes, a seal of {len(seal)}")
    if growth is not None:
        size, hashes = cbor.array(growth, "growth", 2)
        growth = (cbor.uint(size, "from size", 1), _path(hashes))
    return Entry(note, seal, _path(path), growth)


def _path(value: Any) -> list[bytes]:
    return [cbor.digest(node, "a hash") for node in cbor.array(value, "path", most=PATH_MAX)]


@dataclass
class SubmittedHeads:
    """The judgement of each head that the audited T-Ledger holds."""

    submitters: Mapping[bytes, Genesis]
    judged: int = 0
    unjudged: int = 0
    _newest: dict[bytes, Head] = field(default_factory=dict)

    def check_ledger(self, genesis: Genesis) -> None:
        """That the audited ledger may be a T-Ledger at all."""
        public = cbor.decode(genesis.encoded)[7]
        if not public or not {CLUE_TRIE, PERMANENT} <= genesis.features:
            raise Rejected("HEAD_ENTRY_INVALID", "no public ledger with features 1 and 5")

    def check(self, time_ms: int, kind: int, body: bytes) -> None:
        """A journal of this time with this body, which is well-formed."""
        payload, content_type, clues, _ = cbor.decode(body)
        if kind >= 16:
            return
        if content_type != ENTRY_TYPE:
            if any(_is_id(clue) for clue in clues):
                raise Rejected("HEAD_ENTRY_INVALID", "another journal names a ledger as its clue")
            return
        try:
            self._entry(time_ms, kind, payload, clues)
        except Rejected as e:
            raise Rejected("HEAD_ENTRY_INVALID", f"{e.reason}: {e.detail}") from e

    def _entry(self, time_ms: int, kind: int, payload: bytes, clues: list[str]) -> None:
        if kind != 1 or len(clues) != 1 or not _is_id(clues[0]):
            raise Rejected("WRONG_CLUE", "an entry has one clue, the submitter's id")
        submitter = bytes.fromhex(clues[0])
        entry = parse(payload)
        service = self.submitters.get(submitter)
        if service is None:
            self.unjudged += 1
            return
        head, seal_ms = judge(service, 0, entry, self._newest.get(submitter))
        if seal_ms - time_ms > _AHEAD_MS_MAX:
            raise Rejected("TIME_MISMATCH", f"sealed at {iso(seal_ms)}, the entry is of {iso(time_ms)}")
        self._newest[submitter] = head
        self.judged += 1


def judge(service: Service, strand: int, entry: Entry, last: Head | None) -> tuple[Head, int]:
    """The head of an entry behind the strand's last one, and the time of its seal."""
    lines = len(checkpoint.split(entry.note)[1])
    if lines != 1:
        raise Rejected("WRONG_KEY", f"a note of {lines} lines")
    head = checkpoint.verify(entry.note, service.origin(strand), service.note_key)
    seal_ms = _sealed(entry, head)
    if last is None:
        if entry.growth is not None:
            raise Rejected("MISSING", "an entry that continues one before, and there is none")
        return head, seal_ms
    if head.size < last.size:
        raise Rejected("WRONG_SIZE", f"{head.size} leaves behind {last.size}")
    if entry.growth is None:
        raise Rejected("MISSING", f"not how the log grew from {last.size} leaves")
    if entry.growth[0] != last.size:
        raise Rejected("WRONG_SIZE", f"from {entry.growth[0]}, the last has {last.size} leaves")
    consistency.check(last.size, last.root, head.size, head.root, entry.growth[1])
    return head, seal_ms


def _sealed(entry: Entry, head: Head) -> int:
    """The time of the seal that the head ends with."""
    hashed = merkle.leaf_hash(entry.seal)
    root = merkle.inclusion_root(head.size - 1, head.size, entry.path, hashed)
    if root != head.root:
        raise Rejected("ROOT_MISMATCH", f"the seal's path leads to {root.hex()}")
    leaf = parse_leaf(entry.seal)
    if not isinstance(leaf, SealLeaf) or leaf.jsn != head.size - 1:
        raise Rejected("WRONG_TYPE", "the head does not end with this seal")
    return leaf.time_ms


def _is_id(clue: str) -> bool:
    return len(clue) == 64 and set(clue) <= _HEX


@dataclass(frozen=True)
class TLedger:
    """One that an auditor trusts for the time of its entries; with its log: its leaf hashes and heads."""

    service: Genesis
    leaf_hashes: Sequence[bytes] | None = None
    roots: Mapping[int, bytes] = field(default_factory=dict)


class EntryOrder:
    """The entries that the time journals of one log show, compared with each other without a key."""

    def __init__(self) -> None:
        self._newest: dict[bytes, tuple[int, Head]] = {}

    def check(self, change: request.Time) -> None:
        """That the entry contradicts none before it of the same T-Ledger."""
        assert change.entry is not None
        try:
            self._check(change.entry[0], change.entry[1])
        except Rejected as e:
            raise Rejected("TIME_ENTRY_REFUSED", f"{e.reason}: {e.detail}") from e

    def _check(self, ledger_id: bytes, file: bytes) -> None:
        leaf, item = receipt.read_file(file)
        now = receipt.claimed(leaf, item)
        before = self._newest.get(ledger_id)
        self._newest[ledger_id] = now
        if before is None:
            return
        (jsn, head), (last_jsn, last) = now, before
        if head.size == last.size and head.root != last.root:
            raise Rejected("FORK", f"two roots of size {head.size}")
        if jsn <= last_jsn or head.size < last.size:
            what = f"entry {jsn} under size {head.size} behind {last_jsn} under {last.size}"
            raise Rejected("ROLLBACK", what)


class Entries:
    """The judgement of time journals that show an entry of a T-Ledger."""

    def __init__(self, trusted: Sequence[TLedger]) -> None:
        self._trusted = {each.service.ledger_id: each for each in trusted}

    def time_ms(self, change: request.Time, audited: bytes, lines: bytes) -> int | None:
        """The time of the entry, which must be of this head; None if nobody trusts its ledger."""
        assert change.entry is not None
        ledger_id, file, salt, body = change.entry
        if not self._trusted:
            return None
        try:
            return self._judged(ledger_id, file, salt, body, audited, lines)
        except Rejected as e:
            raise Rejected("TIME_ENTRY_REFUSED", f"{e.reason}: {e.detail}") from e

    def _judged(
        self, ledger_id: bytes, file: bytes, salt: bytes, body: bytes, audited: bytes, lines: bytes
    ) -> int:
        trusted = self._trusted.get(ledger_id)
        if trusted is None:
            raise Rejected("UNTRUSTED", f"an entry of {ledger_id.hex()}")
        leaf, head = shown(trusted.service, file, salt, body, audited, lines)
        encoded, _ = receipt.read_file(file)
        if trusted.leaf_hashes is not None and leaf.jsn < len(trusted.leaf_hashes):
            if trusted.leaf_hashes[leaf.jsn] != merkle.leaf_hash(encoded):
                raise Rejected("LEAF_MISMATCH", f"its log has another leaf at {leaf.jsn}")
            if head.size <= len(trusted.leaf_hashes) and trusted.roots.get(head.size) != head.root:
                raise Rejected("FORK", f"its log has no such head of size {head.size}")
        return leaf.time_ms


def shown(
    service: Service, file: bytes, salt: bytes, body: bytes, audited: bytes, lines: bytes
) -> tuple[JournalLeaf, Head]:
    """The entry that proof 2 shows of a T-Ledger with these keys, and the head it is under."""
    encoded, item = receipt.read_file(file)
    head = receipt.verify(service, 0, encoded, item)
    leaf = parse_leaf(encoded)
    if not isinstance(leaf, JournalLeaf):
        raise Rejected("WRONG_TYPE", "no journal")
    header = request.parse_header(leaf.header)
    if header.kind != 1:
        raise Rejected("WRONG_TYPE", "no append")
    if (header.ledger_id, header.strand) != (service.ledger_id, 0):
        raise Rejected("WRONG_LEDGER", f"a request for {header.ledger_id.hex()}")
    if request.body_commit(salt, body) != header.body_commit:
        raise Rejected("COMMITMENT_MISMATCH", "the leaf commits to another body")
    payload, content_type, clues, _ = cbor.array(cbor.decode(body), "the body", 4)
    if clues != [audited.hex()] or len(header.clue_ids) != 1:
        raise Rejected("WRONG_CLUE", f"an entry of {clues}")
    if content_type != ENTRY_TYPE:
        raise Rejected("WRONG_TYPE", f"content type {content_type!r}")
    if checkpoint.split(parse(payload).note)[0].encode() != lines:
        raise Rejected("ROOT_MISMATCH", "an entry of another head")
    return leaf, head
