"""Purged logs that break one rule behind what they begin with."""

from copy import deepcopy

from forge import EMPTY_CLUE_ROOT, Signer
from forge_bytes import cbor, sha
from forge_purged import KEPT, Purged, purged, shown
from forge_removal import erase, journals, occult, of_clue, purge, recall
from rules import ALICE, BOB, CAROL, DAN, founded
from rules_of_purged import (
    INVALID,
    OWNERS,
    a_ledger_that_was_closed_and_purged,
    begun,
    behind,
    going_on,
    turned,
    wrong,
)
from rules_of_removal import BOTH, CLUES, REGULATOR, clued, watched
from rules_of_time import NEXT_RECEIPT, previous, rotate, stamp, time
from tallyverify.cbor import decode


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
    erin = Signer("erin")
    forge = watched().add(ALICE, erin).revoke(ALICE, erin.kid).seal()
    log = behind(forge, 11)
    rotate(forge, note=erin, receipt=forge.receipt)
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
    log.file, log.attestation = shown(log.forge, 8)
    log.forge = forge.submit([ALICE]).seal()
    return log


@wrong(8, INVALID)
def another_journal_in_place_of_the_purge() -> Purged:
    forge = watched()
    log = begun(deepcopy(forge))
    log.file, log.attestation = shown(log.forge, 8)
    log.forge = behind(forge, 8, recall_ms=1).forge
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
