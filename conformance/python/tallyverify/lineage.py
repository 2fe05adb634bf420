"""Clue proofs, lineage proofs and lineage files: docs/formats/lineage.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import cbor, cluetrie, head, merkle, seal
from .cluetrie import ClueValue
from .leaf import BYTES_MAX as LEAF_BYTES_MAX
from .leaf import JournalLeaf, parse_leaf
from .ledger import Service
from .receipt import PATH_MAX, RANGE_ROOTS_MAX, Head
from .rejected import Malformed, Rejected
from .request import CLUE_DELETE, parse_header

CLUE_PROOF, LINEAGE_PROOF, LINEAGE_FILE = 11, 12, 13


@dataclass(frozen=True)
class Clue:
    """What the last seal under a head says of a clue; no value if it was never used."""

    clue_id: bytes
    head: Head
    value: ClueValue | None


@dataclass(frozen=True)
class Run:
    """Some of a clue's journals that follow each other; none if it was never used."""

    clue: Clue
    first: int
    jsns: tuple[int, ...]

    @property
    def reaches_the_last(self) -> bool:
        """Whether no journal of the clue follows."""
        count = self.clue.value.count if self.clue.value else 0
        return self.first + len(self.jsns) == count

    def whole(self) -> tuple[int, ...]:
        """All journals of the clue."""
        if self.first or not self.reaches_the_last:
            raise Rejected("MISSING", f"{len(self.jsns)} journals from {self.first} on are not all")
        return self.jsns

    def as_of(self, size: int) -> tuple[int, ...]:
        """All journals the clue had when the log had so many leaves."""
        if not 0 <= size <= self.clue.head.size:
            raise Rejected("SIZE_OUT_OF_RANGE", f"size {size}, the head's is {self.clue.head.size}")
        before = tuple(jsn for jsn in self.jsns if jsn < size)
        if self.first or (len(before) == len(self.jsns) and not self.reaches_the_last):
            raise Rejected("MISSING", f"the run does not show all journals below {size}")
        return before


def verify_file(service: Service, strand: int, encoded: bytes) -> Run:
    """What a lineage file shows; the reader compares the clue id."""
    number, clue_id, statement, proof = cbor.array(cbor.decode(encoded), "a lineage file", 4)
    cbor.exactly(number, LINEAGE_FILE, "the file's type")
    clue_id, proof = cbor.digest(clue_id, "clueId"), cbor.byte_string(proof, "proof")
    trusted = head.verify(service, strand, cbor.byte_string(statement, "head"))
    return verify(service.ledger_id, strand, trusted, clue_id, proof)


def verify(ledger_id: bytes, strand: int, trusted: Head, clue_id: bytes, encoded: bytes) -> Run:
    """What either proof shows of the clue; a clue proof shows no journals."""
    items = cbor.array(cbor.decode(encoded), "the proof")
    if items[:1] == [LINEAGE_PROOF]:
        return verify_lineage(ledger_id, strand, trusted, clue_id, encoded)
    return Run(verify_clue(trusted, clue_id, encoded), 0, ())


def verify_clue(trusted: Head, clue_id: bytes, encoded: bytes) -> Clue:
    """What a clue proof shows under this head."""
    return _clue(trusted, clue_id, cbor.decode(encoded))


def verify_lineage(
    ledger_id: bytes, strand: int, trusted: Head, clue_id: bytes, encoded: bytes
) -> Run:
    """The run that a lineage proof shows under this head."""
    number, proof, first, roots, leaves = cbor.array(cbor.decode(encoded), "a lineage proof", 5)
    cbor.exactly(number, LINEAGE_PROOF, "the proof's type")
    first = cbor.uint(first, "first")
    roots = cbor.array(roots, "roots", most=RANGE_ROOTS_MAX)
    roots = [cbor.digest(root, "a root") for root in roots]
    leaves = _byte_strings(leaves, "leaves", merkle.RANGE_MAX, LEAF_BYTES_MAX)
    clue = _clue(trusted, clue_id, proof)
    if clue.value is None:
        raise Rejected("MISSING", "journals of a clue that was never used")
    hashes = [merkle.leaf_hash(merkle.leaf_hash(leaf)) for leaf in leaves]
    root = merkle.range_rows(first, clue.value.count, roots, hashes)[-1][0]
    if root != clue.value.root:
        raise Rejected("ROOT_MISMATCH", f"the run leads to {root.hex()}")
    jsns, kind = _journals(ledger_id, strand, trusted, clue_id, leaves)
    run = Run(clue, first, jsns)
    deleted = jsns[-1] if kind == CLUE_DELETE else 0
    if run.reaches_the_last and clue.value.deleted_jsn != deleted:
        raise Rejected("WRONG_JSN", f"deletedJsn {clue.value.deleted_jsn}, want {deleted}")
    return run


def _clue(trusted: Head, clue_id: bytes, item: Any) -> Clue:
    number, encoded, path, nodes = cbor.array(item, "a clue proof", 4)
    cbor.exactly(number, CLUE_PROOF, "the proof's type")
    encoded = cbor.byte_string(encoded, "seal")
    path = [cbor.digest(node, "a hash") for node in cbor.array(path, "path", most=PATH_MAX)]
    nodes = _byte_strings(nodes, "nodes", cluetrie.NODES_MAX, cluetrie.NODE_BYTES_MAX)
    last = seal.last(trusted, encoded, path)
    value = cluetrie.prove(clue_id, last.clue_root, nodes)
    if value and value.count >= last.jsn:
        raise Rejected("WRONG_SIZE", f"{value.count} journals before leaf {last.jsn}")
    if value and value.deleted_jsn >= last.jsn:
        raise Rejected("WRONG_JSN", f"deleted at {value.deleted_jsn}, the seal is {last.jsn}")
    return Clue(clue_id, trusted, value)


def _journals(
    ledger_id: bytes, strand: int, trusted: Head, clue_id: bytes, leaves: Sequence[bytes]
) -> tuple[tuple[int, ...], int]:
    """The jsns of a run's journals, and the kind of the last."""
    jsns: list[int] = []
    kind = 0
    for encoded in leaves:
        leaf = parse_leaf(encoded)
        if not isinstance(leaf, JournalLeaf):
            raise Rejected("WRONG_TYPE", f"leaf {leaf.jsn} is no journal")
        header = parse_header(leaf.header)
        if (header.ledger_id, header.strand) != (ledger_id, strand):
            raise Rejected("WRONG_LEDGER", f"journal {leaf.jsn} is of another ledger or strand")
        if not (jsns[-1] if jsns else -1) < leaf.jsn < trusted.size - 1:
            raise Rejected("WRONG_JSN", f"journal {leaf.jsn}, behind {jsns[-1:]}")
        if clue_id not in header.clue_ids:
            raise Rejected("WRONG_CLUE", f"journal {leaf.jsn} does not name the clue")
        jsns.append(leaf.jsn)
        kind = header.kind
    return tuple(jsns), kind


def _byte_strings(value: Any, what: str, most: int, longest: int) -> list[bytes]:
    items = [cbor.byte_string(item, what) for item in cbor.array(value, what, most=most)]
    if any(len(item) > longest for item in items):
        raise Malformed(f"one of {what} has more than {longest} bytes")
    return items
