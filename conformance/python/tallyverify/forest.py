"""What is hashed of the state forest: docs/formats/forest.md, "Bytes"."""

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import cbor, merkle, operations
from .operations import KEY_BYTES_MAX
from .rejected import Malformed

ENTRY, CHILD, PARTITION = 4, 5, 6
LEVEL_MAX, RECORDS_MAX, COUNT_MAX = 15, 1024, 65_535

Separators = tuple[bytes, ...]


@dataclass(frozen=True)
class Entry:
    """What a partition holds of a key; a tombstone has no commitment."""

    key: bytes
    value_commit: bytes | None
    value_size: int
    jsn: int

    @property
    def present(self) -> bool:
        """Whether the key has a value."""
        return self.value_commit is not None

    def encode(self) -> bytes:
        """The record of a leaf."""
        commit = b"\xf6" if self.value_commit is None else cbor.encode_bytes(self.value_commit)
        numbers = [cbor.encode_uint(number) for number in (ENTRY, self.value_size, self.jsn)]
        present = b"\xf5" if self.present else b"\xf4"
        key = cbor.encode_bytes(self.key)
        return cbor.encode_array([numbers[0], key, present, commit, *numbers[1:]])


def parse_entry(encoded: bytes) -> Entry:
    """An entry from its encoding."""
    number, key, present, commit, size, jsn = cbor.array(cbor.decode(encoded), "an entry", 6)
    cbor.exactly(number, ENTRY, "the entry's type")
    if not isinstance(present, bool):
        raise Malformed("present is no flag")
    if present:
        commit, size = cbor.digest(commit, "valueCommit"), cbor.uint(size, "valueSize")
    else:
        cbor.exactly(commit, None, "valueCommit of a tombstone")
        cbor.exactly(size, 0, "valueSize of a tombstone")
    return Entry(operations.key(key), commit, size, cbor.uint(jsn, "jsn"))


@dataclass(frozen=True)
class Child:
    """A record of an inner node."""

    hash: bytes
    entry_count: int

    def encode(self) -> bytes:
        """The record of an inner node."""
        count = cbor.encode_uint(self.entry_count)
        return cbor.encode_array([cbor.encode_uint(CHILD), cbor.encode_bytes(self.hash), count])


def parse_child(encoded: bytes) -> Child:
    """A child from its encoding."""
    number, node, count = cbor.array(cbor.decode(encoded), "a child", 3)
    cbor.exactly(number, CHILD, "the child's type")
    return Child(cbor.digest(node, "childHash"), cbor.uint(count, "entryCount"))


@dataclass(frozen=True)
class Partition:
    """A partition, without its tree; open without a last height."""

    number: int
    first_height: int
    last_height: int | None
    entry_count: int
    root_hash: bytes

    def encode(self) -> bytes:
        """What the state root is over."""
        last = b"\xf6" if self.last_height is None else cbor.encode_uint(self.last_height)
        first = [cbor.encode_uint(n) for n in (PARTITION, self.number, self.first_height)]
        count = cbor.encode_uint(self.entry_count)
        return cbor.encode_array([*first, last, count, cbor.encode_bytes(self.root_hash)])


def parse_partition(encoded: bytes) -> Partition:
    """A partition from its encoding."""
    number, *items = cbor.array(cbor.decode(encoded), "a partition", 6)
    cbor.exactly(number, PARTITION, "the partition's type")
    own, first, last, count, root = items
    return Partition(
        cbor.uint(own, "number"),
        cbor.uint(first, "firstHeight"),
        None if last is None else cbor.uint(last, "lastHeight"),
        cbor.uint(count, "entryCount"),
        cbor.digest(root, "rootHash"),
    )


def shortest(left: bytes, right: bytes) -> bytes:
    """The separator of two neighbours: the shortest prefix of the right above the left."""
    size = next(n for n in range(1, len(right) + 1) if right[:n] > left)
    return right[:size]


def slot(separators: Separators, key: bytes) -> int:
    """The index of the record that a key belongs to."""
    return bisect_right(separators, key)


def last_slot(separators: Separators, to: bytes | None) -> int:
    """The last slot that keys below `to` belong to."""
    return len(separators) if to is None else bisect_left(separators, to)


def _split(separators: Separators) -> tuple[bytes, list[bytes]]:
    if not separators:
        return b"", []
    first, last = separators[0], separators[-1]
    size = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    shared = min(len(first), len(last)) if size is None else size
    return first[:shared], [separator[shared:] for separator in separators]


def encode_separators(separators: Separators) -> bytes:
    """Prefix and suffixes."""
    prefix, suffixes = _split(separators)
    rest = cbor.encode_array(map(cbor.encode_bytes, suffixes))
    return cbor.encode_array([cbor.encode_bytes(prefix), rest])


def read_separators(item: Any, n: int) -> Separators:
    """The separators of a node of n records, in their one encoding."""
    prefix, suffixes = cbor.array(item, "separators", 2)
    prefix = cbor.byte_string(prefix, "prefix")
    suffixes = cbor.array(suffixes, "suffixes", n - 1)
    separators = tuple(prefix + cbor.byte_string(suffix, "a suffix") for suffix in suffixes)
    if any(not 1 <= len(separator) <= KEY_BYTES_MAX for separator in separators):
        raise Malformed("a separator of no bytes or too many")
    if any(a >= b for a, b in zip(separators, separators[1:], strict=False)):
        raise Malformed("separators do not ascend")
    if _split(separators) != (prefix, suffixes):
        raise Malformed("the prefix is not the longest that all separators begin with")
    return separators


def keys_hash(separators: Separators) -> bytes:
    """What a node's hash has of its separators."""
    return hashlib.sha256(b"\x03" + encode_separators(separators)).digest()


def node_hash(level: int, separators: Separators, records_root: bytes) -> bytes:
    """The hash of a node of as many records as its separators say."""
    items = [cbor.encode_uint(level), cbor.encode_uint(len(separators) + 1)]
    items += [cbor.encode_bytes(keys_hash(separators)), cbor.encode_bytes(records_root)]
    return hashlib.sha256(b"\x02" + cbor.encode_array(items)).digest()


def root_of(count: int, partitions_root: bytes) -> bytes:
    """The state root of so many partitions."""
    items = [cbor.encode_uint(count), cbor.encode_bytes(partitions_root)]
    return hashlib.sha256(b"tallystick/forest/1\0" + cbor.encode_array(items)).digest()


def state_root(partitions: Sequence[bytes]) -> bytes:
    """The state root of these partitions, oldest first."""
    return root_of(len(partitions), merkle.root_over(partitions))
