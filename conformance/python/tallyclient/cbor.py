"""Deterministic CBOR, as docs/formats/cbor.md has it: writing only."""

from typing import Any


def encode(value: Any) -> bytes:
    """Numbers, byte strings, texts, lists, maps with any keys, flags and nil."""
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return _head(3, len(text)) + text
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        items = sorted((encode(key), encode(item)) for key, item in value.items())
        return _head(5, len(items)) + b"".join(key + item for key, item in items)
    raise TypeError(f"{type(value).__name__} is nothing the pages have")


def tagged(number: int, encoded: bytes) -> bytes:
    """An encoded item behind its tag."""
    return _head(6, number) + encoded


def array(encoded: list[bytes]) -> bytes:
    """An array of items that are encoded already."""
    return _head(4, len(encoded)) + b"".join(encoded)


def _head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes([major << 5 | argument])
    for width, short in ((1, 24), (2, 25), (4, 26), (8, 27)):
        if argument < 1 << 8 * width:
            return bytes([major << 5 | short]) + argument.to_bytes(width, "big")
    raise ValueError(f"{argument} is beyond 64 bits")
