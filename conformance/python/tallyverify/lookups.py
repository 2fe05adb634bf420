"""Proofs of several keys of the state: docs/formats/forest.md, "Proof of several keys"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import cbor, forest, merkle, operations, seal, stateproof
from .forest import Child, Entry, Separators
from .receipt import RANGE_ROOTS_MAX, Head
from .rejected import Malformed, Rejected
from .stateproof import Answer, Keys

LOOKUPS = 33
BYTES_MAX, KEYS_MIN, KEYS_MAX, TREES_MAX = 4 * 1024 * 1024, 2, 1000, 65_536


@dataclass(frozen=True)
class Tree:
    """A node: the records of the slots that its keys meet, and the roots over the others."""

    level: int
    separators: Separators
    records: list[Any]  # encoded entries, or pairs of entryCount and tree
    outside: list[bytes]


@dataclass(frozen=True)
class Several:
    """What the state holds of each key of a proof, and the height of the block."""

    keys: list[bytes]
    answers: list[Answer]
    height: int


def verify(trusted: Head, wanted: Sequence[bytes], encoded: bytes) -> Several:
    """What a proof shows of the first of the keys wanted, which ascend, under this head."""
    items = _items(encoded)
    begin = stateproof.seal_and_path(items)
    keys = _keys(items[3])
    count, first = cbor.uint(items[4], "count"), cbor.uint(items[5], "first")
    roots = stateproof.hashes(items[6], "roots", RANGE_ROOTS_MAX)
    budget = [TREES_MAX]
    parts = [_part(item, budget) for item in cbor.array(items[7], "parts", most=forest.COUNT_MAX)]
    if keys != list(wanted[: len(keys)]):
        raise Rejected("WRONG_KEY", f"a proof of {len(keys)} keys, not the first wanted")
    last = seal.last(trusted, *begin)
    shown = [partition for partition, _ in parts]
    partitions = stateproof.partitions_under(last, count, first, roots, shown)
    found: dict[bytes, Entry] = {}
    pending = keys
    for partition, (_, tree) in zip(reversed(partitions), reversed(parts), strict=True):
        if not pending:
            raise Rejected("WRONG_KEY", "a partition older than those that hold all keys")
        root = _hash(tree, Keys(), pending, partition.entry_count, found)
        if root != partition.root_hash:
            raise Rejected("ROOT_MISMATCH", f"the tree leads to {root.hex()}")
        pending = [key for key in pending if key not in found]
    if pending and first:
        raise Rejected("MISSING", f"{first} older partitions are not searched")
    never = not partitions or not partitions[0].number
    answers = [_answer(found.get(key), never, last.height) for key in keys]
    return Several(keys, answers, last.height)


def own_keys(encoded: bytes) -> list[bytes]:
    """The keys that a proof is about by its own word."""
    return _keys(_items(encoded)[3])


def _items(encoded: bytes) -> list[Any]:
    if len(encoded) > BYTES_MAX:
        raise Malformed(f"a proof of {len(encoded)} bytes")
    items = cbor.array(cbor.decode(encoded), "a proof of several keys", 8)
    cbor.exactly(items[0], LOOKUPS, "the proof's type")
    return items


def _keys(value: Any) -> list[bytes]:
    keys = [operations.key(item) for item in cbor.array(value, "keys", most=KEYS_MAX)]
    if len(keys) < KEYS_MIN or any(low >= high for low, high in zip(keys, keys[1:], strict=False)):
        raise Malformed(f"{len(keys)} keys, which are too few or do not ascend")
    return keys


def _part(item: Any, budget: list[int]) -> tuple[bytes, Tree]:
    partition, tree = cbor.array(item, "a part", 2)
    return cbor.byte_string(partition, "partition"), _tree(tree, budget)


def _tree(item: Any, budget: list[int]) -> Tree:
    budget[0] -= 1
    if budget[0] < 0:
        raise Malformed(f"more than {TREES_MAX} trees")
    level, n, separators, records, outside = cbor.array(item, "a tree", 5)
    level, separators = stateproof.head_of_node(level, n, separators)
    records = cbor.array(records, "records", most=n)
    if level == 0:
        records = [_entry(record) for record in records]
    else:
        records = [_child(record, level - 1, budget) for record in records]
    roots = stateproof.hashes(outside, "outside", n - len(records))
    return Tree(level, separators, records, roots)


def _entry(record: Any) -> bytes:
    encoded = cbor.byte_string(record, "an entry")
    if len(encoded) > stateproof.RECORD_BYTES_MAX:
        raise Malformed(f"an entry of {len(encoded)} bytes")
    return encoded


def _child(item: Any, level: int, budget: list[int]) -> tuple[int, Tree]:
    count, tree = cbor.array(item, "a child", 2)
    count, tree = cbor.uint(count, "entryCount"), _tree(tree, budget)
    if tree.level != level:
        raise Malformed(f"a child of level {tree.level}, want {level}")
    return count, tree


def _hash(
    tree: Tree, own: Keys, keys: Sequence[bytes], entry_count: int, found: dict[bytes, Entry]
) -> bytes:
    """The hash of a node that shows exactly the slots of these keys."""
    own.check_inside(tree.separators)
    n = len(tree.separators) + 1
    if tree.level == 0 and n != entry_count:
        raise Rejected("WRONG_SIZE", f"a leaf of {n} entries, want {entry_count}")
    slots: dict[int, list[bytes]] = {}
    for key in keys:
        slots.setdefault(forest.slot(tree.separators, key), []).append(key)
    if len(slots) != len(tree.records):
        raise Rejected("WRONG_KEY", f"{len(tree.records)} records, the keys meet {len(slots)}")
    leaves: dict[int, bytes] = {}
    for (slot, here), record in zip(slots.items(), tree.records, strict=True):
        within = own.of_slot(tree.separators, slot)
        if tree.level == 0:
            entry = forest.parse_entry(record)
            within.check_holds(entry.key)
            if entry.key in here:
                found[entry.key] = entry
        else:
            count, child = record
            record = Child(_hash(child, within, here, count, found), count).encode()
        leaves[slot] = merkle.leaf_hash(record)
    outside = list(tree.outside)
    root = _root(leaves, outside, 0, n)
    if outside:
        raise Rejected("WRONG_PATH_LENGTH", f"{len(outside)} roots too many")
    return forest.node_hash(tree.level, tree.separators, root)


def _root(leaves: dict[int, bytes], outside: list[bytes], low: int, high: int) -> bytes:
    """The root over the records from low to before high."""
    if not any(low <= slot < high for slot in leaves):
        if not outside:
            raise Rejected("WRONG_PATH_LENGTH", "a root too few")
        return outside.pop(0)
    if high - low == 1:
        return leaves[low]
    middle = low + (1 << (high - low - 1).bit_length() - 1)
    left = _root(leaves, outside, low, middle)
    return merkle.node_hash(left, _root(leaves, outside, middle, high))


def _answer(entry: Entry | None, never: bool, height: int) -> Answer:
    if entry is None:
        what = stateproof.NEVER_WRITTEN if never else stateproof.ABSENT
        return Answer(what, None, height)
    return Answer(stateproof.PRESENT if entry.present else stateproof.DELETED, entry, height)
