"""Occults and what they take away: docs/audit.md, "Removals"."""

from bisect import bisect_right
from dataclasses import dataclass, field

from .ledger import PERMANENT
from .members import Member
from .rejected import Fault, Rejected
from .request import APPEND, CLUE_DELETE, REGULATOR, Change, Grant, MemberAdd, Occult, Time

DELAY_MS = 30 * 24 * 3600 * 1000
NO_JOURNAL = 0  # the kind of genesis and of a seal


@dataclass
class Days:
    """From when on regulators count for what is older than their appointment."""

    anchored: bool = False  # whether the log has a time journal
    by_clock: int = 0  # removals whose regulator counts by the service's clock alone
    _uncovered: list[int] = field(default_factory=list)  # appointments, ascending
    _sizes: list[int] = field(default_factory=list)  # of the first to cover one, ascending
    _begin_ms: list[int | None] = field(default_factory=list)  # None: one that is gone was first

    def journal(self, jsn: int, time_ms: int | None, change: Change | None) -> None:
        """A journal of the log; without a time if it stays from below where a log begins."""
        if isinstance(change, MemberAdd | Grant) and change.role == REGULATOR:
            self._uncovered.append(jsn)
        if not isinstance(change, Time):
            return
        self.anchored = True
        if any(each < change.size for each in self._uncovered):
            self._uncovered = [each for each in self._uncovered if each >= change.size]
            self._sizes.append(change.size)
            self._begin_ms.append(time_ms)

    def from_ms(self, one: Member) -> int | None:
        """None if its 30 days have not begun."""
        at = bisect_right(self._sizes, one.role_jsn)
        if at == len(self._sizes):
            return None if self.anchored else one.role_ms + DELAY_MS
        begin_ms = self._begin_ms[at]
        return (one.role_ms if begin_ms is None else begin_ms) + DELAY_MS

    def check(self, lowest: int | None, time_ms: int, signers: list[Member]) -> bool:
        """That a regulator who counts for this journal is among the signers of a removal.

        None stands for a journal that nobody knows any more: then any regulator will do. True if
        one counts by the service's clock alone.
        """
        regulators = [signer for signer in signers if signer.role == REGULATOR]
        if not regulators:
            raise Rejected("REGULATOR_MISSING", "no signer is a regulator")
        if lowest is None or any(lowest > one.role_jsn for one in regulators):
            return False
        begun = [ms for ms in map(self.from_ms, regulators) if ms is not None]
        if any(time_ms >= ms for ms in begun):
            return not self.anchored
        what = f"one counts from {min(begun)} on" if begun else "no time journal covers one"
        raise Rejected("REGULATOR_TOO_NEW", f"for journal {lowest}, {what}")


@dataclass
class Occults:
    """What an occult can name, and which bodies are gone."""

    days: Days = field(default_factory=Days)
    permanent: bool = False
    start: int = 0  # nothing below is known
    purged: int = 0  # all below
    count: int = 0  # of occults
    present: int = 0  # bodies of occulted journals that were read all the same
    _leaves: list[tuple[int, bytes]] = field(default_factory=list)  # kind and leaf hash, by jsn
    _of_clue: dict[bytes, list[int]] = field(default_factory=dict)
    _occulted: set[int] = field(default_factory=set)
    _waiting: set[int] = field(default_factory=set)

    @property
    def journals(self) -> int:
        """How many are occulted."""
        return len(self._occulted)

    def add(self, kind: int, leaf_hash: bytes, clue_ids: tuple[bytes, ...] = ()) -> None:
        """The next leaf of the log."""
        for clue_id in clue_ids:
            named = self._of_clue.setdefault(clue_id, [])
            named.append(self.start + len(self._leaves))
        self._leaves.append((kind, leaf_hash))

    def erased(self, jsn: int) -> None:
        """The body of this journal is gone; an occult above it has to name it."""
        self._waiting.add(jsn)

    def features(self, features: frozenset[int]) -> None:
        """Those that genesis has."""
        self.permanent = PERMANENT in features

    def check(
        self, block_jsn: int, time_ms: int, change: Occult, signers: list[Member], bodies: bool
    ) -> None:
        """An occult in the block that begins at this jsn."""
        if self.permanent:
            raise Rejected("REMOVAL_FORBIDDEN", "an occult in a permanent ledger")
        targets = self._targets(block_jsn, change)
        if change.clue_id is not None and change.first < self.start:
            assumed = self.days.check(None, time_ms, signers)  # its lowest may be below
        else:
            assumed = self.days.check(targets[0], time_ms, signers)
        lowest = targets[0] if targets else min(change.last, self.start - 1)  # of what is known
        if lowest < self.purged:
            raise Rejected("TARGET_REMOVED", f"journal {lowest} was purged before")
        for jsn in targets:
            if jsn in self._occulted:
                raise Rejected("TARGET_REMOVED", f"journal {jsn} was occulted before")
        self.count += 1
        self.days.by_clock += assumed
        read = [jsn for jsn in targets if jsn >= self.start] if bodies else []
        self.present += sum(jsn not in self._waiting for jsn in read)
        self._occulted.update(targets)
        self._waiting.difference_update(targets)

    def _targets(self, block_jsn: int, change: Occult) -> list[int]:
        if change.clue_id is None:
            for jsn, leaf_hash in change.named or ():
                self._check_named(block_jsn, jsn, leaf_hash)
            return [jsn for jsn, _ in change.named or ()]
        if change.last >= block_jsn:
            raise _invalid(f"up to journal {change.last}, its block begins at {block_jsn}")
        named = self._of_clue.get(change.clue_id, [])
        found = [jsn for jsn in named if change.first <= jsn <= change.last]
        if not found and change.first >= self.start:
            raise _invalid(f"no journal from {change.first} to {change.last} names the clue")
        return found

    def _check_named(self, block_jsn: int, jsn: int, leaf_hash: bytes) -> None:
        if jsn >= block_jsn:
            raise _invalid(f"journal {jsn}, its block begins at {block_jsn}")
        if jsn < self.start:
            return
        kind, found = self._leaves[jsn - self.start]
        if kind not in (APPEND, CLUE_DELETE):
            raise _invalid(f"leaf {jsn} is of kind {kind}")
        if found != leaf_hash:
            raise _invalid(f"journal {jsn} has leaf hash {found.hex()}, not {leaf_hash.hex()}")

    def check_end(self) -> None:
        """The log is over: whatever still waits is gone without an occult."""
        if self._waiting:
            raise Fault(min(self._waiting), "BODY_MISSING", "erased, and no occult names it")


def _invalid(detail: str) -> Rejected:
    return Rejected("TARGET_INVALID", detail)
