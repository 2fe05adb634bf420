"""Tree heads as signed notes: docs/formats/checkpoint.md."""

import base64
import binascii
import hashlib
import re
import unicodedata

from .keys import PublicKey
from .merkle import SIZE_MAX
from .receipt import Head
from .rejected import Malformed, Rejected
from .request import STRAND_MAX

NOTE_BYTES_MAX = 128 * 1024
SIGNATURES_MAX = 16
NAME_UNITS_MAX = 512
_TREE_SIZE_MAX = 2**63 - 1
_ED25519_NOTE = b"\x01"
_PLACE = re.compile(r".+/l/([0-9a-f]{64})/(0|[1-9][0-9]{0,9})")


def verify(note: bytes, origin: str, key: PublicKey) -> Head:
    """The head that a checkpoint of this origin states, signed by this key."""
    text, signatures = split(note)
    own, size, root = _lines(text)
    if own != origin:
        raise Rejected("WRONG_ORIGIN", f"{own!r}, want {origin}")
    if not 1 <= size <= SIZE_MAX:
        raise Rejected("SIZE_OUT_OF_RANGE", f"size {size}")
    name_and_key = origin.encode() + b"\n" + _ED25519_NOTE + key.raw
    key_id = hashlib.sha256(name_and_key).digest()[:4]
    ours = [s for name, s in signatures if name == origin and s[:4] == key_id]
    if not ours:
        raise Rejected("WRONG_KEY", "no signature line is of the note key")
    for signature in ours:
        if len(signature) != 4 + 64:
            raise Rejected("BAD_SIGNATURE", f"a signature of {len(signature) - 4} bytes")
        key.verify(text.encode(), signature[4:])
    return Head(size, root)


def stated(note: bytes) -> tuple[bytes, int, int]:
    """Ledger, strand and size that a checkpoint states, before anything verifies it."""
    origin, size, _ = _lines(split(note)[0])
    place = _PLACE.fullmatch(origin)
    if not place or int(place[2]) > STRAND_MAX or not 1 <= size <= SIZE_MAX:
        raise Malformed(f"a checkpoint of {origin!r}, size {size}")
    return bytes.fromhex(place[1]), int(place[2]), size


def _lines(text: str) -> tuple[str, int, bytes]:
    """Origin, size and root."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3]:
        raise Malformed(f"a checkpoint of {len(lines) - 1} lines")
    size = _decimal(lines[1])
    root = _base64(lines[2])
    if len(root) != 32:
        raise Malformed(f"a root of {len(root)} bytes")
    return lines[0], size, root


def split(note: bytes) -> tuple[str, list[tuple[str, bytes]]]:
    """The text with its newline, and each signature line's name and bytes."""
    if len(note) > NOTE_BYTES_MAX:
        raise Malformed(f"a note of {len(note)} bytes")
    try:
        whole = note.decode("utf-8")
    except UnicodeDecodeError as e:
        raise Malformed("a note that is not UTF-8") from e
    if any(c != "\n" and unicodedata.category(c) == "Cc" for c in whole):
        raise Malformed("a control character in a note")
    at = whole.rfind("\n\n")
    if at < 0 or not whole.endswith("\n"):
        raise Malformed("a note without signature lines")
    lines = whole[at + 2 : -1].split("\n") if len(whole) > at + 2 else []
    if not 1 <= len(lines) <= SIGNATURES_MAX:
        raise Malformed(f"{len(lines)} signature lines")
    return whole[: at + 1], [_signature_line(line) for line in lines]


def _signature_line(line: str) -> tuple[str, bytes]:
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] != "\u2014":
        raise Malformed(f"no signature line: {line[:80]!r}")
    name = parts[1]
    units = len(name.encode("utf-16-le")) // 2
    if not 1 <= units <= NAME_UNITS_MAX or "+" in name:
        raise Malformed(f"a key name of {units} UTF-16 code units, or with a plus")
    if any(c.isspace() for c in name):
        raise Malformed("a space in a key name")
    signature = _base64(parts[2])
    if len(signature) < 5:
        raise Malformed(f"a signature line of {len(signature)} bytes")
    return name, signature


def _decimal(line: str) -> int:
    good = line.isascii() and line.isdigit() and (line == "0" or line[0] != "0")
    if not good or len(line) > 19 or int(line) > _TREE_SIZE_MAX:
        raise Malformed(f"size {line[:80]!r}")
    return int(line)


def _base64(line: str) -> bytes:
    try:
        data = base64.b64decode(line.encode(), validate=True)
    except binascii.Error as e:
        raise Malformed("no base64") from e
    if base64.b64encode(data).decode() != line:
        raise Malformed("base64 that is not canonical")
    return data
