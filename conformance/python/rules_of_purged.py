"""Purged logs, right and wrong: with what each begins, and what follows.

Carol is a regulator since 2; journals 4 to 6 are sealed at 7. Unless a log says otherwise the purge
is journal 8, and the log begins with it. Each wrong one has the jsn and the kind of its first fault
(docs/audit.md) and, of a pseudo-genesis, the reason of docs/formats/removal.md.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from forge import EMPTY_CLUE_ROOT, Forge, Signer
from forge_bytes import cbor, path, sha
from forge_clues import clue_root
from forge_purged import (
    ABSENT,
    AFFECTED,
    COUNT,
    FIRST_KEPT,
    FRONTIER,
    HEIGHT,
    KEPT,
    PARAMS,
    ROOT,
    SEAL,
    Purged,
    purged,
    shown,
)
from forge_removal import DELAY_MS, erase, journals, occult, of_clue, purge, recall
from tallyverify.cbor import decode
from rules import ALICE, BOB, CAROL, DAN, batch, founded
from rules_of_people import close, grant
from rules_of_removal import BOTH, CLUES, READ_ONLY, REGULATOR, clued, watched
from rules_of_time import NEXT_NOTE, NEXT_RECEIPT, RECEIPT, previous, rotate, stamp, time

Wrong = tuple[Callable[[], Purged], int, str, str]
WRONG: dict[str, Wrong] = {}
RIGHT: dict[str, Callable[[], Purged]] = {}
OWNERS, ERIN = (ALICE, BOB), Signer("erin")
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


# With what a log begins


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_purge_of_another_snapshot() -> Purged:
    return begun(named={3: sha(b"another")})


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_snapshot_changed_behind_the_purge() -> Purged:
    forge = watched()
    log = begun(forge)
    log.snapshot = log.snapshot[:-1] + b"\x80"
    other = purged(watched(), 8, OWNERS, change=lambda fields: fields.__setitem__(AFFECTED, []))
    log.snapshot = other.snapshot
    return log


@wrong(0, INVALID, "WRONG_JSN")
def a_purge_up_to_another_journal() -> Purged:
    return begun(named={1: 10, 2: 3})


@wrong(0, INVALID, "WRONG_JSN")
def a_purge_of_another_height() -> Purged:
    return begun(named={2: 1})


@wrong(0, INVALID, "WRONG_LEDGER")
def the_snapshot_of_another_ledger() -> Purged:
    log = begun()
    other = begun(watched(params={3: bytes(32)}))
    log.snapshot, log.window = other.snapshot, other.window
    return log


@wrong(0, INVALID, "WRONG_LEDGER")
def all_of_another_ledger() -> Purged:
    log = begun()
    other = begun(watched(params={3: bytes(32)}))
    log.snapshot, log.window = other.snapshot, other.window
    log.file, log.attestation = shown(other.forge, 8)
    return log


@wrong(0, INVALID, "WRONG_TYPE")
def an_append_in_place_of_the_purge() -> Purged:
    log = going_on(begun())
    log.purge = 10
    return log


@wrong(0, INVALID, "ROOT_MISMATCH")
def another_frontier() -> Purged:
    return begun(change=lambda fields: fields.__setitem__(FRONTIER, [sha(b"x")] * 3))


@wrong(0, INVALID, "ROOT_MISMATCH")
def another_seal() -> Purged:
    forge = watched()
    items = [2, 7, forge.time_ms - 1000, 2, bytes(32), 4, sha(b"root"), EMPTY_CLUE_ROOT, sha(b"")]
    return begun(forge, change=lambda fields: fields.__setitem__(SEAL, cbor(items)))


@wrong(0, INVALID, "NOT_A_MEMBER")
def a_member_who_is_missing_among_the_kept() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return behind(forge, 8, BOTH, absent=[BOB], change=lambda fields: fields[KEPT].pop(1))


@wrong(0, INVALID, "WRONG_KEY")
def a_rotation_that_is_missing_among_the_kept() -> Purged:
    forge, rotation = turned()
    log = behind(forge, 12, change=lambda fields: fields[KEPT].pop())
    log.chain = [rotation]
    return log


@wrong(0, INVALID, "WRONG_KEY")
def a_rotation_that_is_missing_in_the_chain() -> Purged:
    return behind(turned()[0], 12)


@wrong(0, INVALID, "WRONG_TYPE")
def a_genesis_that_is_missing_among_the_kept() -> Purged:
    return begun(change=lambda fields: fields[KEPT].pop(0))


@wrong(0, INVALID, "WRONG_TYPE")
def an_append_among_the_kept() -> Purged:
    forge = watched()
    hashes = forge.leaf_hashes()
    kept = [forge.entries[4][0], forge.entries[4][1], path(4, hashes)]
    return begun(forge, change=lambda fields: fields[KEPT].append(kept))


@wrong(0, INVALID, "ROOT_MISMATCH")
def a_kept_journal_with_another_path() -> Purged:
    return begun(change=lambda fields: fields[KEPT][1].__setitem__(2, [sha(b"x")] * 3))


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_kept_journal_with_another_attestation() -> Purged:
    forge = watched()
    return begun(forge, change=lambda fields: fields[KEPT][1].__setitem__(1, forge.entries[4][1]))


@wrong(0, INVALID, "COMMITMENT_MISMATCH")
def a_purge_with_a_signature_less() -> Purged:
    forge = watched()
    log = begun(forge)
    request = forge.request(kind=21)
    log.attestation = forge.attest([ALICE], [request])
    return log


@wrong(0, INVALID, "MISSING")
def a_purge_that_an_affected_member_did_not_sign() -> Purged:
    return behind(watched(), 8, [ALICE])


@wrong(0, INVALID, "MISSING")
def a_purge_without_an_owner() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return behind(forge, 8, [CAROL], absent=OWNERS)


@wrong(0, INVALID, "MISSING")
def one_absent_and_no_regulator() -> Purged:
    return behind(watched(), 8, [ALICE], absent=[BOB])


@wrong(0, INVALID, "MISSING")
def one_absent_and_a_regulator_of_today() -> Purged:
    return behind(watched(), 8, BOTH, absent=[BOB])


@wrong(0, INVALID, "BROKEN_CHAIN")
def one_absent_who_signed() -> Purged:
    forge = watched()
    forge.time_ms += DELAY_MS
    return behind(forge, 8, [ALICE, BOB, CAROL], absent=[BOB])


@wrong(0, INVALID, "NOT_A_MEMBER")
def a_reader_who_is_not_affected_signed() -> Purged:
    forge = watched().add(ALICE, DAN, READ_ONLY).seal()
    return behind(forge, 10, [ALICE, BOB, DAN])


@wrong(0, INVALID, "NOT_A_MEMBER")
def a_signer_whom_the_key_chain_does_not_show() -> Purged:
    forge = watched().add(ALICE, DAN, 1).seal()
    return behind(forge, 8, [ALICE, BOB, DAN])


@wrong(0, INVALID, "BROKEN_CHAIN")
def a_purge_of_a_permanent_ledger() -> Purged:
    return begun(watched(params={10: {5: 1}}))


@wrong(0, INVALID, "BAD_SIGNATURE")
def a_purge_that_the_service_never_took() -> Purged:
    log = begun()
    receipt = log.forge.receipt_of(8)
    receipt.content[3] = bytes(64)
    log.file = cbor([9, log.forge.entries[8][0], receipt])
    return log


# Its window


@wrong(0, INVALID, "ROOT_MISMATCH")
def another_window_entry() -> Purged:
    log = begun()
    log.window = [*log.window[:-1], bytes([255] * 32)]
    return log


@wrong(0, INVALID, "WRONG_SIZE")
def a_window_entry_left_out() -> Purged:
    log = begun()
    log.window = log.window[1:]
    return log


@wrong(0, INVALID, "MALFORMED")
def a_window_that_does_not_ascend() -> Purged:
    return begun(window=lambda entries: entries.reverse())


@wrong(0, INVALID)
def a_window_entry_twice() -> Purged:
    return begun(window=lambda entries: entries.insert(0, entries[0]))


# What follows


def again(log: Purged, jsn: int) -> Purged:
    """A journal once more, byte for byte."""
    forge = log.forge
    leaf, attestation, state, salt, body, ops = forge.entries[jsn]
    header = decode(leaf)[3]
    fields = [1, forge.jsn, forge.time_ms, header, sha(attestation), 0, 1, 0, 0]
    forge.entries.append([cbor(fields), attestation, state, salt, body, ops])
    forge.seal()
    return log


@wrong(10, "REPLAYED")
def a_purged_request_once_more() -> Purged:
    return again(begun(), 6)


@wrong(10, "UNKNOWN_SIGNER")
def a_journal_of_nobody_that_is_kept() -> Purged:
    return going_on(begun(), [DAN])


@wrong(12, "REVOKED_SIGNER")
def a_journal_of_one_who_was_revoked_below() -> Purged:
    forge = watched().revoke(ALICE, CAROL.kid).seal()
    return going_on(behind(forge, 10, OWNERS), [CAROL])


@wrong(12, "LEDGER_CLOSED")
def a_journal_behind_the_closing() -> Purged:
    return going_on(a_ledger_that_was_closed_and_purged())


@wrong(8, "TIME_BACKWARDS")
def a_journal_before_the_seal() -> Purged:
    forge = watched()
    forge.time_ms -= 2000
    return begun(forge)


@wrong(9, "BROKEN_CHAIN")
def another_seal_before_the_first() -> Purged:
    log = purged(watched(), 8, OWNERS)
    log.forge.seal(leaf={4: sha(b"seal")})
    return log


@wrong(9, "WRONG_HEIGHT")
def another_height_of_the_first_seal() -> Purged:
    log = purged(watched(), 8, OWNERS)
    log.forge.seal(leaf={3: 4})
    return log


@wrong(9, "BROKEN_BLOCK")
def another_first_journal_of_the_first_seal() -> Purged:
    log = purged(watched(), 8, OWNERS)
    log.forge.seal(leaf={5: 7})
    return log


@wrong(9, "WRONG_ROOT")
def another_root_of_the_first_seal() -> Purged:
    log = purged(watched(), 8, OWNERS)
    log.forge.seal(leaf={6: sha(b"root")})
    return log


@wrong(9, "WRONG_FEATURE_ROOT")
def a_clue_root_where_none_was_named() -> Purged:
    log = purged(watched(params=CLUES), 8, OWNERS)
    log.forge.seal(leaf={7: sha(b"root")})
    return log


@wrong(11, "WRONG_FEATURE_ROOT")
def a_clue_root_without_the_first_named() -> Purged:
    log = begun(watched(params=CLUES))
    log.forge.submit([ALICE], [log.forge.request(clues=["a"])]).seal(leaf={7: EMPTY_CLUE_ROOT})
    return log


@wrong(12, "FEATURE_NOT_ENABLED")
def a_clue_before_the_block_from_which_they_are_on() -> Purged:
    forge = watched().parameters(ALICE, 9).seal()
    return going_on(behind(forge, 10, OWNERS), clues=["a"])


@wrong(16, "TIME_CHAIN_BROKEN")
def a_time_journal_that_passes_over_the_kept_one() -> Purged:
    forge = stamp(watched().submit([ALICE]).seal())
    log = behind(forge.submit([ALICE]).seal(), 10, OWNERS)
    stamp(log.forge)
    return log


@wrong(10, "TIME_HEAD_WRONG")
def a_time_journal_about_another_first_head() -> Purged:
    log = begun()
    content = time(log.forge, size=8)
    content[2] = sha(b"root")
    log.forge.submit_own(20, content, [log.forge.receipt]).seal()
    return log


@wrong(10, "PURGE_INVALID")
def a_purge_beyond_the_newest_time_journal() -> Purged:
    forge = watched()
    content = time(forge, size=4)
    forge.submit_own(20, content, [forge.receipt]).seal()
    return behind(forge, 8, OWNERS)


@wrong(12, "PURGE_INVALID")
def a_purge_between_beyond_the_kept_time_journal() -> Purged:
    forge = stamp(watched()).submit([ALICE]).seal()
    purge(forge, 10, OWNERS, recall_ms=0).seal()
    stamp(forge, previous(forge, 8))
    return behind(forge, 10, seen=12)


@wrong(10, "PURGE_INVALID")
def a_purge_not_above_the_one_before() -> Purged:
    forge = purge(watched(), 4, [ALICE], recall_ms=0).seal()
    return behind(forge, 8, OWNERS)


@wrong(12, "PURGE_INVALID")
def a_purge_while_the_one_before_can_be_recalled() -> Purged:
    forge = purge(watched(), 8, OWNERS).seal().submit([BOB]).seal()
    return behind(forge, 12, OWNERS)


@wrong(12, "PURGE_INVALID")
def a_second_purge_while_the_first_can_be_recalled() -> Purged:
    log = purged(watched(), 8, OWNERS, recall_ms=3_600_000)
    log.forge.seal().submit([ALICE]).seal()
    purge(log.forge, 12, OWNERS).seal()
    return log


@wrong(12, "SNAPSHOT_WRONG")
def a_second_purge_that_drops_a_member() -> Purged:
    log = going_on(begun())
    purged(log.forge, 12, OWNERS, change=lambda fields: fields[KEPT].pop(1))
    log.forge.seal()
    return log


@wrong(12, "SNAPSHOT_WRONG")
def a_second_purge_that_drops_the_first() -> Purged:
    log = going_on(begun())
    purged(log.forge, 12, OWNERS, change=lambda fields: fields[KEPT].pop())
    log.forge.seal()
    return log


@wrong(12, "SNAPSHOT_WRONG")
def a_second_purge_that_drops_a_purged_window_entry() -> Purged:
    log = going_on(begun())
    purged(log.forge, 12, OWNERS, window=lambda entries: entries.pop(0))
    log.forge.seal()
    return log


@wrong(10, "TARGET_REMOVED")
def an_occult_of_what_was_purged() -> Purged:
    log = begun()
    occult(log.forge, journals(log.forge, 4), BOTH).seal()
    return log


@wrong(12, "TARGET_REMOVED")
def an_occult_of_a_clue_that_was_purged() -> Purged:
    log = going_on(behind(clued(), 8, [ALICE]), clues=["a"])
    occult(log.forge, of_clue(log.forge, "a", 0, 7), BOTH).seal()
    return log


@wrong(12, "TARGET_REMOVED")
def an_occult_of_a_clue_that_none_named_since() -> Purged:
    log = going_on(behind(clued(), 8, [ALICE]))
    occult(log.forge, of_clue(log.forge, "a", 0, 11), BOTH).seal()
    return log


@wrong(8, "REGULATOR_MISSING")
def an_occult_between_by_owners_alone() -> Purged:
    forge = clued()
    occult(forge, of_clue(forge, "a", 0, 7), OWNERS).seal()
    return behind(forge, 8, [ALICE], seen=8)


@wrong(8, "REGULATOR_TOO_NEW")
def an_occult_between_by_a_regulator_of_today() -> Purged:
    forge = founded().submit([ALICE]).seal().add(ALICE, CAROL, REGULATOR).seal()
    forge.submit([ALICE]).seal()
    occult(forge, journals(forge, 2), BOTH).seal()
    return behind(forge, 8, [ALICE], seen=8)


@wrong(8, "BAD_SIGNATURE")
def a_purge_between_with_another_signature() -> Purged:
    forge = watched()
    other = forge.request(b"other")
    forge.submit([ALICE], attestation=forge.attest([ALICE], [other])).seal()
    return behind(forge, 8, seen=8)


@wrong(10, "BODY_MISSING")
def a_body_that_no_occult_took() -> Purged:
    log = going_on(begun())
    erase(log.forge, 10)
    return log


@wrong(10, "RECALL_INVALID")
def a_recall_behind_its_time() -> Purged:
    log = begun()
    recall(log.forge, 8, [ALICE]).seal()
    return log


@wrong(10, INVALID)
def a_recall_of_what_the_log_begins_with() -> Purged:
    log = behind(watched(), 8, OWNERS, recall_ms=3_600_000)
    recall(log.forge, 8, [ALICE]).seal()
    return log


@wrong(13, "SERVICE_KEYS_INVALID")
def a_rotation_to_a_key_of_a_former_member() -> Purged:
    forge = watched().add(ALICE, ERIN).revoke(ALICE, ERIN.kid).seal()
    log = behind(forge, 11)
    rotate(forge, note=ERIN, receipt=forge.receipt)
    return log


@wrong(14, "SERVICE_KEYS_INVALID")
def a_rotation_to_a_former_key_of_the_service() -> Purged:
    forge, rotation = turned()
    log = behind(forge, 12)
    log.chain = [rotation]
    rotate(forge, note=Signer("note"), receipt=NEXT_RECEIPT)
    return log


@wrong(8, INVALID)
def a_purge_that_stands_in_no_log() -> Purged:
    forge = watched()
    log = begun(deepcopy(forge))
    log.file, log.attestation = shown(log.forge, 8), log.forge.entries[8][1]
    log.file = log.file[0]
    log.forge = forge.submit([ALICE]).seal()
    return log


@wrong(8, INVALID)
def another_journal_in_place_of_the_purge() -> Purged:
    forge = watched()
    log = begun(deepcopy(forge))
    log.file, log.attestation = shown(log.forge, 8)
    other = purged(forge, 8, OWNERS, recall_ms=1)
    other.forge.seal()
    log.forge = forge
    return log


@wrong(9, INVALID)
def a_log_that_ends_before_its_purge() -> Purged:
    forge = watched().submit([ALICE]).seal()
    whole = deepcopy(forge)
    log = behind(whole, 8)
    log.file, log.attestation = shown(whole, 10)
    log.forge = forge
    return log


@wrong(8, "WRONG_JSN")
def a_log_that_begins_a_block_later() -> Purged:
    log = going_on(begun())
    log.begins = 10
    return log


@wrong(8, "WRONG_JSN")
def a_log_that_begins_a_block_earlier() -> Purged:
    log = going_on(begun())
    log.begins = 4
    return log


@wrong(11, INVALID, "")
def a_purge_under_a_head_of_a_second_history() -> Purged:
    log = begun()
    other = deepcopy(log.forge)
    going_on(log)
    other.submit([BOB]).seal()
    log.file = shown(other, 8)[0]
    return log
