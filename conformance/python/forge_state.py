"""The state forest from its definition: each root over all partitions, hashed anew each time.

A partition has no tree here. It has its entries, and the separators that cuts have made, each with
the level of the node it is in: nodes of a level lie between the separators of higher levels. The
page is docs/formats/forest.md; nothing of the verifier's is used.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from forge_bytes import cbor, outside, path, root, sha

Entries = dict[bytes, list[Any]]  # by key: [present, valueCommit, valueSize, jsn]


@dataclass
class Partition:
    """What was put into it, and how it was cut."""

    number: int
    first: int
    last: int | None = None
    entries: Entries = field(default_factory=dict)
    cuts: dict[bytes, int] = field(default_factory=dict)  # separator to level, from 1 on

    def cut(self, leaf_max: int, inner_max: int) -> None:
        """Cuts whatever has too many records, from the leaves up."""
        for keys in self.nodes(0):
            for at in ends(len(keys), leaf_max):
                self.cuts[between(keys[at - 1], keys[at])] = 1
        level = 1
        while level in self.cuts.values():
            for separators in self.nodes(level):
                for at in ends(len(separators) + 1, inner_max):
                    self.cuts[separators[at - 1]] = level + 1
            level += 1

    def nodes(self, level: int) -> list[list[bytes]]:
        """The keys of each leaf, or the separators of each node of a higher level."""
        held = self.entries if level == 0 else [s for s, own in self.cuts.items() if own == level]
        bounds = sorted(s for s, own in self.cuts.items() if own > level)
        nodes: list[list[bytes]] = [[] for _ in range(len(bounds) + 1)]
        for key in sorted(held):
            nodes[sum(bound <= key for bound in bounds)].append(key)
        return nodes

    def encoded(self) -> bytes:
        separators, records, _ = self._node(*self._top())
        tree = node_hash(self._top()[0], separators, records)
        return cbor([6, self.number, self.first, self.last, len(self.entries), tree])

    def tree(self) -> "NodeOf":
        """All its nodes, from the root on, to be changed and written."""
        return self._tree(*self._top())

    def _tree(self, level: int, keys: list[bytes], cuts: list[bytes]) -> "NodeOf":
        separators, records, below = self._node(level, keys, cuts)
        if level == 0:
            return NodeOf(0, [], records)
        return NodeOf(level, separators, [self._tree(level - 1, *each) for each in below])

    def search(self, key: bytes) -> list[Any]:
        """What a lookup proof has of this partition."""
        steps, (level, keys, cuts) = [], self._top()
        while True:
            own, records, below = self._node(level, keys, cuts)
            slot = sum(separator <= key for separator in own)
            way = path(slot, [sha(b"\0", record) for record in records])
            steps.append([level, len(records), separated(own), records[slot], way])
            if level == 0:
                return [self.encoded(), steps]
            level, (keys, cuts) = level - 1, below[slot]

    def _top(self) -> tuple[int, list[bytes], list[bytes]]:
        return max(self.cuts.values(), default=0), sorted(self.entries), sorted(self.cuts)

    def _node(
        self, level: int, keys: list[bytes], cuts: list[bytes]
    ) -> tuple[list[bytes], list[bytes], list[tuple[list[bytes], list[bytes]]]]:
        """Separators and records of a node, and the keys and cuts of each child."""
        if level == 0:
            own = [between(a, b) for a, b in zip(keys, keys[1:], strict=False)]
            return own, [cbor([4, key, *self.entries[key]]) for key in keys], []
        own = [cut for cut in cuts if self.cuts[cut] == level]
        below = []
        for low, high in zip([b"", *own], [*own, None], strict=True):
            inside = [cut for cut in cuts if low < cut and (high is None or cut < high)]
            held = [key for key in keys if low <= key and (high is None or key < high)]
            below.append((held, inside))
        records = []
        for held, inside in below:
            separators, of_child, _ = self._node(level - 1, held, inside)
            child = node_hash(level - 1, separators, of_child)
            records.append(cbor([5, child, len(held)]))
        return own, records, below


@dataclass
class NodeOf:
    """A node of a partition's tree: encoded entries at level 0, nodes above."""

    level: int
    separators: list[bytes]
    records: list[Any]


def ends(n: int, most: int) -> list[int]:
    """Where pieces begin into which n records are cut, but for the first."""
    k = -(-n // most) if n else 1
    return [piece * (n // k) + min(piece, n % k) for piece in range(1, k)]


def between(left: bytes, right: bytes) -> bytes:
    """The separator of two keys."""
    return min((right[:n] for n in range(len(right) + 1) if right[:n] > left), key=len)


def separated(separators: list[bytes]) -> list[Any]:
    """Prefix and suffixes."""
    prefix = b""
    if separators:
        first, last = separators[0], separators[-1]
        prefix = next(first[:n] for n in range(len(first), -1, -1) if last.startswith(first[:n]))
    return [prefix, [separator[len(prefix) :] for separator in separators]]


def node_hash(level: int, separators: list[bytes], records: Sequence[bytes]) -> bytes:
    shown = cbor(separated(separators))
    records_root = root([sha(b"\0", record) for record in records])
    return sha(b"\2", cbor([level, len(records), sha(b"\3", shown), records_root]))


def state_root(partitions: Sequence[Partition]) -> bytes:
    encoded = [partition.encoded() for partition in partitions]
    over = root([sha(b"\0", item) for item in encoded]) if encoded else hashlib.sha256().digest()
    return sha(b"tallystick/forest/1\0", cbor([len(encoded), over]))


@dataclass
class Forest:
    """The forest after some blocks. Tests change what it holds, to seal what is not so."""

    capacity: int
    leaf_max: int
    inner_max: int
    partitions: list[Partition] = field(default_factory=list)
    begun: int = 0
    pass_end: int | None = None
    position: int = 0
    carried: int = 0
    carried_before: int = 0
    passes: int = 0

    def block(self, height: int, written: Entries) -> None:
        """A block's newest entry of each key that it writes."""
        if not written:
            return
        if not self.partitions or self.partitions[-1].last is not None:
            self.partitions.append(Partition(self.begun, height))
            self.begun += 1
        newest = self.partitions[-1]
        newest.entries.update(written)
        newest.entries.update(self.fold(2 * len(written)))
        newest.cut(self.leaf_max, self.inner_max)
        if len(newest.entries) >= self.capacity:
            newest.last = height

    def fold(self, looks: int) -> Entries:
        """What the next looks at old entries carry over."""
        closed = [p for p in self.partitions if p.last is not None]
        held = sum(len(p.entries) for p in self.partitions)
        if self.pass_end is None and len(closed) >= 8 and held > 2 * self.carried_before:
            self.pass_end, self.carried = closed[-1].number, 0
        over: Entries = {}
        for _ in range(looks):
            if self.pass_end is None:
                break
            oldest, *newer = self.partitions
            key, entry = sorted(oldest.entries.items())[self.position]
            self.position += 1
            if entry[0] and all(key not in partition.entries for partition in newer):
                over[key] = entry
                self.carried += 1
            if self.position == len(oldest.entries):
                self.partitions, self.position = newer, 0
                if oldest.number == self.pass_end:
                    self.pass_end, self.carried_before = None, self.carried
                    self.passes += 1
        return over

    def root(self) -> bytes:
        return state_root(self.partitions)

    def held(self, key: bytes) -> list[Any] | None:
        """The entry that counts."""
        holders = [p.entries[key] for p in self.partitions if key in p.entries]
        return holders[-1] if holders else None

    def lookup(self, key: bytes) -> list[Any]:
        """Of a lookup proof of the key all behind it: count, first, roots, searches."""
        holders = [at for at, p in enumerate(self.partitions) if key in p.entries]
        first = holders[-1] if holders else 0
        hashes = [sha(b"\0", partition.encoded()) for partition in self.partitions]
        roots = outside(hashes[:first], first, 0)
        searches = [partition.search(key) for partition in self.partitions[first:]]
        return [len(hashes), first, roots, searches]
