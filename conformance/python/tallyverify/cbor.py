"""Deterministic CBOR, every other encoding refused: docs/formats/cbor.md."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .rejected import Malformed

INT_MAX = 2**63 - 1
TIME_MAX = 253402300799999
HASH_BYTES = 32
TAG_SIGN1 = 18  # the one tag the pages have
DEPTH_MAX = 64  # deeper than anything the pages define: a range proof of 16 levels

_BY_ARGUMENT_BYTES = {1: 24, 2: 2**8, 4: 2**16, 8: 2**32}  # the least value each width may hold
_SIMPLE = {20: False, 21: True, 22: None}


@dataclass(frozen=True)
class Tag:
    """A tagged item."""

    number: int
    content: Any


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise Malformed(f"{count} bytes wanted at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count : self.at]

    def head(self) -> tuple[int, int]:
        first = self.take(1)[0]
        major, short = first >> 5, first & 31
        if short < 24:
            return major, short
        if short > 27 or major == 7:
            raise Malformed(f"head {first:02x}")
        width = 1 << (short - 24)
        argument = int.from_bytes(self.take(width), "big")
        if argument < _BY_ARGUMENT_BYTES[width]:
            raise Malformed(f"{argument} is not in its shortest form")
        if argument > INT_MAX:
            raise Malformed(f"{argument} is too large")
        return major, argument

    def item(self, depth: int) -> Any:
        if depth > DEPTH_MAX:
            raise Malformed(f"nested deeper than {DEPTH_MAX}")
        major, argument = self.head()
        if major == 0:
            return argument
        if major == 1:
            return -1 - argument
        if major == 2:
            return self.take(argument)
        if major == 3:
            return self._text(argument)
        if major == 4:
            self._fits(argument)
            return [self.item(depth + 1) for _ in range(argument)]
        if major == 5:
            self._fits(argument)
            return self._map(argument, depth)
        if major == 6:
            if argument != TAG_SIGN1:
                raise Malformed(f"tag {argument}")
            return Tag(argument, self.item(depth + 1))
        if argument not in _SIMPLE:
            raise Malformed(f"simple value {argument}")
        return _SIMPLE[argument]

    def _fits(self, count: int) -> None:
        if count > len(self.data) - self.at:
            raise Malformed(f"{count} items in {len(self.data) - self.at} bytes")

    def _text(self, count: int) -> str:
        try:
            return self.take(count).decode("utf-8")
        except UnicodeDecodeError as e:
            raise Malformed("text is not UTF-8") from e

    def _map(self, count: int, depth: int) -> dict[int, Any]:
        result: dict[int, Any] = {}
        before = b""
        for _ in range(count):
            start = self.at
            key = self.item(depth + 1)
            encoded = self.data[start : self.at]
            if encoded <= before:
                raise Malformed("map keys do not ascend")
            before = encoded
            if not _is_int(key):
                raise Malformed("a map key that is no number")  # no page has another
            result[key] = self.item(depth + 1)
        return result


def decode(data: bytes) -> Any:
    """The one item these bytes are."""
    reader = _Reader(data)
    value = reader.item(0)
    if reader.at != len(data):
        raise Malformed(f"{len(data) - reader.at} bytes behind the item")
    return value


def encode_bytes(data: bytes) -> bytes:
    """A byte string."""
    return _head(2, len(data)) + data


def encode_array(items: Iterable[bytes]) -> bytes:
    """An array of encoded items."""
    encoded = list(items)
    return _head(4, len(encoded)) + b"".join(encoded)


def encode_uint(value: int) -> bytes:
    """A number that is not negative."""
    return _head(0, value)


def encode_text(value: str) -> bytes:
    """A text."""
    data = value.encode()
    return _head(3, len(data)) + data


def _head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes([major << 5 | argument])
    for width, short in ((1, 24), (2, 25), (4, 26), (8, 27)):
        if argument < 1 << 8 * width:
            return bytes([major << 5 | short]) + argument.to_bytes(width, "big")
    raise ValueError(argument)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def array(value: Any, what: str, size: int | None = None, most: int | None = None) -> list[Any]:
    """The value, which must be an array of this size, or of at most so many."""
    if not isinstance(value, list):
        raise Malformed(f"{what} is no array")
    if size is not None and len(value) != size:
        raise Malformed(f"{what} has {len(value)} items, want {size}")
    if most is not None and len(value) > most:
        raise Malformed(f"{what} has {len(value)} items, at most {most} are allowed")
    return value


def uint(value: Any, what: str, low: int = 0, high: int = INT_MAX) -> int:
    """The value, which must be a number from low to high."""
    if not _is_int(value) or not low <= value <= high:
        raise Malformed(f"{what} is {_shown(value)}, want a number from {low} to {high}")
    return value


def time(value: Any, what: str) -> int:
    """The value, which must be a time."""
    return uint(value, what, 0, TIME_MAX)


def byte_string(value: Any, what: str, size: int | None = None) -> bytes:
    """The value, which must be a byte string, of this size if one is given."""
    if not isinstance(value, bytes):
        raise Malformed(f"{what} is no byte string")
    if size is not None and len(value) != size:
        raise Malformed(f"{what} has {len(value)} bytes, want {size}")
    return value


def digest(value: Any, what: str) -> bytes:
    """The value, which must be a hash, kid or salt."""
    return byte_string(value, what, HASH_BYTES)


def text(value: Any, what: str) -> str:
    """The value, which must be a text."""
    if not isinstance(value, str):
        raise Malformed(f"{what} is no text")
    return value


def mapping(value: Any, what: str, keys: set[int] | None = None) -> dict[int, Any]:
    """The value, which must be a map, with exactly these keys if any are given."""
    if not isinstance(value, dict):
        raise Malformed(f"{what} is no map")
    if keys is not None and set(value) != keys:
        raise Malformed(f"{what} has the keys {sorted(value)}, want {sorted(keys)}")
    return value


def exactly(value: Any, wanted: Any, what: str) -> None:
    """Refuses a value that is not the wanted one, of the same type throughout."""
    if type(value) is not type(wanted) or value != wanted:
        raise Malformed(f"{what} is {_shown(value)}, want {_shown(wanted)}")


def _shown(value: Any) -> str:
    shown = value.hex() if isinstance(value, bytes) else repr(value)
    return shown if len(shown) <= 200 else shown[:200] + "…"
