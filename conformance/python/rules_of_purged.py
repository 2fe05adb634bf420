"""Purged logs that are right, and the register of those that are wrong.

Carol is a regulator since 2; journals 4 to 6 are sealed at 7. Unless a log says otherwise the purge
is journal 8, and the log begins with it. Each wrong one has the jsn and the kind of its first fault
(docs/audit.md) and, of a pseudo-genesis, the reason of docs/formats/removal.md.
"""

from collections.abc import Callable, Sequence
from typing import Any

from forge import Forge, Signer
from forge_clues import clue_root
from forge_purged import Purged, purged, shown
from forge_removal import DELAY_MS, erase, journals, occult, of_clue, purge, recall
from rules import ALICE, BOB, CAROL, DAN, batch
from rules_of_people import close, grant
from rules_of_removal import BOTH, CLUES, READ_ONLY, clued, watched
from rules_of_time import NEXT_NOTE, NEXT_RECEIPT, previous, rotate, stamp, time

Wrong = tuple[Callable[[], Purged], int, str, str]
WRONG: dict[str, Wrong] = {}
RIGHT: dict[str, Callable[[], Purged]] = {}
OWNERS = (ALICE, BOB)
INVALID = "PSEUDO_GENESIS_INVALID"


def right(build: Callable[[], Purged]) -> Callable[[], Purged]:
    RIGHT[build.__name__] = build
    return build


def wrong(jsn: int, kind: str, reason: str = "") -> Callable:
    def register(build: Callable[[], Purged]) -> Callable[[], Purged]:
        assert build.__name__ not in WRONG
        WRONG[build.__name__] = (build, jsn, kind, reason)
        return build

    return register


def behind(
    forge: Forge, first_kept: int, signers: Sequence[Signer] = OWNERS, **options: Any
) -> Purged:
    """A log that begins there, whose purge comes next and is sealed."""
    log = purged(forge, first_kept, signers, **options)
    log.forge.seal()
    return log


def begun(forge: Forge | None = None, **options: Any) -> Purged:
    """A log that begins at 8 with its purge, sealed at 9. The next jsn is 10."""
    return behind(forge or watched(), 8, OWNERS, **options)


def going_on(log: Purged, signers: Sequence[Signer] = (ALICE,), **options: Any) -> Purged:
    """A block with one journal more."""
    log.forge.submit(signers, [log.forge.request(**options)]).seal()
    return log


def turned() -> tuple[Forge, list[bytes]]:
    """Rotation 8 is sealed at 9, a journal at 11; the next jsn is 12. And the rotation as shown."""
    forge = rotate(watched())
    chain = shown(forge, 8, 10)
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    return forge.submit([ALICE]).seal(), chain


# Right ones


@right
def a_purge_at_the_end() -> Purged:
    return begun()


@right
def a_log_that_goes_on() -> Purged:
    log = going_on(going_on(begun()), OWNERS)
    log.forge.submit([CAROL], batch(log.forge)).seal()
    return log


@right
def members_come_and_go_behind() -> Purged:
    log = begun()
    log.forge.add(ALICE, DAN).seal().submit([DAN]).seal().revoke(ALICE, CAROL.kid).seal()
    return going_on(log, [DAN, BOB])


@right
def a_purge_far_behind_what_it_keeps() -> Purged:
    forge = watched().submit([ALICE]).seal().submit([BOB]).seal()
    return going_on(behind(forge, 8, OWNERS))


@right
def a_signer_who_became_a_member_between() -> Purged:
    forge = watched().add(ALICE, DAN, 1).seal()
    log = behind(forge, 8, [ALICE, BOB, DAN])
    log.chain = [shown(log.forge, 8)]
    return going_on(log, [DAN])


@right
def one_absent_and_a_regulator() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return going_on(behind(forge, 8, BOTH, absent=[BOB]), [BOB])


@right
def occults_before_and_behind() -> Purged:
    forge = erase(occult(watched(), journals(watched(), 4), BOTH).seal(), 4)
    forge.submit([ALICE]).submit([ALICE]).seal()
    log = behind(forge, 10, OWNERS)
    occult(log.forge, journals(log.forge, 10, 11), BOTH).seal()
    erase(log.forge, 10, 11)
    return log


@right
def an_occult_between_of_what_goes() -> Purged:
    forge = watched()
    occult(forge, journals(forge, 4), BOTH).seal()
    return behind(forge, 8, OWNERS)


@right
def an_occult_between_of_a_clue_that_goes() -> Purged:
    forge = clued()
    occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal()
    return behind(forge, 8, [ALICE])


@right
def an_occult_between_of_a_clue_above_the_purge_before() -> Purged:
    forge = purge(clued(), 4, [ALICE], recall_ms=0).seal()
    forge.submit([ALICE], [forge.request(clues=["c"])]).seal()
    occult(forge, of_clue(forge, "c", 0, 11), BOTH).seal()
    return behind(forge, 12, [ALICE])


@right
def an_occult_behind_of_a_clue_that_may_be_older() -> Purged:
    log = going_on(behind(clued(), 8, [ALICE]), clues=["c"])
    occult(log.forge, of_clue(log.forge, "c", 0, 11), BOTH).seal()
    return log


@right
def a_ledger_that_was_closed_and_purged() -> Purged:
    forge = close(watched(), *OWNERS).seal()
    return behind(forge, 10, OWNERS)


@right
def clues_that_none_named_below() -> Purged:
    log = begun(watched(params=CLUES))
    log = going_on(log, clues=["a"])
    return going_on(log, clues=["a", "b"])


@right
def clues_that_some_named_below() -> Purged:
    return going_on(behind(clued(), 8, [ALICE]), clues=["a", "c"])


@right
def clues_turned_on_below() -> Purged:
    forge = watched().parameters(ALICE, 4).seal()
    return going_on(behind(forge, 10, OWNERS), clues=["a"])


@wrong(0, INVALID, "no file of clues")
def no_clues_though_some_were_named_below() -> Purged:
    log = clues_that_some_named_below()
    log.clues = b""
    return log


@wrong(0, INVALID, "ROOT_MISMATCH")
def a_clue_below_left_out() -> Purged:
    log = clues_that_some_named_below()
    file = log.snapshot_clues()
    count = int.from_bytes(file[12:20], "big")
    first = 48 + 32 * int.from_bytes(file[52:60], "big").bit_count()
    log.clues = file[:12] + (count - 1).to_bytes(8, "big") + file[20 + first :]
    return log


@wrong(0, INVALID, "ROOT_MISMATCH")
def a_clue_below_said_to_be_deleted() -> Purged:
    log = clues_that_some_named_below()
    file = bytearray(log.snapshot_clues())
    file[67] ^= 4
    log.clues = bytes(file)
    return log


@wrong(0, INVALID, "behind the last clue")
def bytes_behind_the_clues() -> Purged:
    log = clues_that_some_named_below()
    log.clues = log.snapshot_clues() + b"\0"
    return log


@wrong(11, "WRONG_FEATURE_ROOT")
def a_clue_root_that_forgets_what_was_named_below() -> Purged:
    log = behind(clued(), 8, [ALICE])
    log.forge.submit([ALICE], [log.forge.request(clues=["c"])])
    clue_id = log.forge.clue_id("c")
    log.forge.seal(leaf={7: clue_root({clue_id: log.forge.clue_value(clue_id)})})
    return log


@right
def clues_taken_and_an_occult_of_one() -> Purged:
    log = behind(clued(), 8, [ALICE])
    going_on(log, clues=["c"])
    occult(log.forge, of_clue(log.forge, "c", 8, 11), BOTH).seal()
    erase(log.forge, 10)
    return log


@right
def a_second_purge_in_a_purged_log() -> Purged:
    log = going_on(begun(), [BOB])
    purge(log.forge, 12, OWNERS).seal()
    return log


@right
def a_second_purge_of_all_that_was_kept() -> Purged:
    log = going_on(begun(), [BOB])
    grant(log.forge, DAN, role=1, replaces=BOB.kid, by=OWNERS).seal()
    purge(log.forge, 14, [ALICE, DAN]).seal()
    return log


@right
def a_log_that_begins_with_a_second_purge() -> Purged:
    forge = purge(watched(), 8, OWNERS, recall_ms=0).seal().submit([BOB]).seal()
    return going_on(behind(forge, 12, OWNERS))


@right
def a_purge_that_was_recalled_before() -> Purged:
    forge = recall(purge(watched(), 8, OWNERS).seal(), 8, [BOB]).seal()
    return going_on(behind(forge, 8, OWNERS))


@right
def a_higher_purge_that_was_recalled_before() -> Purged:
    forge = watched().submit([BOB]).seal()
    forge = recall(purge(forge, 10, OWNERS).seal(), 10, [BOB]).seal()
    return going_on(behind(forge, 8, OWNERS))


@right
def a_lower_purge_that_was_recalled_before() -> Purged:
    forge = recall(purge(watched(), 4, [ALICE]).seal(), 8, [BOB]).seal()
    return going_on(behind(forge, 8, OWNERS))


@right
def a_recall_of_a_second_purge() -> Purged:
    log = going_on(begun(), [BOB])
    recall(purge(log.forge, 12, OWNERS).seal(), 12, [ALICE]).seal()
    return log


@right
def a_rotation_below() -> Purged:
    forge, rotation = turned()
    log = behind(forge, 12)
    log.chain = [rotation]
    return going_on(log)


@right
def a_rotation_between() -> Purged:
    forge, rotation = turned()
    log = behind(forge, 8)
    log.chain = [rotation]
    return going_on(log)


@right
def a_rotation_behind() -> Purged:
    log = begun()
    rotate(log.forge)
    log.chain = [shown(log.forge, 10, 12)]
    log.file = shown(log.forge, 8)[0]
    log.forge.note, log.forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    return going_on(log)


@right
def time_journals_below_and_behind() -> Purged:
    forge = stamp(watched())
    stamp(forge, previous(forge, 8))
    log = behind(forge, 8)
    stamp(forge, previous(forge, 10))
    return going_on(log)


@right
def a_time_journal_about_a_head_below() -> Purged:
    forge = watched()
    log = behind(forge, 8, OWNERS)
    content = time(log.forge, size=4)
    log.forge.submit_own(20, content, [log.forge.receipt]).seal()
    return going_on(log)


@right
def a_time_journal_about_the_first_head() -> Purged:
    forge = watched()
    content = time(forge, size=8)
    forge.submit_own(20, content, [forge.receipt]).seal()
    return going_on(behind(forge, 8, OWNERS))


@right
def a_kept_time_journal_that_the_next_names() -> Purged:
    forge = stamp(watched().submit([ALICE]).seal())  # 10, about size 10
    log = behind(forge, 10, OWNERS)
    stamp(log.forge, previous(log.forge, 10))
    forge = log.forge
    log = behind(forge.submit([ALICE]).seal(), 14, OWNERS)
    stamp(log.forge, previous(log.forge, 14))
    return log


@right
def a_member_who_was_replaced() -> Purged:
    forge = grant(watched(), DAN, role=1, replaces=BOB.kid, by=OWNERS).seal()
    return going_on(behind(forge, 10, [ALICE, DAN]), [DAN])


@right
def a_reader_who_is_affected() -> Purged:
    forge = grant(watched(), BOB, role=READ_ONLY).seal()
    return behind(forge, 8, OWNERS)


@right
def signatures_that_expire_with_the_seal() -> Purged:
    forge = watched()
    forge.submit([ALICE], [forge.request(header={6: forge.time_ms})]).seal()
    return going_on(behind(forge, 10, OWNERS))
