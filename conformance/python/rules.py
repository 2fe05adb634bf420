"""Logs that break one rule each, well sealed and signed by the service: what an audit is for.

Each has the jsn and the kind of its first fault (docs/audit.md); RIGHT has logs without one.
"""

from collections.abc import Callable
from importlib import import_module

from forge import Forge, Request, Signer
from forge_bytes import sha

ALICE, BOB = Signer("alice"), Signer("bob", es256=True)
CAROL, DAN = Signer("carol"), Signer("dan", es256=True)
counted = {"accepted": 0, "refused": 0}  # by the verifier, in all tests
DAY_MS = 24 * 3600 * 1000

FORGED: dict[str, tuple[Callable[[], bytes], int, str]] = {}
RIGHT: dict[str, Callable[[], bytes]] = {}


def founded(**options) -> Forge:
    """Genesis by Alice and Bob; the next jsn is 2."""
    return Forge([ALICE, BOB], **options).genesis()


def right(build: Callable[[], Forge | bytes]) -> Callable:
    RIGHT[build.__name__] = lambda: _bytes(build())
    return build


def wrong(jsn: int, kind: str) -> Callable:
    def register(build: Callable[[], Forge | bytes]) -> Callable:
        assert build.__name__ not in FORGED
        FORGED[build.__name__] = (lambda: _bytes(build()), jsn, kind)
        return build

    return register


def _bytes(built: Forge | bytes) -> bytes:
    return built.log() if isinstance(built, Forge) else built


def forged() -> dict[str, tuple[Callable[[], bytes], int, str]]:
    """All logs with a fault: how to build each, its first faulty jsn, the kind of fault."""
    _gather()
    return FORGED


def allowed() -> dict[str, Callable[[], bytes]]:
    """How to build each log without a fault."""
    _gather()
    return RIGHT


def _gather() -> None:
    for module in (
        "rules_of_clues",
        "rules_of_entries",
        "rules_of_people",
        "rules_of_removal",
        "rules_of_replay",
        "rules_of_state",
        "rules_of_time",
    ):
        import_module(module)


def batch(forge: Forge, count: int = 3) -> list[Request]:
    return [forge.request(b"payload %d" % i) for i in range(count)]


@right
def everything_that_is_allowed() -> Forge:
    forge = founded().add(ALICE, CAROL).add(BOB, DAN).seal()
    forge.submit([CAROL]).submit([DAN, CAROL]).seal()
    forge.submit([ALICE, BOB, CAROL, DAN], batch(forge)).seal()
    forge.submit([DAN], batch(forge, 2)).revoke(ALICE, CAROL.kid).submit([DAN]).seal()
    return forge.revoke(BOB, BOB.kid).seal().submit([ALICE]).seal()


@right
def genesis_alone() -> Forge:
    return founded()


@right
def without_a_checkpoint() -> bytes:
    return founded().submit([ALICE]).seal().log(checkpoint=b"")


@right
def a_co_signed_change_of_members() -> Forge:
    forge = founded().add(ALICE, CAROL).seal()
    return forge.submit([ALICE, CAROL], [forge.request(kind=16, ext=[1, 3, DAN.spki])]).seal()


@right
def a_change_with_a_long_window() -> Forge:
    forge = founded()
    late = forge.time_ms + 30 * DAY_MS
    return forge.submit(
        [ALICE], [forge.request(kind=16, ext=[1, 3, DAN.spki], header={6: late})]
    ).seal()


@right
def the_edges_of_time() -> Forge:
    forge = founded()
    now = forge.time_ms
    early = forge.request(header={5: now + 30_000, 6: now + 90_000})
    late = forge.request(header={5: now - 60_000, 6: now})
    return forge.submit([ALICE], [early]).submit([ALICE], [late]).seal()


@right
def an_owner_added_who_stays_alone() -> Forge:
    forge = founded().add(ALICE, CAROL, 1).revoke(CAROL, ALICE.kid).revoke(BOB, BOB.kid)
    return forge.submit([CAROL]).seal()


@right
def a_content_type_with_control_characters() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(body={1: "a\nb\x7f"})]).seal()


@right
def a_salt_used_in_two_submissions() -> Forge:
    forge = founded()
    salt = sha(b"twice")
    forge.submit([ALICE], [forge.request(b"a", salt=salt)])
    return forge.submit([ALICE], [forge.request(b"b", salt=salt)]).seal()


@right
def a_checkpoint_with_a_witness() -> bytes:
    forge = founded()
    return forge.log(checkpoint=forge.checkpoint() + "\u2014 witness AAAAAAA=\n".encode())


@right
def a_regulator_appends() -> Forge:
    return founded().add(ALICE, CAROL, 2).submit([CAROL]).seal()


@right
def genesis_of_two_strands() -> Forge:
    return founded(params={8: 2})
