"""Consistency proofs of RFC 9162 trees: docs/formats/merkle.md."""

from collections.abc import Sequence

from .merkle import SIZE_MAX, node_hash
from .rejected import Rejected


def roots(first: int, second: int, path: Sequence[bytes], first_root: bytes) -> tuple[bytes, bytes]:
    """The roots of both trees that a path leads to (RFC 9162 section 2.1.4.2), its length checked.

    If the first size is a power of two the path does not hold its root: the given one is used.
    """
    if not 1 <= first <= second <= SIZE_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"from {first} to {second}")
    if first == second:
        if path:
            raise Rejected("WRONG_PATH_LENGTH", f"{len(path)} hashes between trees of one size")
        return first_root, first_root
    nodes = list(path)
    if first & (first - 1) == 0:
        nodes.insert(0, first_root)
    at, last = first - 1, second - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    if len(nodes) != 1 + _steps(at, last):
        raise Rejected("WRONG_PATH_LENGTH", f"{len(path)} hashes from {first} to {second}")
    old = new = nodes[0]
    for node in nodes[1:]:
        if at & 1 or at == last:
            old, new = node_hash(node, old), node_hash(node, new)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new = node_hash(new, node)
        at, last = at >> 1, last >> 1
    return old, new


def _steps(at: int, last: int) -> int:
    """How many nodes the walk takes behind the first."""
    count = 0
    while last:
        if at & 1 or at == last:
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        count += 1
        at, last = at >> 1, last >> 1
    return count


def check(
    first: int, first_root: bytes, second: int, second_root: bytes, path: list[bytes]
) -> None:
    """That the second head continues the first."""
    if roots(first, second, path, first_root) != (first_root, second_root):
        raise Rejected(
            "ROOT_MISMATCH", f"the log of {second} leaves does not continue that of {first}"
        )
