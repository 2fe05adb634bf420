"""Reading public files, the files of 256 leaves at a time: docs/formats/tiles.md."""

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from . import checkpoint, clues, prefix, stateimage
from .cose import ATTESTATION_BYTES_MAX
from .leaf import BYTES_MAX as LEAF_BYTES_MAX
from .leaf import JournalLeaf, parse_leaf
from .ledger import decode_genesis
from .logcopy import ERASED, NONE, NOT_READ, OPERATIONS_BYTES_MAX, PRESENT, WITH_STATE, Entry, version_of
from .merkle import Tree, halfway, leaf_hash, node_hash, root_over_hashes
from .rejected import Malformed, Rejected
from .request import BODY_BYTES_MAX

ITEMS = 256
SALT_BYTES, HASH_BYTES = 32, 32
LEVELS = 8  # of the tree in each level of tiles
TIMEOUT_SECONDS = 60


class Files(Protocol):
    """Where the files are."""

    def read(self, path: str, most: int) -> bytes | None:
        """A file, or as much of it as shows that it has more bytes; None if it is not there."""


class Folder:
    """Files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, path: str, most: int) -> bytes | None:
        """See Files."""
        try:
            with open(self._folder / path, "rb") as file:
                return file.read(min(most + 1, os.fstat(file.fileno()).st_size))
        except (FileNotFoundError, NotADirectoryError):
            return None


class Web:
    """Files behind a web server."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def read(self, path: str, most: int) -> bytes | None:
        """See Files. What breaks off is no file, and no fault of the log."""
        try:
            with urllib.request.urlopen(f"{self._url}/{path}", timeout=TIMEOUT_SECONDS) as answer:
                announced = answer.length
                content = answer.read(most + 1)
        except urllib.error.HTTPError as e:
            if e.code == 404:
                return None
            raise
        except http.client.HTTPException as e:
            raise OSError(f"{path}: {e!r}") from e
        if announced is not None and len(content) < min(announced, most + 1):
            raise OSError(f"{path}: {len(content)} bytes of {announced}")
        return content


class TileLog:
    """A published log. It has a checkpoint and no receipts."""

    def __init__(self, files: Files, bodies: bool) -> None:
        self._files, self._bodies = files, bodies
        note = files.read("checkpoint", checkpoint.NOTE_BYTES_MAX)
        if note is None:
            raise Rejected("LOG_TRUNCATED", "there is no checkpoint")
        self._checkpoint = note
        try:
            stated = checkpoint.stated(note)
        except Malformed as e:
            raise _malformed("checkpoint", e.detail) from e
        self.ledger_id, self.strand, self.size = stated
        self.first, self._with_state = 0, False
        self.beginning = self._read_beginning()

    def _read_beginning(self) -> prefix.Beginning | None:
        pseudo_genesis = self._files.read("pseudo-genesis", prefix.PSEUDO_GENESIS_BYTES_MAX)
        if pseudo_genesis is None:
            return None
        window = self._files.read("snapshot/window", prefix.WINDOW_BYTES_MAX)
        if window is None:
            raise Rejected("LOG_TRUNCATED", "there is no snapshot/window")
        try:
            shot = prefix.snapshot(pseudo_genesis)
            self._with_state = decode_genesis(shot.params).state_params is not None
        except Malformed as e:
            raise Rejected("PSEUDO_GENESIS_INVALID", str(e)) from e
        self.first = shot.first_kept
        key_chain = self._files.read("key-chain", prefix.KEY_CHAIN_BYTES_MAX)
        clues_file = self._files.read("snapshot/clues", clues.FILE_BYTES_MAX)
        state = None
        if self._with_state:
            state = self._files.read("snapshot/state", stateimage.FILE_BYTES_MAX)
        parts = (part or b"" for part in (key_chain, clues_file, state))
        return prefix.Beginning(pseudo_genesis, window, *parts)

    def entries(self) -> Iterator[Entry]:
        """Leaf after leaf. A bundle's fault is one of its first leaf, a tile's of the one behind."""
        tiles = _HashTiles(self, self.beginning.snapshot().tree() if self.beginning else Tree())
        newest = b""
        for first in range(self.first // ITEMS * ITEMS, self.size, ITEMS):
            number, count = first // ITEMS, min(ITEMS, self.size - first)
            leaves = self._bundle("tile/entries", number, count, 2, LEAF_BYTES_MAX)
            if number == 0 and not self.beginning:
                self._with_state = version_of(leaves[0]) == WITH_STATE
            attest = self._bundle("tile/attest", number, count, 4, ATTESTATION_BYTES_MAX)
            operations = [b""] * count
            if self._with_state:
                operations = self._bundle("tile/ops", number, count, 4, OPERATIONS_BYTES_MAX)
            bodies = self._read_bodies(number, count)
            rows = list(zip(leaves, attest, operations, bodies, strict=True))
            gone = max(0, self.first - first)
            if any(bodies[:gone]):
                raise _malformed(f"bodies {number}", "a body below where the log begins")
            for index, (leaf, attestation, ops, body) in enumerate(rows[gone:], gone):
                leads = index == 0 and _is_journal(leaf)
                if leads and not attestation:
                    raise _malformed(f"tile/attest {number}", "nothing with its first journal")
                again = leads and attestation == newest
                newest = attestation or newest
                yield Entry(leaf, attestation, ops, *_body(leaf, body), attested_again=again)
            tiles.add(leaves)
        tiles.finish()

    def heads(self) -> tuple[bytes, None]:
        """The checkpoint, and that there is no receipt."""
        return self._checkpoint, None

    def path(self, size: int) -> list[bytes]:
        """From the hash tiles, whatever they say."""
        return self._path(size, 0, self.size, True)

    def _path(self, size: int, first: int, end: int, whole: bool) -> list[bytes]:
        """RFC 9162 section 2.1.4.1, from the size to the leaves from first on, up to end."""
        if size == end:
            return [] if whole else [self._node(first, end)]
        half = halfway(first, end)
        if size <= half:
            return [*self._path(size, first, half, whole), self._node(half, end)]
        return [*self._path(size, half, end, False), self._node(first, half)]

    def _node(self, first: int, end: int) -> bytes:
        """The root over these leaves, from hash tiles."""
        count = end - first
        if count & (count - 1):
            half = halfway(first, end)
            return node_hash(self._node(first, half), self._node(half, end))
        level = (count.bit_length() - 1) // LEVELS
        at, width = first >> LEVELS * level, count >> LEVELS * level
        held = min(ITEMS, (self.size >> LEVELS * level) - at // ITEMS * ITEMS)
        path, content, _ = self.file(f"tile/{level}", at // ITEMS, held, HASH_BYTES)
        hashes = [
            content[HASH_BYTES * i : HASH_BYTES * (i + 1)]
            for i in range(at % ITEMS, at % ITEMS + width)
        ]
        if len(hashes[-1]) < HASH_BYTES:
            raise _malformed(path, f"{len(content)} bytes")
        return root_over_hashes(hashes)

    def file(self, kind: str, number: int, count: int, most: int) -> tuple[str, bytes, int]:
        """The path of a file of so many items, its content, and how many items that has."""
        for path, held in _paths(kind, number, count):
            content = self._files.read(path, held * most)
            if content is not None:
                return path, content, held
        raise Rejected("LOG_TRUNCATED", f"there is no {next(_paths(kind, number, count))[0]}")

    def _bundle(self, kind: str, number: int, count: int, width: int, most: int) -> list[bytes]:
        path, content, held = self.file(kind, number, count, width + most)
        items, at = [], 0
        for index in range(held):
            begin = at + width
            length = int.from_bytes(content[at:begin], "big")
            at = begin + length
            if length > most:
                raise _malformed(path, f"item {index} of {length} bytes, at most {most}")
            if at > len(content):
                raise _malformed(path, f"ends within item {index}")
            items.append(content[begin:at])
        if at < len(content):
            raise _malformed(path, f"bytes behind its {held} items")
        return items[:count]

    def _read_bodies(self, number: int, count: int) -> list[bytes] | list[None]:
        """Of each leaf salt and body, None if nobody asked for them."""
        if not self._bodies:
            return [None] * count
        return self._bundle("bodies", number, count, 4, SALT_BYTES + BODY_BYTES_MAX)


class _HashTiles:
    """The hash tiles, each compared with hashes of leaves that were judged before.

    Of a purged log these are those that reach behind what was purged, the hashes below as the
    snapshot has them.
    """

    def __init__(self, log: TileLog, below: Tree) -> None:
        self._log = log
        self._levels: list[list[bytes]] = []  # the hashes of each level's open tile
        self._below: list[tuple[int, list[bytes]]] = []  # how many went of them, and their subtrees
        self._done: list[int] = []  # the tiles of each level that were compared
        nodes, size = below.subtrees, below.size
        while size or not self._levels:
            count = size % ITEMS
            first = len(nodes) - count.bit_count()
            self._below.append((count, nodes[first:]))
            nodes = nodes[:first]
            self._levels.append([b""] * count if self._levels else [])  # the bundle across stays
            self._done.append(size // ITEMS)
            size //= ITEMS

    def add(self, leaves: list[bytes]) -> None:
        """The leaves of one file; only those of the last may be fewer than 256."""
        self._levels[0] += map(leaf_hash, leaves)
        level = 0
        while len(self._levels[level]) == ITEMS:
            over = root_over_hashes(self._compare(level))
            level += 1
            if level == len(self._levels):
                self._levels.append([])
                self._below.append((0, []))
                self._done.append(0)
            self._levels[level].append(over)

    def finish(self) -> None:
        """The last tile of each level, if it has fewer than 256 hashes."""
        for level, hashes in enumerate(self._levels):
            if hashes:
                self._compare(level)

    def _compare(self, level: int) -> list[bytes]:
        """All hashes of the tile."""
        hashes, (gone, below) = self._levels[level], self._below[level]
        count = len(hashes)
        kind, number = f"tile/{level}", self._done[level]
        path, content, held = self._log.file(kind, number, count, HASH_BYTES)
        if len(content) != held * HASH_BYTES:
            raise _malformed(path, f"{len(content)} bytes for {held} hashes")
        found = [content[at : at + HASH_BYTES] for at in range(0, HASH_BYTES * count, HASH_BYTES)]
        tree = Tree()
        for one in found[:gone]:
            tree.add(one)
        same = all(wanted in (b"", one) for one, wanted in zip(found, hashes, strict=True))
        if not same or tree.subtrees != below:
            raise _malformed(path, "other hashes than those of the leaves")
        self._levels[level], self._below[level], self._done[level] = [], (0, []), number + 1
        return found


def _paths(kind: str, number: int, count: int) -> Iterator[tuple[str, int]]:
    """Where a file of so many items may be, and how many are there."""
    path = f"{number % 1000:03}"
    while number := number // 1000:
        path = f"x{number % 1000:03}/{path}"
    if count < ITEMS:
        yield f"{kind}/{path}.p/{count}", count
    yield f"{kind}/{path}", ITEMS


def _is_journal(leaf: bytes) -> bool:
    try:
        return isinstance(parse_leaf(leaf), JournalLeaf)
    except Rejected:  # which the audit will say
        return False


def _body(leaf: bytes, item: bytes | None) -> tuple[int, bytes, bytes]:
    """The body's state, its salt and the body."""
    if item is None:
        return NOT_READ, b"", b""
    if not item:
        return ERASED if _is_journal(leaf) else NONE, b"", b""
    if len(item) < SALT_BYTES:
        raise Rejected("LOG_MALFORMED", f"salt and body of {len(item)} bytes")
    return PRESENT, item[:SALT_BYTES], item[SALT_BYTES:]


def _malformed(path: str, detail: str) -> Rejected:
    return Rejected("LOG_MALFORMED", f"{path}: {detail}")
