"""The service's keys and requests of its own: docs/formats/people-and-time.md."""

from collections.abc import Callable
from dataclasses import dataclass

from . import cose
from .keys import PublicKey, allowed
from .ledger import Genesis
from .rejected import Rejected
from .request import KeyRotation, Time


@dataclass(frozen=True)
class Term:
    """The service's keys for the sizes above one, and what else verifies its heads."""

    ledger_id: bytes
    authority: str
    above: int
    note_key: PublicKey
    receipt_key: PublicKey

    def origin(self, strand: int) -> str:
        """The first line of a strand's checkpoints."""
        return f"{self.authority}/l/{self.ledger_id.hex()}/{strand}"


class ServiceKeys:
    """The keys of genesis and of each rotation since."""

    def __init__(self, genesis: Genesis) -> None:
        keys = (genesis.note_key, genesis.receipt_key)
        self._terms = [Term(genesis.ledger_id, genesis.authority, 0, *keys)]
        self._open: int | None = None  # the rotation whose block has no seal yet

    @property
    def newest(self) -> Term:
        """The keys in force."""
        return self._terms[-1]

    def at(self, size: int) -> Term:
        """The keys by which a head of this size is judged."""
        return next(term for term in reversed(self._terms) if term.above < size)

    def in_force(self, jsn: int) -> Term:
        """The keys of the newest rotation below a jsn."""
        return self.at(jsn + 2)

    def from_size(self, size: int) -> list[Term]:
        """The keys valid for this size, and those for larger ones."""
        first = self._terms.index(self.at(size))
        return self._terms[first:]

    def same_up_to(self, other: "ServiceKeys", size: int) -> bool:
        """Whether the other's rotations that are over at this size are these, all of them."""
        return self._terms == [term for term in other._terms if term.above <= size]

    def ever_held(self, key: PublicKey) -> bool:
        """Whether it is or was one of the service's."""
        return any(key in (term.note_key, term.receipt_key) for term in self._terms)

    def check_alone(self, seal: bool) -> None:
        """That nothing but a seal follows a rotation; to be asked of each leaf."""
        rotation, self._open = self._open, None
        if rotation is not None and not seal:
            raise _not_alone(f"a journal in the block of the rotation at {rotation}")

    def rotate(
        self, jsn: int, block_jsn: int, change: KeyRotation, members: Callable[[PublicKey], bool]
    ) -> None:
        """The rotation at jsn; `members` says whether a key is or was a member's."""
        if jsn != block_jsn:
            raise _not_alone(f"its block begins at {block_jsn}")
        now = self.newest
        changed = [
            new
            for new, old in ((change.note_key, now.note_key), (change.receipt_key, now.receipt_key))
            if new != old
        ]
        if not changed:
            raise _invalid("neither key changes")
        for key in changed:
            if self.ever_held(key) or members(key):
                raise _invalid(f"{key.kid.hex()} is or was somebody's")
        keys = (change.note_key, change.receipt_key)
        self._terms.append(Term(now.ledger_id, now.authority, jsn + 2, *keys))
        self._open = jsn


def check_new_keys(change: KeyRotation) -> None:
    """That the keys of a rotation are ones that somebody may have."""
    for key in (change.note_key, change.receipt_key):
        try:
            allowed(key)
        except Rejected as e:
            raise _invalid(str(e)) from e


def split(signatures: list[cose.Sign1]) -> tuple[list[cose.Sign1], list[cose.Sign1]]:
    """Those of the service under a request of its own, and those of members."""
    own = [s for s in signatures if s.header.get(cose.TYP) == cose.SERVICE_REQUEST]
    return own, [s for s in signatures if s not in own]


def who_must_sign(
    change: KeyRotation | Time, present: PublicKey, signatures: list[cose.Sign1]
) -> dict[bytes, PublicKey]:
    """The service keys that signed, by kid; all that must are there, and no other."""
    wanted = {present.kid: present}
    if isinstance(change, KeyRotation):
        wanted[change.receipt_key.kid] = change.receipt_key
    own, others = split(signatures)
    if isinstance(change, Time) and others:
        raise Rejected("ATTESTATION_INVALID", "a time journal that another signed too")
    if {signature.kid for signature in own} != set(wanted):
        raise Rejected("ATTESTATION_INVALID", "not the service keys that must sign")
    if isinstance(change, KeyRotation) and not others:
        raise Rejected("ATTESTATION_INVALID", "no member signed the rotation")
    return wanted


def _not_alone(detail: str) -> Rejected:
    return Rejected("ROTATION_NOT_ALONE", detail)


def _invalid(detail: str) -> Rejected:
    return Rejected("SERVICE_KEYS_INVALID", detail)
