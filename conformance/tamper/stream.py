"""The commit stream of a data directory, as an operator with the disk reads and changes it.

Written from docs/formats/frame.md and commit-frame.md. Changes repair the checksums that they
break, unless they are asked not to.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FRAME, _ALIGNMENT, _MAGIC = 64, 64, b"TSFR"
_SALT, _CRC = 32, 4
_BLOCK, _GUARD, _SUBMISSION = 72, 76, 32
_WITH_OPERATIONS = 2


def _table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_CASTAGNOLI = _table()


def crc32c(*parts: bytes) -> bytes:
    """CRC-32C over the bytes in this order."""
    crc = 0xFFFFFFFF
    for part in parts:
        for byte in part:
            crc = crc >> 8 ^ _CASTAGNOLI[(crc ^ byte) & 0xFF]
    return (crc ^ 0xFFFFFFFF).to_bytes(4, "big")


@dataclass(frozen=True)
class Piece:
    """Bytes of a segment that a frame's field says are something."""

    at: int
    size: int


@dataclass(frozen=True)
class Stored:
    """Where a journal lies: its frame, its payload item, and its texts in the info section."""

    frame: int
    item: Piece
    attestation: Piece
    header: Piece
    operations: Piece


class Stream:
    """The segments of shard 0 of a data directory that no service has open."""

    def __init__(self, data: Path) -> None:
        self._file = next((data / "stream" / "00000000").glob("*.seg"))
        self.bytes = bytearray(self._file.read_bytes())

    def store(self) -> None:
        """Writes the segment back."""
        self._file.write_bytes(self.bytes)

    def journal(self, ledger_id: bytes, jsn: int) -> Stored:
        """Where the journal of the ledger lies."""
        for frame in self._frames():
            for block in self._blocks(frame):
                first, count = self._u(block + 40, 8), self._u(block + 60, 4)
                if self.bytes[block : block + 32] == ledger_id and first <= jsn < first + count:
                    return self._stored(frame, block, jsn - first)
        raise LookupError(f"journal {jsn} is in no frame")

    def payload(self, stored: Stored) -> bytes:
        """Salt and body of a journal."""
        item = stored.item
        return bytes(self.bytes[item.at : item.at + item.size - _CRC])

    def put_payload(self, stored: Stored, payload: bytes, repair: bool = True) -> None:
        """Other bytes in place of salt and body, as many as there were."""
        item = stored.item
        assert len(payload) == item.size - _CRC
        self.bytes[item.at : item.at + len(payload)] = payload
        if repair:
            number = bytes(self.bytes[stored.frame + 24 : stored.frame + 32])
            offset = (item.at - self._payloads(stored.frame)).to_bytes(4, "big")
            end = item.at + item.size
            self.bytes[end - _CRC : end] = crc32c(number, offset, payload)
            self.repair(stored.frame)

    def put(self, stored: Stored, piece: Piece, content: bytes, repair: bool = True) -> None:
        """Other bytes in place of a text of the info section."""
        assert len(content) == piece.size
        self.bytes[piece.at : piece.at + piece.size] = content
        if repair:
            self.repair(stored.frame)

    def text(self, piece: Piece) -> bytes:
        """The bytes of a piece."""
        return bytes(self.bytes[piece.at : piece.at + piece.size])

    def put_time(self, stored: Stored, later_ms: int) -> None:
        """Another time of the frame, and so of all leaves in it."""
        at = stored.frame + _FRAME
        self.bytes[at : at + 8] = (self._u(at, 8) + later_ms).to_bytes(8, "big")
        self.repair(stored.frame)

    def repair(self, frame: int) -> None:
        """Makes the checksums of a frame's header good."""
        head = self.bytes
        infos, payloads = frame + _FRAME, self._payloads(frame)
        end = payloads + self._u(frame + 36, 4)
        head[frame + 40 : frame + 44] = crc32c(head[frame : frame + 40], head[infos:payloads])
        head[frame + 44 : frame + 48] = crc32c(head[frame + 8 : frame + 32], head[payloads:end])
        head[frame + 60 : frame + 64] = crc32c(head[frame : frame + 60])

    def _payloads(self, frame: int) -> int:
        return frame + _FRAME + self._u(frame + 32, 4)

    def _frames(self) -> Iterator[int]:
        at = _FRAME  # behind the segment's header
        while at + _FRAME <= len(self.bytes) and self.bytes[at : at + 4] == _MAGIC:
            yield at
            size = _FRAME + self._u(at + 32, 4) + self._u(at + 36, 4) + self._u(at + 48, 4)
            at += -(-size // _ALIGNMENT) * _ALIGNMENT

    def _blocks(self, frame: int) -> Iterator[int]:
        infos = frame + _FRAME
        at = infos + 16 + _GUARD * self._u(infos + 8, 4)
        for _ in range(self._u(infos + 12, 4)):
            yield at
            at += self._u(at + 64, 4)

    def _stored(self, frame: int, block: int, index: int) -> Stored:
        with_operations = self._u(block + 36, 4) & _WITH_OPERATIONS
        submissions = block + _BLOCK
        row = submissions + _SUBMISSION * self._u(block + 56, 4)
        row += (40 if with_operations else 32) * index
        submission = submissions + _SUBMISSION * self._u(row + 16, 4)
        item = Piece(self._payloads(frame) + self._u(row + 8, 4), self._u(row + 12, 4))
        operations = self._piece(frame, row + 32) if with_operations else Piece(frame, 0)
        attestation = self._piece(frame, submission)
        return Stored(frame, item, attestation, self._piece(frame, row), operations)

    def _piece(self, frame: int, field: int) -> Piece:
        return Piece(frame + _FRAME + self._u(field, 4), self._u(field + 4, 4))

    def _u(self, at: int, width: int) -> int:
        return int.from_bytes(self.bytes[at : at + width], "big")
