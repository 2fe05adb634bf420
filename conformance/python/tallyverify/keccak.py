"""Keccak-256, which is not SHA3-256: docs/formats/clue-trie.md."""

from functools import lru_cache

RATE_BYTES = 136
HASH_BYTES = 32
KECCAK, SHA3 = 0x01, 0x06  # the first byte of the padding

_MASK = 2**64 - 1


def _round_constants() -> list[int]:
    """Of the 24 rounds, from the shift register of FIPS 202 section 3.2.5."""
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for bit in (0, 1, 3, 7, 15, 31, 63):
            constant |= (register & 1) << bit
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return constants


def _moves() -> list[tuple[int, int, int]]:
    """From which lane to which, turned by how much: FIPS 202 sections 3.2.2 and 3.2.3."""
    moves, x, y = [(0, 0, 0)], 1, 0
    for t in range(24):
        moves.append((x + 5 * y, y + 5 * ((2 * x + 3 * y) % 5), (t + 1) * (t + 2) // 2 % 64))
        x, y = y, (2 * x + 3 * y) % 5
    return moves


_CONSTANTS = _round_constants()
_MOVES = _moves()


@lru_cache(4096)  # a replay meets the same keys again and again
def keccak256(data: bytes, padding: int = KECCAK) -> bytes:
    """The hash of Ethereum; with the padding of SHA3, SHA3-256."""
    padded = bytearray(data)
    padded += bytes(RATE_BYTES - len(data) % RATE_BYTES)
    padded[len(data)] = padding
    padded[-1] |= 0x80
    lanes = [0] * 25
    for at in range(0, len(padded), RATE_BYTES):
        for lane in range(RATE_BYTES // 8):
            start = at + 8 * lane
            lanes[lane] ^= int.from_bytes(padded[start : start + 8], "little")
        _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[: HASH_BYTES // 8])


def _permute(a: list[int]) -> None:
    """Keccak-f[1600]; lane x, y is a[x + 5 * y]."""
    b = [0] * 25
    for constant in _CONSTANTS:
        columns = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        mixed = []
        for x in range(5):
            right = columns[(x + 1) % 5]
            mixed.append(columns[x - 1] ^ (right << 1 & _MASK | right >> 63))
        for old, new, turn in _MOVES:
            lane = a[old] ^ mixed[old % 5]
            b[new] = lane << turn & _MASK | lane >> 64 - turn
        for y in (0, 5, 10, 15, 20):
            b0, b1, b2, b3, b4 = b[y : y + 5]
            a[y] = b0 ^ ~b1 & b2
            a[y + 1] = b1 ^ ~b2 & b3
            a[y + 2] = b2 ^ ~b3 & b4
            a[y + 3] = b3 ^ ~b4 & b0
            a[y + 4] = b4 ^ ~b0 & b1
        a[0] ^= constant
