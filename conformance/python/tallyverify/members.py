"""Members and what their roles allow: docs/formats/request.md, docs/audit.md point 7."""

from dataclasses import dataclass

from .keys import PublicKey, allowed
from .ledger import Genesis
from .rejected import Rejected
from .request import NORMAL, OWNER, REGULATOR, Change, MemberAdd, MemberRevoke

ROLES_THAT_APPEND = {OWNER, REGULATOR, NORMAL}


@dataclass
class Member:
    """A key with a role; valid behind added_jsn, to revoked_jsn inclusive."""

    key: PublicKey
    role: int
    added_jsn: int
    revoked_jsn: int | None = None


class Members:
    """All members there ever were, by kid."""

    def __init__(self) -> None:
        self._by_kid: dict[bytes, Member] = {}

    def found(self, genesis: Genesis) -> None:
        """The owners of genesis are the first members."""
        for owner in genesis.owners:
            self._by_kid[owner.kid] = Member(owner, OWNER, 0)

    def signer(self, kid: bytes, jsn: int) -> Member:
        """Who signs with this key at this jsn."""
        member = self._by_kid.get(kid)
        if member is None:
            raise Rejected("UNKNOWN_SIGNER", f"{kid.hex()} is no member at {jsn}")
        if member.revoked_jsn is not None:
            raise Rejected("REVOKED_SIGNER", f"{kid.hex()} was revoked at {member.revoked_jsn}")
        return member

    def check_roles(self, signers: list[Member], needs_owner: bool) -> None:
        """That all of these may sign, and an owner is among them where one is needed."""
        for signer in signers:
            if signer.role not in ROLES_THAT_APPEND:
                raise Rejected("ROLE_NOT_ALLOWED", f"a signer's role is {signer.role}")
        if needs_owner and all(signer.role != OWNER for signer in signers):
            raise Rejected("ROLE_NOT_ALLOWED", "no owner signed a change of members or parameters")

    def apply(self, genesis: Genesis, jsn: int, change: MemberAdd | MemberRevoke) -> None:
        """Makes a change that stands at this jsn; it is in force from the next on."""
        if isinstance(change, MemberAdd):
            self._add(genesis, jsn, change)
        else:
            self._revoke(jsn, change.kid)

    def _add(self, genesis: Genesis, jsn: int, change: MemberAdd) -> None:
        if change.key in (genesis.note_key, genesis.receipt_key):
            raise _invalid("a service key cannot be a member's")
        if change.key.kid in self._by_kid:
            raise _invalid(f"{change.key.kid.hex()} was added before")
        self._by_kid[change.key.kid] = Member(change.key, change.role, jsn)

    def _revoke(self, jsn: int, kid: bytes) -> None:
        member = self._by_kid.get(kid)
        if member is None or member.revoked_jsn is not None:
            raise _invalid(f"{kid.hex()} is no member")
        owners = [m for m in self._by_kid.values() if m.role == OWNER and m.revoked_jsn is None]
        if owners == [member]:
            raise Rejected("LAST_OWNER", "the last owner cannot be revoked")
        member.revoked_jsn = jsn


def check_key(change: Change | None) -> None:
    """That a key that is to be added is one that somebody may have."""
    if isinstance(change, MemberAdd):
        try:
            allowed(change.key)
        except Rejected as e:
            raise _invalid(str(e)) from e


def _invalid(detail: str) -> Rejected:
    return Rejected("MEMBER_CHANGE_INVALID", detail)
