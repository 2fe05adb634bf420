"""Members and what their roles allow: docs/audit.md, "Members", and the pages it names."""

from dataclasses import dataclass

from .keys import PublicKey, allowed
from .ledger import DELEGATED, MONO, Genesis
from .rejected import Rejected, iso
from .request import (
    NORMAL,
    OWNER,
    REGULATOR,
    Change,
    Close,
    Grant,
    KeyRotation,
    MemberAdd,
    MemberRevoke,
)
from .service import ServiceKeys, check_new_keys

ROLES_THAT_APPEND = {OWNER, REGULATOR, NORMAL}


@dataclass
class Member:
    """A key with a role; valid behind added_jsn, to revoked_jsn inclusive."""

    key: PublicKey
    role: int
    added_jsn: int
    revoked_jsn: int | None = None
    not_after_ms: int | None = None
    delegated: bool = False
    role_jsn: int = 0  # of the journal that gave it its role, and that leaf's time
    role_ms: int = 0

    def valid(self, time_ms: int) -> bool:
        """Whether its key holds at this time."""
        expired = self.not_after_ms is not None and time_ms > self.not_after_ms
        return self.revoked_jsn is None and not expired


class Members:
    """All members there ever were, by kid."""

    def __init__(self) -> None:
        self._by_kid: dict[bytes, Member] = {}
        self.closed_jsn: int | None = None

    def found(self, genesis: Genesis, service: ServiceKeys) -> None:
        """The owners of genesis are the first members; no service key may become one's."""
        self._service = service
        for owner in genesis.owners:
            self._by_kid[owner.kid] = Member(owner, OWNER, 0)

    def ever_held(self, key: PublicKey) -> bool:
        """Whether it is or was a member's."""
        return key.kid in self._by_kid

    def signer(self, kid: bytes, jsn: int, time_ms: int) -> Member:
        """Who signs with this key at this jsn."""
        member = self._by_kid.get(kid)
        if member is None:
            raise Rejected("UNKNOWN_SIGNER", f"{kid.hex()} is no member at {jsn}")
        if member.revoked_jsn is not None:
            raise Rejected("REVOKED_SIGNER", f"{kid.hex()} was revoked at {member.revoked_jsn}")
        if not member.valid(time_ms):
            raise Rejected("EXPIRED_SIGNER", f"{kid.hex()} held until {iso(member.not_after_ms)}")
        return member

    def check_roles(
        self, signers: list[Member], needs_owner: bool, *, readers: bool = False
    ) -> None:
        """That all of these may sign, and an owner is among them where one is needed."""
        for signer in signers:
            if signer.role not in ROLES_THAT_APPEND and not readers:
                raise Rejected("ROLE_NOT_ALLOWED", f"a signer's role is {signer.role}")
        if needs_owner and all(signer.role != OWNER for signer in signers):
            raise Rejected("ROLE_NOT_ALLOWED", "no owner signed a change of members or parameters")

    def check_all_owners(self, signers: list[Member], time_ms: int) -> None:
        """That every owner who is valid now is among these."""
        kids = {signer.key.kid for signer in signers}
        for kid, member in self._by_kid.items():
            if member.role == OWNER and member.valid(time_ms) and kid not in kids:
                raise Rejected("OWNERS_MISSING", f"owner {kid.hex()} did not sign")

    def apply(
        self,
        genesis: Genesis,
        jsn: int,
        time_ms: int,
        change: MemberAdd | MemberRevoke | Grant | Close,
    ) -> None:
        """Makes a change that stands at this jsn; it is in force from the next on."""
        if isinstance(change, MemberAdd):
            self._add(genesis, jsn, time_ms, change)
        elif isinstance(change, MemberRevoke):
            self._revoke(jsn, change)
        elif isinstance(change, Grant):
            self._grant(genesis, jsn, time_ms, change)
        else:
            self.carry_out(jsn, time_ms, change)

    def carry_out(
        self, jsn: int, time_ms: int, change: MemberAdd | MemberRevoke | Grant | Close
    ) -> None:
        """Makes a change that was judged, or that only its signers could judge."""
        if isinstance(change, MemberAdd):
            added = Member(change.key, change.role, jsn, role_jsn=jsn, role_ms=time_ms)
            self._by_kid[change.key.kid] = added
        elif isinstance(change, MemberRevoke):
            self._by_kid[change.kid].revoked_jsn = jsn
        elif isinstance(change, Grant):
            if change.replaces in self._by_kid:
                self._by_kid[change.replaces].revoked_jsn = jsn
            before = self._by_kid.get(change.key.kid)
            since = (jsn, time_ms)
            if before and before.role == change.role:
                since = (before.role_jsn, before.role_ms)
            self._by_kid[change.key.kid] = Member(
                change.key, change.role, jsn, None, change.not_after_ms, change.delegated, *since
            )
        else:
            self.closed_jsn = jsn

    def _grant(self, genesis: Genesis, jsn: int, time_ms: int, change: Grant) -> None:
        kid = change.key.kid
        before = self._by_kid.get(kid)
        if self._service.ever_held(change.key):
            raise _grant_invalid("a service key cannot be a member's")
        if before and before.revoked_jsn is not None:
            raise _grant_invalid(f"{kid.hex()} was revoked at {before.revoked_jsn}")
        if before and before.delegated and not change.delegated:
            raise Rejected("DELEGATION_DROPPED", f"{kid.hex()} is delegated")
        if change.replaces is not None:
            replaced = self._by_kid.get(change.replaces)
            if replaced is None or not replaced.valid(time_ms):
                raise _grant_invalid(f"{change.replaces.hex()} is no valid member")
        _check_style(genesis, change.role, change.delegated)
        self.carry_out(jsn, time_ms, change)
        self._check_lasting_owner()
        self._check_one_owner(genesis)

    def _owners(self) -> list[Member]:
        return [m for m in self._by_kid.values() if m.role == OWNER and m.revoked_jsn is None]

    def _check_lasting_owner(self) -> None:
        if all(owner.not_after_ms is not None for owner in self._owners()):
            raise Rejected("LAST_OWNER", "no owner is left whose key does not expire")

    def _check_one_owner(self, genesis: Genesis) -> None:
        if MONO in genesis.features and len(self._owners()) != 1:
            raise Rejected("STYLE_BROKEN", f"{len(self._owners())} owners of a mono ledger")

    def _add(self, genesis: Genesis, jsn: int, time_ms: int, change: MemberAdd) -> None:
        if self._service.ever_held(change.key):
            raise _invalid("a service key cannot be a member's")
        if change.key.kid in self._by_kid:
            raise _invalid(f"{change.key.kid.hex()} was added before")
        _check_style(genesis, change.role, False)
        self.carry_out(jsn, time_ms, change)
        self._check_one_owner(genesis)

    def _revoke(self, jsn: int, change: MemberRevoke) -> None:
        member = self._by_kid.get(change.kid)
        if member is None or member.revoked_jsn is not None:
            raise _invalid(f"{change.kid.hex()} is no member")
        self.carry_out(jsn, 0, change)
        self._check_lasting_owner()


def check_key(change: Change | None) -> None:
    """That a key that is to be added is one that somebody may have."""
    if isinstance(change, KeyRotation):
        check_new_keys(change)
    if isinstance(change, MemberAdd | Grant):
        try:
            allowed(change.key)
        except Rejected as e:
            refused = _grant_invalid if isinstance(change, Grant) else _invalid
            raise refused(str(e)) from e


def _check_style(genesis: Genesis, role: int, delegated: bool) -> None:
    if role == NORMAL and MONO in genesis.features:
        raise Rejected("STYLE_BROKEN", "a normal member of a mono ledger")
    if role == NORMAL and DELEGATED in genesis.features and not delegated:
        raise Rejected("STYLE_BROKEN", "a normal member without the mark in a delegated ledger")


def _grant_invalid(detail: str) -> Rejected:
    return Rejected("GRANT_INVALID", detail)


def _invalid(detail: str) -> Rejected:
    return Rejected("MEMBER_CHANGE_INVALID", detail)
