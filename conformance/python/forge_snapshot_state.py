"""The file `snapshot/state` of a forged log, from the definition of the state.

Each part is open to change.

The page is docs/formats/audit-statement.md, "State as of a purge". Of the verifier only the reading
of leaves and CBOR is used.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from forge_bytes import number
from forge_state import Entries, Forest, NodeOf
from tallyverify import cbor as decoding
from tallyverify.leaf import JournalLeaf, SealLeaf, parse_leaf

NONE = 2**64 - 1


@dataclass
class Image:
    """What the file says of the forest, oldest partition first, and of the fold."""

    next_number: int
    pass_end: int
    position: int
    carried: int
    carried_before: int
    partitions: list["Shown"] = field(default_factory=list)
    magic: bytes = b"TALLYSTI"
    version: int = 1
    count: int | None = None  # if it is not that of the partitions

    def encoded(self) -> bytes:
        """The file."""
        parts = [self.magic, number(self.version, 4)]
        fold = (self.pass_end, self.position, self.carried, self.carried_before)
        parts += [number(each, 8) for each in (self.next_number, *fold)]
        parts.append(number(len(self.partitions) if self.count is None else self.count, 4))
        for each in self.partitions:
            numbers = (each.number, each.first, each.last, each.count)
            parts += [number(one, 8) for one in numbers] + [each.root]
        return b"".join([*parts, *(_node(each.tree) for each in self.partitions)])


@dataclass
class Shown:
    """The head of a partition, and its tree."""

    number: int
    first: int
    last: int
    count: int
    root: bytes
    tree: NodeOf


def _node(node: NodeOf) -> bytes:
    parts = [number(node.level, 1), number(len(node.records), 2)]
    parts += [number(len(each), 2) + each for each in node.separators]
    if node.level:
        parts += map(_node, node.records)
    else:
        parts += [number(len(each), 2) + each for each in node.records]
    return b"".join(parts)


def image(forest: Forest) -> Image:
    """The right file of a forest."""
    partitions = []
    for each in forest.partitions:
        *_, count, tree_root = decoding.decode(each.encoded())
        last = NONE if each.last is None else each.last
        partitions.append(Shown(each.number, each.first, last, count, tree_root, each.tree()))
    pass_end = NONE if forest.pass_end is None else forest.pass_end
    fold = (pass_end, forest.position, forest.carried, forest.carried_before)
    return Image(forest.begun, *fold, partitions)


def as_of(founded: Forest, entries: Sequence[Sequence[Any]]) -> Forest:
    """The forest behind these entries of a log, from an empty one of its shape."""
    forest = Forest(founded.capacity, founded.leaf_max, founded.inner_max)
    written: Entries = {}
    for leaf, *_, ops in entries:
        parsed = parse_leaf(leaf)
        if isinstance(parsed, JournalLeaf):
            for _, _, key, commit, size, _ in decoding.decode(ops) if ops else []:
                written[key] = [commit is not None, commit, size, parsed.jsn]
        elif isinstance(parsed, SealLeaf):
            forest.block(parsed.height, deepcopy(written))
            written = {}
    return forest
