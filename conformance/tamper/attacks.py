"""What operators try: the registry of the tamper lab.

An operator has the disk and the service's keys, and no member's key. A module of a family makes a
Family and adds to it: honest twins, which both judges must accept, and attacks, which they must
refuse with the same jsn and kind.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from forge import Forge
from forge_tiles import Files
from rules import forged


class By(Enum):
    """Who sees an attack: an auditor with the log alone, or with what it has beside it."""

    AUDITOR = "auditor"
    HEAD = "trusted head"
    WITNESS = "witness"
    NOBODY = "nobody"


class Assumption(Enum):
    """Those of docs/fault-model.md, "What detection assumes"; an unseen attack breaks one."""

    KEPT = "somebody keeps a head"
    COMPARED = "heads are compared"
    OWN_LISTS = "lists come from elsewhere"
    INDEPENDENT = "witnesses and authorities are independent"
    CLOCKS = "an authority is asked"
    KEYS = "members' keys are the members'"
    SNAPSHOTS = "signers make the snapshot"


@dataclass(frozen=True)
class Log:
    """A log that is shown to an auditor, and what the auditor has beside it."""

    content: bytes | Files  # a saved log, or public files
    ledger_id: bytes
    params: bytes = b""  # GenesisParams, where a head is trusted
    trusted: bytes = b""  # the newest head of an earlier audit
    others: tuple[bytes, ...] = ()  # heads that others have
    witnesses: tuple[str, ...] = ()  # verifier keys, all of which must have cosigned one head
    authorities: bytes = b""  # certificates in PEM by which tokens are judged
    t_ledgers: tuple[bytes, ...] = ()  # GenesisParams or saved logs by which entries are judged
    submitters: tuple[bytes, ...] | None = None  # GenesisParams; the log is a T-Ledger if not None

    def alone(self) -> "Log":
        """The same log, shown to an auditor who trusts no head and hears of none."""
        return replace(self, trusted=b"", others=(), witnesses=())


@dataclass(frozen=True)
class Receipt:
    """A receipt file that is shown to somebody who pinned the ledger."""

    content: bytes
    ledger_id: bytes
    params: bytes
    key_chain: bytes = b""  # of a ledger whose service keys were rotated


@dataclass(frozen=True)
class Reading:
    """A reading of the state, shown to somebody who asked for a key."""

    content: bytes
    ledger_id: bytes
    params: bytes
    key: str


@dataclass(frozen=True)
class Certificate:
    """The certificate of a removal, shown to somebody who pinned the ledger's id."""

    content: bytes
    ledger_id: bytes


@dataclass(frozen=True)
class Evidence:
    """A file of evidence against a service, shown to a third party."""

    content: bytes
    ledger_id: bytes
    params: bytes
    authorities: bytes = b""


@dataclass(frozen=True)
class Verdict:
    """What a judge names; of what is no log there is no jsn. No kind: it is accepted."""

    jsn: int | None = None
    kind: str = ""

    def __str__(self) -> str:
        where = "" if self.jsn is None else f"jsn {self.jsn}, "
        return f"{where}{self.kind}" if self.kind else "accepted"


@dataclass(frozen=True)
class Served:
    """What a service itself calls damaged, so that no log can be had of it."""

    audited: Verdict  # by tally, which was at the service
    read: Verdict  # over REST, journal by journal


Shown = Log | Receipt | Reading | Certificate | Evidence | Served
Build = Callable[[], Shown | Forge | bytes]


@dataclass(frozen=True)
class Attack:
    """What an operator does, who sees it, and what is named then."""

    name: str
    operator: str
    by: By
    named: Verdict
    assumption: Assumption | None
    build: Callable[[], Shown]


@dataclass
class Family:
    """Attacks of one kind."""

    title: str
    attacks: list[Attack] = field(default_factory=list)
    twins: dict[str, Callable[[], Shown]] = field(default_factory=dict)
    prepare: Callable[[], object] | None = None  # what takes long, done while others are judged

    def honest(self, build: Build) -> Build:
        """Adds a twin that does nothing wrong."""
        self.twins[_name(build)] = lambda: shown(build())
        return build

    def attack(
        self, operator: str, jsn: int | None, kind: str, by: By = By.AUDITOR
    ) -> Callable[[Build], Build]:
        """Adds an attack with the jsn and the kind that both judges name."""

        def add(build: Build) -> Build:
            self._add(_name(build), operator, by, Verdict(jsn, kind), None, build)
            return build

        return add

    def unseen(self, operator: str, assumption: Assumption) -> Callable[[Build], Build]:
        """Adds an attack that nobody sees, and the assumption that it breaks."""

        def add(build: Build) -> Build:
            self._add(_name(build), operator, By.NOBODY, Verdict(), assumption, build)
            return build

        return add

    def known(self, name: str, operator: str) -> None:
        """Adds a log of the verifier's tests (rules*.py) that an operator could show."""
        build, jsn, kind = forged()[name]
        self._add(name.replace("_", "-"), operator, By.AUDITOR, Verdict(jsn, kind), None, build)

    def include(self, other: "Family") -> None:
        """Adds the twins and attacks of another module."""
        self.attacks += other.attacks
        self.twins |= other.twins

    def _add(
        self,
        name: str,
        operator: str,
        by: By,
        named: Verdict,
        assumption: Assumption | None,
        build: Build,
    ) -> None:
        if any(name == attack.name for attack in self.attacks):
            raise ValueError(f"{name} is there twice")
        self.attacks.append(Attack(name, operator, by, named, assumption, lambda: shown(build())))


def shown(built: Shown | Forge | bytes) -> Shown:
    """A forged ledger, or a saved log, as a log that is shown with nothing beside it."""
    if isinstance(built, Forge):
        return Log(built.log(), built.ledger_id)
    if isinstance(built, bytes):
        return Log(built, built[12:44])
    return built


def _name(build: Build) -> str:
    return build.__name__.replace("_", "-")
