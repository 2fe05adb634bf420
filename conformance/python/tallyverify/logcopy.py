"""Reading a saved log, one entry at a time: docs/formats/log-copy.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from . import clues, prefix, stateimage
from .cose import ATTESTATION_BYTES_MAX
from .leaf import BYTES_MAX as LEAF_BYTES_MAX
from .leaf import GenesisLeaf, parse_leaf
from .ledger import decode_genesis
from .rejected import Malformed, NotJudged, Rejected
from .request import BODY_BYTES_MAX

NONE, PRESENT, ERASED, DAMAGED = 1, 2, 3, 4
NOT_READ = 0  # of a log whose bodies nobody asked for; no file has it
HEAD_BYTES_MAX = 16 * 1024
PIECE_BYTES_MAX = 1 << 20
OPERATIONS_BYTES_MAX = 1024 * 1024 + 64 * 1024
WITHOUT_STATE, WITH_STATE, PURGED, PURGED_WITH_STATE = 1, 2, 3, 4
_MAGIC = b"TALLYLOG"


@dataclass(frozen=True)
class Entry:
    """A leaf and what is kept beside it."""

    leaf: bytes
    attestation: bytes
    operations: bytes
    body_state: int
    salt: bytes
    body: bytes
    attested_again: bool = False  # whether the newest attestation stands here once more


class LogCopy:
    """A saved log. Its entries are read first and once, its heads after them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        if self._take(len(_MAGIC)) != _MAGIC:
            raise _malformed("does not begin with TALLYLOG")
        self.version = self._number(4)
        if not WITHOUT_STATE <= self.version <= PURGED_WITH_STATE:
            raise _malformed(f"version {self.version}")
        self.ledger_id = self._take(32)
        self.strand = self._number(4)
        self.size = self._number(8)
        if self.strand >> 31 or self.size >> 63:
            raise _malformed(f"strand {self.strand}, size {self.size}")
        self.first = 0
        self.beginning: prefix.Beginning | None = None
        if self.version >= PURGED:
            self.beginning = self._beginning()

    def _beginning(self) -> prefix.Beginning:
        pseudo_genesis = self._bytes("pseudo-genesis", prefix.PSEUDO_GENESIS_BYTES_MAX)
        try:
            shot = prefix.snapshot(pseudo_genesis)
            with_state = decode_genesis(shot.params).state_params is not None
        except Malformed as e:
            raise _malformed(e.detail) from e
        self.first = shot.first_kept
        if with_state != (self.version == PURGED_WITH_STATE):
            has = "a" if with_state else "no"
            raise _malformed(f"version {self.version}, and the ledger has {has} state")
        return prefix.Beginning(
            pseudo_genesis,
            self._bytes("window", prefix.WINDOW_BYTES_MAX),
            self._bytes("key chain", prefix.KEY_CHAIN_BYTES_MAX),
            self._pieces("clues", clues.FILE_BYTES_MAX),
            self._pieces("state", stateimage.FILE_BYTES_MAX) if with_state else b"",
        )

    def _pieces(self, what: str, most: int) -> bytes:
        pieces, size = [], 0
        while piece := self._bytes(what, PIECE_BYTES_MAX):
            size += len(piece)
            if size > most:
                raise _malformed(f"{what} of more than {most} bytes")
            pieces.append(piece)
        return b"".join(pieces)

    def entries(self) -> Iterator[Entry]:
        """Leaf after leaf up to `size`, from the first that is there."""
        for jsn in range(self.first, self.size):
            leaf = self._bytes("leaf", LEAF_BYTES_MAX)
            if jsn == 0 and self.version != version_of(leaf):
                raise _malformed(f"version {self.version}, want {version_of(leaf)}")
            attestation = self._bytes("attestation", ATTESTATION_BYTES_MAX)
            operations = b""
            if self.version in (WITH_STATE, PURGED_WITH_STATE):
                operations = self._bytes("operations", OPERATIONS_BYTES_MAX)
            state = self._number(1)
            if not NONE <= state <= DAMAGED:
                raise _malformed(f"body state {state}")
            salt = self._take(32) if state == PRESENT else b""
            body = self._bytes("body", BODY_BYTES_MAX) if state == PRESENT else b""
            yield Entry(leaf, attestation, operations, state, salt, body)

    def heads(self) -> tuple[bytes, bytes]:
        """Checkpoint and head receipt, behind which nothing may be."""
        checkpoint = self._bytes("checkpoint", HEAD_BYTES_MAX)
        receipt = self._bytes("head receipt", HEAD_BYTES_MAX)
        if self._file.read(1):
            raise _malformed("bytes behind the end")
        return checkpoint, receipt

    def path(self, size: int) -> list[bytes]:
        """A copy has no hashes of what was purged."""
        raise NotJudged(f"nothing joins the head of {size} leaves to a log from {self.first} on")

    def _take(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) != count:
            raise Rejected("LOG_TRUNCATED", f"{len(data)} bytes are left where {count} belong")
        return data

    def _number(self, width: int) -> int:
        return int.from_bytes(self._take(width), "big")

    def _bytes(self, what: str, most: int) -> bytes:
        count = self._number(4)
        if count > most:
            raise _malformed(f"{what} of {count} bytes, at most {most} are allowed")
        return self._take(count)


def version_of(first_leaf: bytes) -> int:
    """The version that a log has which begins with this leaf."""
    try:
        leaf = parse_leaf(first_leaf)
        if isinstance(leaf, GenesisLeaf) and decode_genesis(leaf.params).state_params:
            return WITH_STATE
    except Malformed:  # no genesis, which the audit will say
        pass
    return WITHOUT_STATE


def _malformed(detail: str) -> Rejected:
    return Rejected("LOG_MALFORMED", detail)
