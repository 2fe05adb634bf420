"""Public files made of saved logs, as docs/formats/tiles.md has them, with no code of the verifier.

A saved log must have its form, whatever it says: one that is wrong becomes files that are as wrong.
"""

from dataclasses import dataclass
from pathlib import Path

from forge_bytes import number, prefixed, root, sha

Files = dict[str, bytes]
_FILE = 256


@dataclass
class Entry:
    """An entry of a saved log."""

    leaf: bytes
    attestation: bytes
    ops: bytes
    state: int
    salt: bytes
    body: bytes


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width), "big")

    def prefixed(self) -> bytes:
        return self.take(self.number(4))


def parts(log: bytes) -> tuple[int, list[Entry], bytes]:
    """Version, entries and checkpoint of a saved log."""
    reader = _Reader(log)
    reader.take(8)
    version = reader.number(4)
    reader.take(36)
    entries = []
    for _ in range(reader.number(8)):
        leaf, attestation = reader.prefixed(), reader.prefixed()
        ops = reader.prefixed() if version == 2 else b""
        state = reader.number(1)
        salt = reader.take(32) if state == 2 else b""
        body = reader.prefixed() if state == 2 else b""
        entries.append(Entry(leaf, attestation, ops, state, salt, body))
    return version, entries, reader.prefixed()


def published(log: bytes) -> Files:
    """The files of a saved log."""
    version, entries, note = parts(log)
    files = {"checkpoint": note}
    for first in range(0, len(entries), _FILE):
        run = entries[first : first + _FILE]
        attestations = [entry.attestation for entry in run]
        if first and run[0].leaf[:2] == b"\x89\1":  # a journal: it has that of its batch
            before = (entry.attestation for entry in reversed(entries[: first + 1]))
            attestations[0] = next(filter(None, before))
        bundles = {
            "tile/entries": [number(len(entry.leaf), 2) + entry.leaf for entry in run],
            "tile/attest": [prefixed(attestation) for attestation in attestations],
            "bodies": [prefixed(entry.salt + entry.body) for entry in run],
        }
        if version == 2:
            bundles["tile/ops"] = [prefixed(entry.ops) for entry in run]
        for kind, items in bundles.items():
            files[path(kind, first // _FILE, len(run))] = b"".join(items)
    return files | hash_tiles([sha(b"\0", entry.leaf) for entry in entries])


def hash_tiles(leaf_hashes: list[bytes]) -> Files:
    """The tiles of each level, each hash from its definition."""
    files, level = {}, 0
    while under := 256**level <= len(leaf_hashes) and 256**level:
        hashes = [
            root(leaf_hashes[at : at + under])
            for at in range(0, len(leaf_hashes) - under + 1, under)
        ]
        for first in range(0, len(hashes), _FILE):
            tile = hashes[first : first + _FILE]
            files[path(f"tile/{level}", first // _FILE, len(tile))] = b"".join(tile)
        level += 1
    return files


def path(kind: str, at: int, items: int) -> str:
    """Where a file is; small logs have less than a thousand."""
    assert at < 1000
    return f"{kind}/{at:03}" + ("" if items == _FILE else f".p/{items}")


def items(bundle: bytes) -> list[bytes]:
    """The items of a bundle, of whose lengths each has four bytes."""
    reader, found = _Reader(bundle), []
    while reader.at < len(bundle):
        found.append(reader.prefixed())
    return found


def store(folder: Path, files: Files) -> None:
    """Writes them to a folder."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
