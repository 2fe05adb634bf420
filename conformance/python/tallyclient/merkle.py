"""Trees of RFC 9162: docs/formats/merkle.md."""

import hashlib


def root(data: list[bytes]) -> bytes:
    """The RFC 9162 root over byte strings."""
    if len(data) == 1:
        return hashlib.sha256(b"\0" + data[0]).digest()
    split = 1 << (len(data) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root(data[:split]) + root(data[split:])).digest()
