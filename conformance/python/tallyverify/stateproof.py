"""Lookup proofs, range proofs and values of the state: docs/formats/forest.md."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import cbor, forest, merkle, operations, seal
from .forest import Child, Entry, Partition, Separators
from .leaf import BYTES_MAX as LEAF_BYTES_MAX
from .leaf import SealLeaf
from .receipt import PATH_MAX, RANGE_ROOTS_MAX, Head
from .rejected import Malformed, Rejected

LOOKUP, RANGE = 30, 31
LOOKUP_BYTES_MAX, RANGE_BYTES_MAX = 256 * 1024, 4 * 1024 * 1024
RECORD_BYTES_MAX, BOUND_BYTES_MAX, RESULTS_MAX = 512, 257, 1000
PRESENT, DELETED, ABSENT, NEVER_WRITTEN = "present", "deleted", "absent", "neverWritten"


@dataclass(frozen=True)
class Answer:
    """What the state holds of a key as of a block; an entry if it is present or deleted."""

    what: str
    entry: Entry | None
    height: int


@dataclass(frozen=True)
class Keys:
    """The keys from low on and below high; open where there is none."""

    low: bytes | None = None
    high: bytes | None = None

    def of_slot(self, separators: Separators, slot: int) -> "Keys":
        """The keys of one slot of a node with these keys."""
        low = self.low if slot == 0 else separators[slot - 1]
        return Keys(low, self.high if slot == len(separators) else separators[slot])

    def check_inside(self, separators: Separators) -> None:
        """That separators lie between the ends, and not at one."""
        below = separators and self.low is not None and separators[0] <= self.low
        above = separators and self.high is not None and separators[-1] >= self.high
        if below or above:
            raise Rejected("WRONG_KEY", "a separator outside the slot above")

    def check_holds(self, key: bytes) -> None:
        """That a key is one of these."""
        below = self.low is not None and key < self.low
        if below or (self.high is not None and key >= self.high):
            raise Rejected("WRONG_KEY", f"key {key.hex()} outside its slot")


@dataclass(frozen=True)
class _Step:
    level: int
    separators: Separators
    record: bytes
    path: list[bytes]


@dataclass(frozen=True)
class _Node:
    level: int
    separators: Separators
    slot: int
    records: list[Any]  # encoded entries, or pairs of entryCount and node
    roots: list[bytes]


def verify_lookup(trusted: Head, key: bytes, encoded: bytes) -> Answer:
    """What a lookup proof shows of the key under this head."""
    if len(encoded) > LOOKUP_BYTES_MAX:
        raise Malformed(f"a proof of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a lookup proof", 8)
    cbor.exactly(items[0], LOOKUP, "the proof's type")
    begin = seal_and_path(items)
    own = operations.key(items[3])
    count, first = cbor.uint(items[4], "count"), cbor.uint(items[5], "first")
    roots = hashes(items[6], "roots", RANGE_ROOTS_MAX)
    searches = [_search(item) for item in cbor.array(items[7], "searches", most=forest.COUNT_MAX)]
    if own != key:
        raise Rejected("WRONG_KEY", f"a proof of {own.hex()}")
    last = seal.last(trusted, *begin)
    partitions = partitions_under(last, count, first, roots, [encoded for encoded, _ in searches])
    found = None
    for at in reversed(range(len(searches))):
        found = _find(key, partitions[at], searches[at][1])
        if found and at:
            raise Rejected("WRONG_KEY", "a newer partition holds the key")
    if found:
        return Answer(PRESENT if found.present else DELETED, found, last.height)
    if first:
        raise Rejected("MISSING", f"{first} older partitions are not searched")
    never = not partitions or not partitions[0].number
    return Answer(NEVER_WRITTEN if never else ABSENT, None, last.height)


def seal_and_path(items: list[Any]) -> tuple[bytes, list[bytes]]:
    """Seal and path, with which each proof begins behind its type."""
    encoded = cbor.byte_string(items[1], "seal")
    if len(encoded) > LEAF_BYTES_MAX:
        raise Malformed(f"a seal of {len(encoded)} bytes")
    return encoded, hashes(items[2], "path", PATH_MAX)


def hashes(value: Any, what: str, most: int) -> list[bytes]:
    """A list of hashes of bounded length."""
    return [cbor.digest(item, "a hash") for item in cbor.array(value, what, most=most)]


def _search(item: Any) -> tuple[bytes, list[_Step]]:
    partition, steps = cbor.array(item, "a search", 2)
    steps = cbor.array(steps, "steps", most=forest.LEVEL_MAX + 1)
    return cbor.byte_string(partition, "partition"), [_step(step) for step in steps]


def _step(item: Any) -> _Step:
    level, n, separators, record, path = cbor.array(item, "a step", 5)
    level, separators = head_of_node(level, n, separators)
    record = cbor.byte_string(record, "record")
    if len(record) > RECORD_BYTES_MAX:
        raise Malformed(f"a record of {len(record)} bytes")
    return _Step(level, separators, record, hashes(path, "path", PATH_MAX))


def head_of_node(level: Any, n: Any, separators: Any) -> tuple[int, Separators]:
    """Level and separators of a node."""
    level = cbor.uint(level, "level", 0, forest.LEVEL_MAX)
    n = cbor.uint(n, "n", 2 if level else 1, forest.RECORDS_MAX)
    return level, forest.read_separators(separators, n)


def partitions_under(
    last: SealLeaf, count: int, first: int, roots: Sequence[bytes], encoded: Sequence[bytes]
) -> list[Partition]:
    """The partitions shown, checked against the seal's state root."""
    if count > forest.COUNT_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"{count} partitions")
    if len(encoded) != count - first or (count and first >= count):
        raise Rejected("INDEX_OUT_OF_RANGE", f"{len(encoded)} from {first} on of {count}")
    if count == 0:
        if roots:
            raise Rejected("WRONG_PATH_LENGTH", f"{len(roots)} roots beside no partition")
        _check_root(last, forest.state_root([]))
        return []
    partitions = [forest.parse_partition(item) for item in encoded]
    if partitions[0].number < first:
        raise Rejected("INDEX_OUT_OF_RANGE", f"number {partitions[0].number}, index {first}")
    _check_order(partitions, last.height)
    leaves = [merkle.leaf_hash(item) for item in encoded]
    root = merkle.range_rows(first, count, roots, leaves)[-1][0]
    _check_root(last, forest.root_of(count, root))
    return partitions


def _check_root(last: SealLeaf, found: bytes) -> None:
    if found != last.state_root:
        raise Rejected("ROOT_MISMATCH", f"the partitions lead to {found.hex()}")


def _check_order(partitions: Sequence[Partition], height: int) -> None:
    before = -1
    for at, partition in enumerate(partitions):
        newest = at == len(partitions) - 1
        until = partition.last_height
        if until is None and newest:
            until = height
        if until is None or not before < partition.first_height <= until <= height:
            raise Rejected("BROKEN_CHAIN", f"partition {partition.number} and its heights")
        if partition.number != partitions[0].number + at:
            raise Rejected("BROKEN_CHAIN", f"partition {partition.number} at place {at}")
        before = until


def _find(key: bytes, partition: Partition, steps: Sequence[_Step]) -> Entry | None:
    """The entry that a partition has of the key."""
    if not steps or [step.level for step in steps] != list(range(len(steps) - 1, -1, -1)):
        raise Rejected("WRONG_PATH_LENGTH", "steps of other levels")
    above, keys = Child(partition.root_hash, partition.entry_count), Keys()
    for step in steps:
        keys.check_inside(step.separators)
        slot, n = forest.slot(step.separators, key), len(step.separators) + 1
        root = merkle.inclusion_root(slot, n, step.path, merkle.leaf_hash(step.record))
        if forest.node_hash(step.level, step.separators, root) != above.hash:
            raise Rejected("ROOT_MISMATCH", f"a node of level {step.level}")
        keys = keys.of_slot(step.separators, slot)
        if step.level:
            above = forest.parse_child(step.record)
    entry = forest.parse_entry(steps[-1].record)
    keys.check_holds(entry.key)
    if len(steps[-1].separators) + 1 != above.entry_count:
        raise Rejected("WRONG_SIZE", f"a leaf of {above.entry_count} entries")
    return entry if entry.key == key else None


@dataclass(frozen=True)
class Page:
    """The entries of a range that have a value, in order, the end of what was shown, the block."""

    entries: list[Entry]
    to: bytes | None
    height: int


def verify_range(trusted: Head, start: bytes, to: bytes | None, encoded: bytes) -> Page:
    """What a range proof shows of the keys from start on and below `to`; it may end earlier."""
    if len(encoded) > RANGE_BYTES_MAX:
        raise Malformed(f"a proof of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a range proof", 7)
    cbor.exactly(items[0], RANGE, "the proof's type")
    begin = seal_and_path(items)
    own, end = _bound(items[3]), None if items[4] is None else _bound(items[4])
    count = cbor.uint(items[5], "count", 0, forest.COUNT_MAX)
    parts = [_part(part) for part in cbor.array(items[6], "parts", count)]
    if own != start or (to is not None and (end is None or end > to)):
        raise Rejected("WRONG_KEY", "a proof of other keys")
    last = seal.last(trusted, *begin)
    if end is not None and own >= end:
        raise Rejected("WRONG_KEY", "a range of no keys")
    partitions = partitions_under(last, count, 0, [], [encoded for encoded, _ in parts])
    newest: dict[bytes, Entry] = {}
    for partition, (_, node) in zip(partitions, parts, strict=True):
        shown: list[Entry] = []
        found = _hash(node, Keys(), Keys(own, end), partition.entry_count, shown)
        if found != partition.root_hash:
            raise Rejected("ROOT_MISMATCH", f"the tree leads to {found.hex()}")
        newest |= {entry.key: entry for entry in shown}
    within = [newest[key] for key in sorted(newest) if own <= key and (end is None or key < end)]
    present = [entry for entry in within if entry.present]
    if len(present) > RESULTS_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"{len(present)} keys")
    return Page(present, end, last.height)


def own_range(encoded: bytes) -> tuple[bytes, bytes | None]:
    """The ends of a range proof by its own word."""
    if len(encoded) > RANGE_BYTES_MAX:
        raise Malformed(f"a proof of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a range proof", 7)
    return _bound(items[3]), None if items[4] is None else _bound(items[4])


def _bound(value: Any) -> bytes:
    bound = cbor.byte_string(value, "an end")
    if len(bound) > BOUND_BYTES_MAX:
        raise Malformed(f"an end of {len(bound)} bytes")
    return bound


def _part(item: Any) -> tuple[bytes, _Node]:
    partition, node = cbor.array(item, "a part", 2)
    return cbor.byte_string(partition, "partition"), _node(node)


def _node(item: Any) -> _Node:
    level, n, separators, slot, records, roots = cbor.array(item, "a node", 6)
    level, separators = head_of_node(level, n, separators)
    slot = cbor.uint(slot, "slot", 0, n - 1)
    records = cbor.array(records, "records", most=n - slot)
    if level == 0:
        records = [cbor.byte_string(record, "an entry") for record in records]
    else:
        records = [_shown_child(record, level - 1) for record in records]
    return _Node(level, separators, slot, records, hashes(roots, "roots", RANGE_ROOTS_MAX))


def _shown_child(item: Any, level: int) -> tuple[int, _Node]:
    count, node = cbor.array(item, "a child", 2)
    count, node = cbor.uint(count, "entryCount"), _node(node)
    if node.level != level:
        raise Malformed(f"a child of level {node.level}, want {level}")
    return count, node


def _hash(node: _Node, own: Keys, wanted: Keys, entry_count: int, shown: list[Entry]) -> bytes:
    """The hash of a node that shows exactly what the wanted keys meet."""
    own.check_inside(node.separators)
    first = forest.slot(node.separators, wanted.low or b"")
    last = forest.last_slot(node.separators, wanted.high)
    if (node.slot, len(node.records)) != (first, last - first + 1):
        raise Rejected("WRONG_KEY", f"{len(node.records)} records from slot {node.slot} on")
    n = len(node.separators) + 1
    if node.level == 0 and n != entry_count:
        raise Rejected("WRONG_SIZE", f"a leaf of {n} entries, want {entry_count}")
    hashes = []
    for at, record in enumerate(node.records):
        keys = own.of_slot(node.separators, node.slot + at)
        if node.level == 0:
            entry = forest.parse_entry(record)
            keys.check_holds(entry.key)
            shown.append(entry)
        else:
            count, child = record
            record = Child(_hash(child, keys, wanted, count, shown), count).encode()
        hashes.append(merkle.leaf_hash(record))
    root = merkle.range_rows(node.slot, n, node.roots, hashes)[-1][0]
    return forest.node_hash(node.level, node.separators, root)


def verify_value(entry: Entry, encoded: bytes) -> bytes:
    """The value, which must be the entry's."""
    opening, value = cbor.array(cbor.decode(encoded), "a value", 2)
    opening, value = cbor.digest(opening, "opening"), cbor.byte_string(value, "value")
    commit = hashlib.sha256(b"tallystick/value/1\0" + opening + value).digest()
    if len(value) != entry.value_size or commit != entry.value_commit:
        raise Rejected("COMMITMENT_MISMATCH", f"a value of {len(value)} bytes")
    return value
