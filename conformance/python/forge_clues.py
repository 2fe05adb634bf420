"""The clue trie from its definition: the root over all clues of a log, built anew each time.

An Ethereum trie as the Yellow Paper's appendix D has it, for keys of 32 bytes and values long
enough that no node stands inside another. Only Keccak is the verifier's own, which its tests hold
against SHA3 of Python's library.
"""

from tallyverify.keccak import keccak256

Value = tuple[int, bytes, int]  # count, root, deletedJsn


def clue_root(values: dict[bytes, Value]) -> bytes:
    return keccak256(_trie(values))


def clue_proof(values: dict[bytes, Value], clue_id: bytes) -> list[bytes]:
    """The nodes on the way of a clue."""
    return _way(_pairs(values), keccak256(clue_id).hex()) if values else []


def rlp(item: bytes | int | list) -> bytes:
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8, "big")
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < 0x80 else _long(0x80, item)
    return _long(0xC0, b"".join(map(rlp, item)))


def _long(kind: int, content: bytes) -> bytes:
    if len(content) <= 55:
        return bytes([kind + len(content)]) + content
    size = len(content).to_bytes(2, "big").lstrip(b"\0")
    return bytes([kind + 55 + len(size)]) + size + content


def _pairs(values: dict[bytes, Value]) -> dict[str, bytes]:
    return {keccak256(clue_id).hex(): rlp(list(value)) for clue_id, value in values.items()}


def _trie(values: dict[bytes, Value]) -> bytes:
    return definition(_pairs(values)) if values else b"\x80"


def _common(keys: list[str]) -> str:
    first, last = min(keys), max(keys)
    size = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(first))
    return first[:size]


def definition(pairs: dict[str, bytes]) -> bytes:
    """The node over these rests of keys, each a text of hex digits."""
    if len(pairs) == 1:
        ((rest, value),) = pairs.items()
        return rlp([_prefix(2, rest), value])
    shared = _common(list(pairs))
    if shared:
        return rlp([_prefix(0, shared), keccak256(definition(_below(pairs, shared)))])
    below = (_below(pairs, digit) for digit in "0123456789abcdef")
    return rlp([keccak256(definition(rests)) if rests else b"" for rests in below] + [b""])


def _below(pairs: dict[str, bytes], start: str) -> dict[str, bytes]:
    return {k[len(start) :]: v for k, v in pairs.items() if k.startswith(start)}


def _prefix(flag: int, digits: str) -> bytes:
    return bytes.fromhex(f"{flag + 1}{digits}" if len(digits) % 2 else f"{flag}0{digits}")


def _way(pairs: dict[str, bytes], rest: str) -> list[bytes]:
    node = definition(pairs)
    if len(pairs) == 1:
        return [node]
    step = _common(list(pairs)) or rest[0]
    below = _below(pairs, step)
    if not rest.startswith(step) or not below:
        return [node]
    return [node, *_way(below, rest[len(step) :])]
