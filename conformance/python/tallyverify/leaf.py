"""The leaves of a log: docs/formats/leaf.md."""

from dataclasses import dataclass
from typing import Any

from . import cbor
from .rejected import Malformed, Rejected
from .request import STRAND_MAX

BYTES_MAX = 16 * 1024
BATCH_MAX = 10000
JOURNAL, SEAL, GENESIS = 1, 2, 3
NO_HASH = bytes(32)
EMPTY_STATE_ROOT = bytes.fromhex("ce56b540eae991a42c101f64e4910f6bc6f60641237ab8a04303694b8c3f60d8")


@dataclass(frozen=True)
class GenesisLeaf:
    """Type 3."""

    jsn: int
    time_ms: int
    strand: int
    params: bytes
    attest_hash: bytes


@dataclass(frozen=True)
class JournalLeaf:
    """Type 1."""

    jsn: int
    time_ms: int
    header: bytes
    attest_hash: bytes
    batch_index: int
    batch_count: int
    delegated: bool


@dataclass(frozen=True)
class SealLeaf:
    """Type 2."""

    jsn: int
    time_ms: int
    height: int
    previous: bytes
    first_jsn: int
    journal_root: bytes
    clue_root: bytes
    state_root: bytes


Leaf = GenesisLeaf | JournalLeaf | SealLeaf


def parse_leaf(encoded: bytes) -> Leaf:
    """A leaf from its encoding."""
    if len(encoded) > BYTES_MAX:
        raise Malformed(f"a leaf of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "the leaf")
    kind = items[0] if items else None
    if kind == JOURNAL:
        return _journal(cbor.array(items, "a journal", 9))
    if kind == SEAL:
        return _seal(cbor.array(items, "a seal", 9))
    if kind == GENESIS:
        return _genesis(cbor.array(items, "a genesis", 6))
    raise Malformed(f"no leaf has the type {kind!r}")


def position(encoded: bytes) -> tuple[int, int]:
    """Type and jsn that a leaf begins with, which is what a receipt is checked against."""
    if len(encoded) > BYTES_MAX:
        raise Malformed(f"a leaf of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "the leaf")
    if len(items) < 2:
        raise Malformed(f"a leaf of {len(items)} items")
    kind = cbor.uint(items[0], "type")
    if kind not in (JOURNAL, SEAL, GENESIS):
        raise Rejected("WRONG_TYPE", f"no leaf has the type {kind}")
    return kind, cbor.uint(items[1], "jsn")


def _genesis(items: list[Any]) -> GenesisLeaf:
    cbor.exactly(items[0], GENESIS, "type")
    cbor.exactly(items[1], 0, "the jsn of genesis")
    return GenesisLeaf(
        0,
        cbor.time(items[2], "timeMs"),
        cbor.uint(items[3], "strand", 0, STRAND_MAX),
        cbor.byte_string(items[4], "GenesisParams"),
        cbor.digest(items[5], "attestHash"),
    )


def _journal(items: list[Any]) -> JournalLeaf:
    cbor.exactly(items[0], JOURNAL, "type")
    cbor.exactly(items[7], 0, "result")
    count = cbor.uint(items[6], "batchCount", 1, BATCH_MAX)
    return JournalLeaf(
        cbor.uint(items[1], "jsn"),
        cbor.time(items[2], "timeMs"),
        cbor.byte_string(items[3], "RequestHeader"),
        cbor.digest(items[4], "attestHash"),
        cbor.uint(items[5], "batchIndex", 0, count - 1),
        count,
        cbor.uint(items[8], "flags", 0, 1) == 1,
    )


def _seal(items: list[Any]) -> SealLeaf:
    cbor.exactly(items[0], SEAL, "type")
    jsn = cbor.uint(items[1], "jsn")
    first_jsn = cbor.uint(items[5], "firstJsn")
    if first_jsn >= jsn:
        raise Malformed("a seal of an empty block")
    height = cbor.uint(items[3], "height")
    if height > first_jsn // 2 or (height == 0) != (first_jsn == 0):
        raise Malformed(f"height {height} of a block that begins at {first_jsn}")
    previous = cbor.digest(items[4], "previous")
    if height == 0 and previous != NO_HASH:
        raise Malformed("a first block with one before it")
    return SealLeaf(
        jsn,
        cbor.time(items[2], "timeMs"),
        height,
        previous,
        first_jsn,
        cbor.digest(items[6], "journalRoot"),
        cbor.digest(items[7], "clueRoot"),
        cbor.digest(items[8], "stateRoot"),
    )
