"""RFC 9162 trees and their proofs: docs/formats/merkle.md."""

import hashlib
from collections.abc import Iterable, Sequence

from .rejected import Rejected

SIZE_MAX = 2**62
RANGE_MAX = 65_536


def leaf_hash(data: bytes) -> bytes:
    """SHA-256(0x00 ‖ data)."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 ‖ left ‖ right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree that grows: the roots of its complete subtrees, largest first."""

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        self.size = size
        self._subtrees = list(subtrees)

    @property
    def subtrees(self) -> list[bytes]:
        """The roots of the complete subtrees: one for each bit of the size."""
        return list(self._subtrees)

    def add(self, leaf: bytes) -> None:
        """Appends a leaf, given by its hash."""
        node, rest = leaf, self.size
        while rest & 1:
            node = node_hash(self._subtrees.pop(), node)
            rest >>= 1
        self._subtrees.append(node)
        self.size += 1

    def root(self) -> bytes:
        """The root of all leaves so far."""
        return _fold(self._subtrees) if self._subtrees else hashlib.sha256(b"").digest()


def root_over(items: Sequence[bytes]) -> bytes:
    """The root over data, each item hashed as a leaf."""
    return root_over_hashes(map(leaf_hash, items))


def root_over_hashes(hashes: Iterable[bytes]) -> bytes:
    """The root over leaves that are given by their hashes."""
    tree = Tree()
    for leaf in hashes:
        tree.add(leaf)
    return tree.root()


def inclusion_root(index: int, size: int, path: Sequence[bytes], leaf: bytes) -> bytes:
    """The root a path leads to, all rules of "Inclusion proof" checked before."""
    if not 1 <= size <= SIZE_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"size {size}")
    if not 0 <= index < size:
        raise Rejected("INDEX_OUT_OF_RANGE", f"{index} of {size}")
    that = (index ^ (size - 1)).bit_length()
    wanted = that + (index >> that).bit_count()
    if len(path) != wanted:
        raise Rejected("WRONG_PATH_LENGTH", f"{len(path)} hashes, want {wanted}")
    node, at, last = leaf, index, size - 1  # RFC 9162 section 2.1.3.2
    for sibling in path:
        if at & 1 or at == last:
            node = node_hash(sibling, node)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        at, last = at >> 1, last >> 1
    return node


class Leaves:
    """The leaves of a growing log by their hashes, from a size on below which only subtrees are known."""

    def __init__(self, below: Tree | None = None) -> None:
        self._start = below.size if below else 0
        self._hashes: list[bytes] = []
        self._known: dict[tuple[int, int], bytes] = {}
        first = 0
        for node in below.subtrees if below else ():
            end = first + (1 << (self._start - first).bit_length() - 1)
            self._known[first, end] = node
            first = end
        self._paths: dict[int, Sequence[bytes]] = {}

    def keep(self, jsn: int, path: Sequence[bytes]) -> None:
        """The path of a leaf below, in the tree of the first size or of a larger one."""
        self._paths[jsn] = path

    def add(self, leaf: bytes) -> None:
        """The hash of the next one."""
        self._hashes.append(leaf)

    def root(self, first: int, end: int) -> bytes:
        """Of the tree over these; below the start only over what is known."""
        if first >= self._start:
            return root_over_hashes(self._hashes[first - self._start : end - self._start])
        if (first, end) in self._known:
            return self._known[first, end]
        middle = halfway(first, end)
        return node_hash(self.root(first, middle), self.root(middle, end))

    def frontier(self, size: int) -> list[bytes]:
        """The roots of the complete subtrees of the tree of this size, largest first."""
        roots, first = [], 0
        while first < size:
            end = first + (1 << (size - first).bit_length() - 1)
            roots.append(self.root(first, end))
            first = end
        return roots

    def path(self, jsn: int, first: int, end: int) -> list[bytes]:
        """RFC 9162 section 2.1.3.1, from the leaf up."""
        if end - first == 1:
            return []
        if (first, end) in self._known and jsn < self._start:
            return list(self._paths[jsn][: (end - first).bit_length() - 1])
        middle = halfway(first, end)
        if jsn < middle:
            return [*self.path(jsn, first, middle), self.root(middle, end)]
        return [*self.path(jsn, middle, end), self.root(first, middle)]


def halfway(first: int, end: int) -> int:
    """Where the tree over these leaves divides."""
    return first + (1 << (end - first - 1).bit_length() - 1)


def subtrees(start: int, end: int) -> int:
    """How many maximal complete subtrees the walk from start to end takes."""
    count = 0
    while start < end:
        step = start & -start if start else 1 << end.bit_length()
        while start + step > end:
            step >>= 1
        start += step
        count += 1
    return count


def range_rows(
    first: int, size: int, roots: Sequence[bytes], leaves: Sequence[bytes]
) -> list[dict[int, bytes]]:
    """The nodes that "Range proof" computes, by level and index; the last is the root alone.

    Each leaf's inclusion path can be read off them: see inclusion_path.
    """
    count = len(leaves)
    if not 1 <= size <= SIZE_MAX or not 1 <= count <= RANGE_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"{count} leaves, size {size}")
    if not 0 <= first <= size - count:
        raise Rejected("INDEX_OUT_OF_RANGE", f"{first} + {count} of {size}")
    left = subtrees(0, first)
    wanted = left + subtrees(first + count, size)
    if len(roots) != wanted:
        raise Rejected("WRONG_PATH_LENGTH", f"{len(roots)} roots, want {wanted}")
    before, behind = list(roots[:left]), list(roots[left:])
    low, row, width, level = first, list(leaves), size, 0
    rows = []
    while width > 1:
        if low & 1:
            row.insert(0, before.pop())
            low -= 1
        high = low + len(row)
        if high & 1 and high < width:
            if (high + 1) << level <= size:
                row.append(behind.pop(0))
            else:
                row.append(_fold(behind))
                behind = []
        rows.append({low + i: node for i, node in enumerate(row)})
        row = [
            node_hash(row[i], row[i + 1]) if i + 1 < len(row) else row[i]
            for i in range(0, len(row), 2)
        ]
        low, width, level = low >> 1, width + 1 >> 1, level + 1
    rows.append({0: row[0]})
    return rows


def inclusion_path(index: int, size: int, rows: Sequence[dict[int, bytes]]) -> list[bytes]:
    """The inclusion path of a leaf of a range ("splitting")."""
    path = []
    for level, row in enumerate(rows[:-1]):
        sibling = (index >> level) ^ 1
        if sibling < -(-size >> level):
            path.append(row[sibling])
    return path


def _fold(roots: Sequence[bytes]) -> bytes:
    """Each root joined to all that is right of it."""
    node = roots[-1]
    for root in reversed(roots[:-1]):
        node = node_hash(root, node)
    return node
