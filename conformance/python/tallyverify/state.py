"""The state as a replay of the operations finds it: docs/formats/forest.md, "What a block does"."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from . import forest, merkle
from .forest import Child, Entry, Partition
from .ledger import StateParams
from .operations import IF_ABSENT, IF_VERSION, Operation, Precondition

CLOSED_BEFORE_FOLD = 8


class Node:
    """A node that is never changed: what is put into it gives others."""

    level: int
    separators: tuple[bytes, ...]
    entry_count: int

    def records(self) -> list[bytes]:
        """The records, encoded."""
        raise NotImplementedError

    @cached_property
    def hash(self) -> bytes:
        """The nodeHash."""
        return forest.node_hash(self.level, self.separators, merkle.root_over(self.records()))


class LeafNode(Node):
    def __init__(self, entries: list[Entry]) -> None:
        self.level = 0
        self.entries = entries
        self.entry_count = len(entries)
        pairs = zip(entries, entries[1:], strict=False)
        self.separators = tuple(forest.shortest(a.key, b.key) for a, b in pairs)

    def records(self) -> list[bytes]:
        return [entry.encode() for entry in self.entries]


class InnerNode(Node):
    def __init__(self, level: int, children: list[Node], separators: list[bytes]) -> None:
        self.level = level
        self.children = children
        self.separators = tuple(separators)
        self.entry_count = sum(child.entry_count for child in children)

    def records(self) -> list[bytes]:
        return [Child(child.hash, child.entry_count).encode() for child in self.children]


Pieces = tuple[list[Node], list[bytes]]  # nodes side by side, and the separators between them


@dataclass
class PartitionTree:
    """A partition, its tree and, for looking up, its entries."""

    number: int
    first_height: int
    last_height: int | None = None
    entries: dict[bytes, Entry] = field(default_factory=dict)
    root: Node | None = None

    def encode(self) -> bytes:
        """What the state root is over."""
        assert self.root
        count = self.root.entry_count
        bounds = self.first_height, self.last_height
        return Partition(self.number, *bounds, count, self.root.hash).encode()


@dataclass
class State:
    """The forest after the blocks so far, and what the open block has written."""

    params: StateParams
    trees: list[PartitionTree] = field(default_factory=list)
    next_number: int = 0
    pass_runs: bool = False
    pass_end: int = 0
    position: int = 0
    carried: int = 0  # S
    carried_before: int = 0  # B
    added: dict[bytes, Entry] = field(default_factory=dict)

    def root(self) -> bytes:
        """The state root as of the last block."""
        return forest.state_root([tree.encode() for tree in self.trees])

    def newest(self, key: bytes) -> Entry | None:
        """The entry of the newest partition that has the key."""
        holders = (tree.entries[key] for tree in reversed(self.trees) if key in tree.entries)
        return next(holders, None)

    def apply(
        self, height: int, journals: Iterable[tuple[int, list[Operation]]]
    ) -> list[tuple[int, int]]:
        """A whole block; answers jsn and index of operations whose precondition fails."""
        failed = [(jsn, index) for jsn, ops in journals for index in self.add(jsn, ops)]
        self.end_block(height)
        return failed

    def add(self, jsn: int, operations: Iterable[Operation]) -> list[int]:
        """A journal of the open block; answers the index of those whose precondition fails."""
        failed = []
        for index, op in enumerate(operations):
            if not _holds(op.precondition, self.added.get(op.key) or self.newest(op.key)):
                failed.append(index)
            self.added[op.key] = Entry(op.key, op.value_commit, op.value_size, jsn)
        return failed

    def end_block(self, height: int) -> None:
        """What the open block wrote goes into the forest."""
        added, self.added = self.added, {}
        if added:
            self._write(height, added)

    def _write(self, height: int, added: dict[bytes, Entry]) -> None:
        if not self.trees or self.trees[-1].last_height is not None:
            self.trees.append(PartitionTree(self.next_number, height))
            self.next_number += 1
        tree = self.trees[-1]
        looks = 2 * len(added)
        tree.entries |= added
        copies = self._fold(looks)
        tree.entries |= copies
        self._grow(tree, added | copies)
        if len(tree.entries) >= self.params.capacity:
            tree.last_height = height

    def _fold(self, looks: int) -> dict[bytes, Entry]:
        """What is carried over; the open partition, the newest, has this block's entries."""
        closed = self.trees[:-1]
        entries = sum(len(tree.entries) for tree in self.trees)
        due = len(closed) >= CLOSED_BEFORE_FOLD and entries > 2 * self.carried_before
        if not self.pass_runs and due:
            self.pass_runs, self.pass_end, self.carried = True, closed[-1].number, 0
        copies: dict[bytes, Entry] = {}
        while self.pass_runs and looks:
            looks -= 1
            oldest = self.trees[0]
            key = sorted(oldest.entries)[self.position]
            self.position += 1
            entry = oldest.entries[key]
            if entry.present and not any(key in tree.entries for tree in self.trees[1:]):
                copies[key] = entry
                self.carried += 1
            if self.position == len(oldest.entries):
                self._leave(oldest)
        return copies

    def _leave(self, oldest: PartitionTree) -> None:
        del self.trees[0]
        self.position = 0
        if oldest.number == self.pass_end:
            self.pass_runs, self.carried_before = False, self.carried

    def _grow(self, tree: PartitionTree, added: dict[bytes, Entry]) -> None:
        start = tree.root or LeafNode([])
        nodes, cuts = self._put(start, [added[key] for key in sorted(added)])
        while len(nodes) > 1:
            nodes, cuts = self._cut(nodes[0].level + 1, nodes, cuts)
        tree.root = nodes[0]

    def _put(self, node: Node, added: list[Entry]) -> Pieces:
        """The nodes that take the place of this one."""
        if isinstance(node, LeafNode):
            entries = {entry.key: entry for entry in [*node.entries, *added]}
            ordered = [entries[key] for key in sorted(entries)]
            leaves: list[Node] = []
            cuts = []
            for first, end in _sizes(len(ordered), self.params.leaf_max):
                leaves.append(LeafNode(ordered[first:end]))
                if first:
                    cuts.append(forest.shortest(ordered[first - 1].key, ordered[first].key))
            return leaves, cuts
        assert isinstance(node, InnerNode)
        below: list[list[Entry]] = [[] for _ in node.children]
        for entry in added:
            below[forest.slot(node.separators, entry.key)].append(entry)
        children: list[Node] = []
        separators: list[bytes] = []
        for slot, (child, own) in enumerate(zip(node.children, below, strict=True)):
            nodes, cuts = self._put(child, own) if own else ([child], [])
            separators += list(node.separators[slot - 1 : slot]) if slot else []
            separators += cuts
            children += nodes
        return self._cut(node.level, children, separators)

    def _cut(self, level: int, children: list[Node], separators: list[bytes]) -> Pieces:
        nodes: list[Node] = []
        cuts = []
        for first, end in _sizes(len(children), self.params.inner_max):
            nodes.append(InnerNode(level, children[first:end], separators[first : end - 1]))
            if first:
                cuts.append(separators[first - 1])
        return nodes, cuts


def _sizes(n: int, most: int) -> list[tuple[int, int]]:
    """Where the pieces begin and end into which n records are cut."""
    k = -(-n // most)
    sizes = [-(-n // k)] * (n % k) + [n // k] * (k - n % k)
    ends = [sum(sizes[: i + 1]) for i in range(k)]
    return [(end - size, end) for size, end in zip(sizes, ends, strict=True)]


def _holds(precondition: Precondition, newest: Entry | None) -> bool:
    if not precondition:
        return True
    present = newest if newest and newest.present else None
    if precondition[0] == IF_ABSENT:
        return present is None
    if present is None:
        return False
    found = present.jsn if precondition[0] == IF_VERSION else present.value_commit
    return found == precondition[1]
