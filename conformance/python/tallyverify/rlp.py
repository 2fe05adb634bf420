"""RLP, every other encoding refused: docs/formats/clue-trie.md."""

from collections.abc import Iterable

from .rejected import Malformed

_STRING, _LIST = 0x80, 0xC0
_SHORT_MAX = 55


def encode_string(data: bytes) -> bytes:
    """A string of bytes."""
    if len(data) == 1 and data[0] < _STRING:
        return data
    return _head(_STRING, len(data)) + data


def encode_number(value: int) -> bytes:
    """A number that is not negative."""
    return encode_string(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def encode_list(items: Iterable[bytes]) -> bytes:
    """A list of encoded items."""
    content = b"".join(items)
    return _head(_LIST, len(content)) + content


def strings(encoded: bytes) -> list[bytes]:
    """The items of the one list these bytes are, each of which must be a string."""
    kind, start, end = _item(encoded, 0, len(encoded))
    if kind != _LIST:
        raise Malformed("RLP that is no list")
    if end != len(encoded):
        raise Malformed(f"{len(encoded) - end} bytes behind the list")
    items, at = [], start
    while at < end:
        kind, start, at = _item(encoded, at, end)
        if kind != _STRING:
            raise Malformed("a list in a list")
        items.append(encoded[start:at])
    return items


def number(data: bytes, what: str, low: int, high: int) -> int:
    """The number that a string is, from low to high."""
    if data[:1] == b"\0":
        raise Malformed(f"{what} with a leading zero")
    value = int.from_bytes(data, "big")
    if not low <= value <= high:
        raise Malformed(f"{what} is {value}, want a number from {low} to {high}")
    return value


def _head(kind: int, count: int) -> bytes:
    if count <= _SHORT_MAX:
        return bytes([kind + count])
    length = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([kind + _SHORT_MAX + len(length)]) + length


def _item(data: bytes, at: int, limit: int) -> tuple[int, int, int]:
    """Kind of the item at this place, where its content begins, and where it ends."""
    if at >= limit:
        raise Malformed("RLP without an item")
    first = data[at]
    if first < _STRING:
        return _STRING, at, at + 1
    kind = _LIST if first >= _LIST else _STRING
    count, at = first - kind, at + 1
    if count > _SHORT_MAX:
        width = count - _SHORT_MAX
        if width > limit - at or data[at] == 0:
            raise Malformed("a length that is cut or has a leading zero")
        count, at = int.from_bytes(data[at : at + width], "big"), at + width
        if count <= _SHORT_MAX:
            raise Malformed(f"length {count} is not in its shortest form")
    if count > limit - at:
        raise Malformed(f"{count} bytes wanted, {limit - at} are left")
    if kind == _STRING and count == 1 and data[at] < _STRING:
        raise Malformed("one byte with a head it does not need")
    return kind, at, at + count
