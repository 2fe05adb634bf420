"""Heads that others have, and what witnesses cosigned.

docs/audit.md, "Heads of others", and docs/formats/checkpoint.md, "Cosignatures".
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from . import cbor, checkpoint, consistency, cose, head
from .keys import PublicKey, ed25519
from .receipt import Head
from .rejected import Fault, Malformed, NotJudged, Rejected
from .service import ServiceKeys

_COSIGNATURE = b"\x04"
_TIME_BYTES, _SIGNATURE_BYTES = 8, 64
_SECONDS_MAX = 2**63 - 1


@dataclass(frozen=True)
class WitnessKey:
    """The verifier key of a witness."""

    name: str
    key_id: bytes
    key: PublicKey

    @staticmethod
    def parse(vkey: str) -> "WitnessKey":
        """From the text that a witness publishes."""
        parts = vkey.split("+", 2)
        if len(parts) != 3:
            raise Malformed(f"no verifier key: {vkey!r}")
        name, digits, encoded = parts
        try:
            typed = base64.b64decode(encoded, validate=True)
        except binascii.Error as e:
            raise Malformed("a verifier key that is no base64") from e
        if typed[:1] != _COSIGNATURE or len(typed) != 33:
            raise Malformed("a verifier key of another type")
        key_id = hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4]
        if key_id.hex() != digits:
            raise Malformed("a verifier key whose id is not its own")
        return WitnessKey(name, key_id, ed25519(typed[1:]))

    def seconds(self, note: bytes) -> int | None:
        """When it cosigned this note last; None if it did not. A false line is refused."""
        text, lines = checkpoint.split(note)
        own = [s[4:] for name, s in lines if name == self.name and s[:4] == self.key_id]
        times = []
        for line in own:
            if len(line) != _TIME_BYTES + _SIGNATURE_BYTES:
                raise Malformed(f"a cosignature of {len(line)} bytes")
            seconds = int.from_bytes(line[:_TIME_BYTES], "big")
            if seconds > _SECONDS_MAX:
                raise Malformed(f"a cosignature of the second {seconds}")
            signed = f"cosignature/v1\ntime {seconds}\n{text}"
            self.key.verify(signed.encode(), line[_TIME_BYTES:])
            times.append(seconds)
        return max(times, default=None)


def cosigned(note: bytes, witnesses: Sequence[WitnessKey]) -> list[int]:
    """When each of those witnesses cosigned the note that did, in their order."""
    times = (witness.seconds(note) for witness in witnesses)
    return [seconds for seconds in times if seconds is not None]


@dataclass(frozen=True)
class Earlier:
    """How heads are joined that lie below where a purged log begins."""

    first_kept: int
    end: Head
    proof: Callable[[int], list[bytes]]  # from a size; NotJudged if the source has none

    def wrong(self, smaller: Head) -> str:
        """What is wrong with a head, if anything is."""
        proof = self.proof(smaller.size)
        try:
            consistency.check(smaller.size, smaller.root, self.end.size, self.end.root, proof)
        except Rejected as e:
            return f"the log does not continue root {smaller.root.hex()}: {e}"
        return ""


@dataclass(frozen=True)
class Gossip:
    """What an auditor heard from others: head statements, and the witnesses that it demands."""

    others: Sequence[bytes] = ()
    witnesses: Sequence[WitnessKey] = ()
    quorum: int = 0

    def sizes(self, ledger_id: bytes, strand: int) -> set[int]:
        """The sizes that the heads of others state."""
        return {_stated(each, ledger_id, strand) for each in self.others}

    def judge(
        self,
        roots: dict[int, bytes],
        keys: ServiceKeys,
        strand: int,
        size: int,
        earlier: "Earlier | None" = None,
    ) -> None:
        """Compares all with the log's own roots; raises the fault with the lowest jsn."""
        faults = list(self._faults(roots, keys, strand, size, earlier))
        if faults:
            raise min(faults, key=lambda fault: fault.jsn)

    def _faults(
        self,
        roots: dict[int, bytes],
        keys: ServiceKeys,
        strand: int,
        size: int,
        earlier: "Earlier | None",
    ) -> Iterator[Fault]:
        most = 0
        for other in self.others:
            stated = _stated(other, keys.newest.ledger_id, strand)
            below = earlier is not None and stated < earlier.first_kept
            if stated not in roots and not below:  # larger than the log that was read
                continue
            try:
                if earlier and below:
                    earlier.proof(stated)  # without one nothing is judged
                found = head.verify(keys.at(stated), strand, other)
                count = 0
                wrong = earlier.wrong(found) if earlier and below else _other(found, roots[stated])
                if not wrong and _is_note(other):
                    count = len(cosigned(other, self.witnesses))
            except Rejected as e:
                yield Fault(stated - 1, "HEAD_INVALID", str(e))
                continue
            except NotJudged:
                continue
            most = max(most, count)
            if wrong:
                yield Fault(stated - 1, "OTHER_HEAD_CONTRADICTED", wrong)
        if self.witnesses and most < self.quorum:
            what = f"{most} of {len(self.witnesses)} witnesses cosigned one head"
            yield Fault(size - 1, "HEAD_NOT_WITNESSED", what)


def _other(found: Head, root: bytes) -> str:
    return "" if found.root == root else f"root {found.root.hex()}, the log's is {root.hex()}"


def _is_note(statement: bytes) -> bool:
    return statement[:1] != bytes([head.SIGN1])


def _stated(statement: bytes, ledger_id: bytes, strand: int) -> int:
    """The size that a head states, before anything verifies it."""
    if _is_note(statement):
        of_ledger, of_strand, size = checkpoint.stated(statement)
    else:
        message = cose.sign1(cbor.decode(statement))
        context = cbor.array(message.header.get(cose.HEAD_CONTEXT), "label -70001", 4)
        of_ledger, of_strand = cbor.digest(context[1], "ledgerId"), cbor.uint(context[2], "strand")
        size = cbor.uint(context[3], "treeSize", 1)
    if (of_ledger, of_strand) != (ledger_id, strand):
        raise Rejected("WRONG_LEDGER", f"a head of ledger {of_ledger.hex()}, strand {of_strand}")
    return size
