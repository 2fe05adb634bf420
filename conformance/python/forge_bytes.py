"""Bytes as the pages write them: CBOR, numbers, and the trees of RFC 9162 from their definition."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tag:
    number: int
    content: Any


def head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes([major << 5 | argument])
    width = next(w for w in (1, 2, 4, 8) if argument < 1 << 8 * w)
    return bytes([major << 5 | 23 + width.bit_length()]) + argument.to_bytes(width, "big")


def cbor(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, Tag):
        return head(6, value.number) + cbor(value.content)
    if isinstance(value, dict):
        pairs = sorted((cbor(k), cbor(v)) for k, v in value.items())
        return head(5, len(pairs)) + b"".join(k + v for k, v in pairs)
    return head(4, len(value)) + b"".join(cbor(item) for item in value)


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def root(leaf_hashes: Sequence[bytes]) -> bytes:
    """RFC 9162 section 2.1.1."""
    if len(leaf_hashes) == 1:
        return leaf_hashes[0]
    k = 1 << (len(leaf_hashes) - 1).bit_length() - 1
    return sha(b"\x01", root(leaf_hashes[:k]), root(leaf_hashes[k:]))


def path(index: int, leaf_hashes: Sequence[bytes]) -> list[bytes]:
    """RFC 9162 section 2.1.3.1."""
    if len(leaf_hashes) == 1:
        return []
    k = 1 << (len(leaf_hashes) - 1).bit_length() - 1
    if index < k:
        return path(index, leaf_hashes[:k]) + [root(leaf_hashes[k:])]
    return path(index - k, leaf_hashes[k:]) + [root(leaf_hashes[:k])]


def outside(hashes: list[bytes], first: int, count: int) -> list[bytes]:
    """The roots of the maximal complete subtrees outside a range, from their definition."""
    roots = []
    for start, end in ((0, first), (first + count, len(hashes))):
        while start < end:
            steps = (1 << level for level in range(end.bit_length(), -1, -1))
            step = next(s for s in steps if start % s == 0 and start + s <= end)
            roots.append(root(hashes[start : start + step]))
            start += step
    return roots


def number(value: int, width: int) -> bytes:
    return value.to_bytes(width, "big")


def prefixed(data: bytes) -> bytes:
    return number(len(data), 4) + data


def consistency(size: int, leaf_hashes: Sequence[bytes]) -> list[bytes]:
    """RFC 9162 section 2.1.4.1, from the size to all of these."""
    return _subproof(size, leaf_hashes, True)


def _subproof(size: int, hashes: Sequence[bytes], whole: bool) -> list[bytes]:
    if size == len(hashes):
        return [] if whole else [root(hashes)]
    k = 1 << (len(hashes) - 1).bit_length() - 1
    if size <= k:
        return _subproof(size, hashes[:k], whole) + [root(hashes[k:])]
    return _subproof(size - k, hashes[k:], False) + [root(hashes[:k])]
