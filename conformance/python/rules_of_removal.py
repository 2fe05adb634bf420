"""Logs that break one rule of occults, purges and recalls each: docs/audit.md, "Removals".

The regulator is Carol, added at 2; the journals to be removed are 4 to 6 unless a log says otherwise.
"""

from collections.abc import Sequence
from typing import Any

from forge import Forge, Signer
from forge_bytes import cbor, sha
from forge_removal import DELAY_MS, erase, journals, occult, of_clue, purge, recall
from rules import ALICE, BOB, CAROL, DAN, DAY_MS, founded, right, wrong
from rules_of_people import close, grant
from rules_of_time import previous, stamp

REGULATOR, NORMAL, READ_ONLY, VERIFY_ONLY = 2, 3, 4, 5
BOTH = (ALICE, CAROL)
CLUES = {10: {1: 1}}
PERMANENT = {10: {5: 1}}


def watched(**options: Any) -> Forge:
    """Carol is a regulator; journals 4 to 6 are sealed at 7. The next jsn is 8."""
    forge = founded(**options).add(ALICE, CAROL, REGULATOR).seal()
    return forge.submit([ALICE]).submit([BOB]).submit([ALICE]).seal()


def clued() -> Forge:
    """The same, where 4 names "a", 5 "a" and "b", and 6 deletes "b"."""
    forge = founded(params=CLUES).add(ALICE, CAROL, REGULATOR).seal()
    forge.submit([ALICE], [forge.request(clues=["a"])])
    forge.submit([ALICE], [forge.request(clues=["a", "b"])])
    return forge.submit([ALICE], [delete(forge, "b")]).seal()


def delete(forge: Forge, clue: str) -> Any:
    return forge.request(kind=2, body={0: b"", 1: ""}, clues=[clue])


def appointed() -> Forge:
    """Journal 2 is older than Carol's appointment at 4; journal 6 is younger."""
    forge = founded().submit([ALICE]).seal().add(ALICE, CAROL, REGULATOR).seal()
    return forge.submit([ALICE]).seal()


def occulted(forge: Forge, *jsns: int, signers: Sequence[Signer] = BOTH) -> Forge:
    """An occult of these, sealed, and their bodies gone."""
    return erase(occult(forge, journals(forge, *jsns), signers).seal(), *jsns)


@right
def an_occult_of_one_journal() -> Forge:
    return occulted(watched(), 5).submit([ALICE]).seal()


@right
def occults_of_all_journals_one_after_the_other() -> Forge:
    return occulted(occulted(watched(), 4, 6), 5)


@right
def an_occult_whose_bodies_are_still_there() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 4, 5), BOTH).seal()


@right
def two_occults_in_one_block() -> Forge:
    forge = watched()
    occult(forge, journals(forge, 4), BOTH)
    return erase(occult(forge, journals(forge, 6), [BOB, CAROL]).seal(), 4, 6)


@right
def an_occult_that_others_signed_too() -> Forge:
    return occulted(watched().add(ALICE, DAN).seal(), 4, signers=[ALICE, BOB, CAROL, DAN])


@right
def an_occult_of_a_clue() -> Forge:
    forge = clued()
    return erase(occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal(), 4, 5)


@right
def an_occult_of_a_clue_in_a_range() -> Forge:
    forge = clued()
    occult(forge, of_clue(forge, "a", 4, 4), BOTH).seal()
    return erase(occult(forge, of_clue(forge, "b", 5, 6), BOTH).seal(), 4, 5, 6)


@right
def an_occult_of_a_whole_batch_and_of_values() -> Forge:
    shape = {10: {2: 1}, 11: [16, 1, 4, 4, 1]}
    forge = founded(params=shape).add(ALICE, CAROL, REGULATOR).seal()
    batch = [forge.request(b"%d" % i, ops=[(b"k%d" % i, b"v", None)]) for i in range(2)]
    return occulted(forge.submit([ALICE], batch).seal(), 4, 5)


@right
def an_occult_behind_the_closing() -> Forge:
    return occulted(close(watched(), ALICE, BOB).seal(), 4)


@right
def a_regulator_of_thirty_days() -> Forge:
    forge = appointed()
    forge.time_ms += DELAY_MS - 2000  # appointed two blocks, of a second each, before
    return occulted(forge, 2)


@right
def a_regulator_of_thirty_days_by_a_time_journal() -> Forge:
    forge = stamp(appointed())  # jsn 8
    forge.time_ms += DELAY_MS - 1000  # a block of a second ago
    return occulted(forge, 2)


@right
def a_regulator_of_thirty_days_by_the_first_of_two_time_journals() -> Forge:
    forge = stamp(appointed())
    forge.time_ms += DELAY_MS - 2000
    return occulted(stamp(forge, previous(forge, 8)), 2)


@right
def a_regulator_whose_role_was_renewed() -> Forge:
    forge = grant(appointed(), CAROL, role=REGULATOR).seal()
    return occulted(forge, 6)


@right
def a_regulator_who_counts_beside_one_who_does_not() -> Forge:
    return occulted(appointed().add(ALICE, DAN, REGULATOR).seal(), 6, signers=[ALICE, CAROL, DAN])


@right
def a_basis_of_128_bytes() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 4), BOTH, basis="\u00e9" * 64).seal()


@wrong(5, "BODY_MISSING")
def bodies_erased_without_an_occult() -> Forge:
    return erase(watched(), 6, 5)


@wrong(5, "BODY_MISSING")
def a_body_erased_beside_those_of_an_occult() -> Forge:
    return erase(occulted(watched(), 4, 6), 5)


@wrong(2, "BODY_MISSING")
def the_erased_body_of_a_grant() -> Forge:
    return erase(occulted(watched(), 4), 2)


@wrong(6, "BODY_MISSING")
def a_body_erased_beside_those_of_a_clue() -> Forge:
    forge = clued()
    return erase(occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal(), 4, 5, 6)


@wrong(8, "REGULATOR_MISSING")
def an_occult_by_owners_alone() -> Forge:
    return occulted(watched(), 4, signers=[ALICE, BOB])


@wrong(8, "ROLE_NOT_ALLOWED")
def an_occult_by_a_regulator_alone() -> Forge:
    return occulted(watched(), 4, signers=[CAROL])


@wrong(10, "ROLE_NOT_ALLOWED")
def an_occult_that_a_reader_signed_too() -> Forge:
    return occulted(watched().add(ALICE, DAN, READ_ONLY).seal(), 4, signers=[*BOTH, DAN])


@wrong(10, "ROLE_NOT_ALLOWED")
def an_occult_that_a_verifier_signed_too() -> Forge:
    return occulted(watched().add(ALICE, DAN, VERIFY_ONLY).seal(), 4, signers=[*BOTH, DAN])


@wrong(10, "REVOKED_SIGNER")
def an_occult_by_a_regulator_who_was_revoked() -> Forge:
    return occulted(watched().revoke(ALICE, CAROL.kid).seal(), 4)


@wrong(10, "REGULATOR_MISSING")
def an_occult_by_one_who_was_a_regulator() -> Forge:
    return occulted(grant(watched(), CAROL, role=NORMAL).seal(), 4)


@wrong(8, "REGULATOR_TOO_NEW")
def a_regulator_younger_than_the_journal() -> Forge:
    return occulted(appointed(), 2)


@wrong(8, "REGULATOR_TOO_NEW")
def a_regulator_younger_than_one_of_the_journals() -> Forge:
    return occulted(appointed(), 2, 6)


@wrong(8, "REGULATOR_TOO_NEW")
def a_regulator_a_moment_before_thirty_days() -> Forge:
    forge = appointed()
    forge.time_ms += DELAY_MS - 2001
    return occulted(forge, 2)


@wrong(10, "REGULATOR_TOO_NEW")
def a_regulator_a_moment_before_thirty_days_by_a_time_journal() -> Forge:
    forge = stamp(appointed())
    forge.time_ms += DELAY_MS - 1001
    return occulted(forge, 2)


@wrong(10, "REGULATOR_TOO_NEW")
def a_regulator_appointed_while_the_clock_was_set_back() -> Forge:
    forge = appointed()
    forge.time_ms += DELAY_MS + DAY_MS  # the clock is set forth again
    return occulted(stamp(forge), 2)


@wrong(12, "REGULATOR_TOO_NEW")
def a_regulator_whom_no_time_journal_covers() -> Forge:
    forge = stamp(founded()).submit([ALICE]).seal().submit([ALICE]).seal()  # jsn 2, 4, 6
    forge.add(ALICE, CAROL, REGULATOR).seal()  # jsn 8
    forge.time_ms += DELAY_MS
    return occulted(stamp(forge, previous(forge, 2), size=8), 4)


@wrong(11, "REGULATOR_TOO_NEW")
def a_regulator_who_lost_the_role_and_got_it_back() -> Forge:
    forge = grant(grant(appointed(), CAROL, role=NORMAL), CAROL, role=REGULATOR).seal()
    return occulted(forge, 6)


@wrong(10, "REGULATOR_TOO_NEW")
def a_regulator_younger_than_the_clues_first_journal() -> Forge:
    forge = founded(params=CLUES)
    forge.submit([ALICE], [forge.request(clues=["a"])]).seal()
    forge.add(ALICE, CAROL, REGULATOR).seal()
    forge.submit([ALICE], [forge.request(clues=["a"])]).seal().submit([ALICE]).seal()
    return occult(forge, of_clue(forge, "a", 0, 9), BOTH).seal()


@wrong(10, "TARGET_REMOVED")
def a_journal_occulted_twice() -> Forge:
    return occulted(occulted(watched(), 4), 4, 5)


@wrong(9, "TARGET_REMOVED")
def a_journal_occulted_twice_in_one_block() -> Forge:
    forge = watched()
    occult(forge, journals(forge, 4), BOTH)
    return occult(forge, journals(forge, 4), [BOB, CAROL]).seal()


@wrong(10, "TARGET_REMOVED")
def a_clue_with_a_journal_that_was_occulted() -> Forge:
    forge = clued()
    occult(forge, journals(forge, 5), BOTH).seal()
    return occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_genesis_that_no_regulator_signed() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 0), [ALICE]).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_genesis() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 0), BOTH).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_a_seal() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 4, 7), BOTH).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_a_grant() -> Forge:
    return occulted(watched(), 2)


@wrong(10, "TARGET_INVALID")
def an_occult_of_an_occult() -> Forge:
    return occulted(occulted(watched(), 4), 8)


@wrong(8, "TARGET_INVALID")
def an_occult_of_another_leaf_hash() -> Forge:
    forge = watched()
    return occult(forge, [1, [[4, forge.leaf_hashes()[5]]]], BOTH).seal()


@wrong(9, "TARGET_INVALID")
def an_occult_of_a_journal_of_its_block() -> Forge:
    forge = watched().submit([ALICE])
    return occult(forge, journals(forge, 8), BOTH).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_a_journal_to_come() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 10), BOTH).seal().submit([ALICE]).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_a_clue_that_no_journal_names() -> Forge:
    forge = clued()
    return occult(forge, of_clue(forge, "c", 0, 7), BOTH).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_a_clue_outside_the_range() -> Forge:
    forge = clued()
    return occult(forge, of_clue(forge, "a", 6, 7), BOTH).seal()


@wrong(9, "TARGET_INVALID")
def an_occult_of_a_clue_up_to_its_block() -> Forge:
    forge = clued()
    forge.submit([ALICE], [forge.request(clues=["a"])])
    return occult(forge, of_clue(forge, "a", 0, 8), BOTH).seal()


@wrong(8, "TARGET_INVALID")
def an_occult_of_a_clue_without_clues() -> Forge:
    forge = watched()
    return occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal()


@wrong(8, "REMOVAL_FORBIDDEN")
def an_occult_in_a_permanent_ledger() -> Forge:
    return occulted(watched(params=PERMANENT), 5)


@wrong(4, "BODY_MISSING")
def an_erased_body_in_a_permanent_ledger() -> Forge:
    return erase(watched(params=PERMANENT), 4)


@wrong(8, "MALFORMED_LEAF")
def an_occult_of_nothing() -> Forge:
    return occult(watched(), [1, []], BOTH).seal()


@wrong(8, "MALFORMED_LEAF")
def an_occult_of_101_journals() -> Forge:
    return occult(watched(), [1, [[i, bytes(32)] for i in range(101)]], BOTH).seal()


@wrong(8, "MALFORMED_LEAF")
def journals_that_do_not_ascend() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 5, 4), BOTH).seal()


@wrong(8, "MALFORMED_LEAF")
def one_journal_twice_in_an_occult() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 5, 5), BOTH).seal()


@wrong(8, "MALFORMED_LEAF")
def a_range_that_ends_before_it_begins() -> Forge:
    forge = clued()
    return occult(forge, of_clue(forge, "a", 5, 4), BOTH).seal()


@wrong(8, "MALFORMED_LEAF")
def a_target_of_a_third_form() -> Forge:
    return occult(watched(), [3, sha(b"x"), 4, 5], BOTH).seal()


@wrong(8, "MALFORMED_LEAF")
def a_basis_of_129_bytes() -> Forge:
    forge = watched()
    return occult(forge, journals(forge, 4), BOTH, basis="b" * 129).seal()


@wrong(8, "MALFORMED_LEAF")
def an_occult_with_a_body() -> Forge:
    forge = watched()
    body = cbor([b"payload", "text/plain", [], []])
    return occult(forge, journals(forge, 4), BOTH, encoded_body=body).seal()


@wrong(8, "WRONG_BATCH")
def an_occult_in_a_batch() -> Forge:
    forge = watched()
    request = forge.request(kind=22, ext=[7, journals(forge, 4), ""])
    return forge.submit(BOTH, [request, forge.request()]).seal()


@wrong(8, "SNAPSHOT_WRONG")
def a_purge_with_a_snapshot_of_no_log() -> Forge:
    forge = watched()
    ext = [6, 8, 2, bytes(32), 0]
    return forge.submit([ALICE, BOB], [forge.request(kind=21, ext=ext)]).seal()


@right
def a_purge_that_all_affected_signed() -> Forge:
    return purge(watched(), 8, [ALICE, BOB]).seal().submit([ALICE]).seal()


@right
def a_purge_below_the_first_journals_of_a_member() -> Forge:
    return purge(watched(), 4, [ALICE]).seal()


@right
def a_purge_with_one_absent_and_a_regulator() -> Forge:
    forge = watched()
    forge.time_ms += DELAY_MS
    return purge(forge, 8, BOTH, absent=[BOB]).seal()


@right
def a_purge_behind_the_closing() -> Forge:
    return purge(close(watched(), ALICE, BOB).seal(), 10, [ALICE, BOB]).seal()


@right
def a_purge_that_was_recalled_and_another() -> Forge:
    forge = recall(purge(watched(), 8, [ALICE, BOB]).seal(), 8, [BOB]).seal()
    return purge(forge, 8, [ALICE, BOB]).seal()


@right
def a_second_purge_that_affects_who_signed_since() -> Forge:
    forge = purge(watched(), 8, [ALICE, BOB], recall_ms=0).seal()
    return purge(forge.submit([BOB]).seal(), 12, [ALICE, BOB]).seal()


@right
def a_reader_who_is_affected_signs_a_purge() -> Forge:
    forge = grant(watched(), BOB, role=READ_ONLY).seal()
    return purge(forge, 8, [ALICE, BOB]).seal()


@wrong(8, "SNAPSHOT_WRONG")
def a_purge_that_an_affected_member_did_not_sign() -> Forge:
    return purge(watched(), 8, [ALICE]).seal()


@wrong(8, "REGULATOR_MISSING")
def a_purge_with_one_absent_and_no_regulator() -> Forge:
    return purge(watched(), 8, [ALICE], absent=[BOB]).seal()


@wrong(8, "REGULATOR_TOO_NEW")
def a_purge_with_one_absent_and_a_regulator_of_today() -> Forge:
    return purge(watched(), 8, BOTH, absent=[BOB]).seal()


@wrong(8, "ROLE_NOT_ALLOWED")
def a_purge_without_an_owner() -> Forge:
    return purge(watched(), 8, [CAROL], absent=[ALICE, BOB]).seal()


@wrong(8, "PURGE_INVALID")
def a_purge_within_a_block() -> Forge:
    forge = watched()
    ext = [6, 6, 2, bytes(32), 0]
    return forge.submit([ALICE, BOB], [forge.request(kind=21, ext=ext)]).seal()


@wrong(8, "PURGE_INVALID")
def a_purge_of_another_block() -> Forge:
    forge = watched()
    ext = [6, 8, 1, bytes(32), 0]
    return forge.submit([ALICE, BOB], [forge.request(kind=21, ext=ext)]).seal()


@wrong(10, "PURGE_INVALID")
def a_purge_while_another_is_open() -> Forge:
    forge = purge(watched(), 4, [ALICE]).seal()
    return purge(forge, 10, [ALICE, BOB]).seal()


@wrong(12, "PURGE_INVALID")
def a_purge_not_above_the_last() -> Forge:
    forge = purge(watched(), 4, [ALICE], recall_ms=0).seal().submit([ALICE]).seal()
    return purge(forge, 8, [ALICE, BOB]).seal()


@wrong(8, "REMOVAL_FORBIDDEN")
def a_purge_in_a_permanent_ledger() -> Forge:
    forge = watched(params=PERMANENT)
    ext = [6, 8, 2, bytes(32), 0]
    return forge.submit([ALICE, BOB], [forge.request(kind=21, ext=ext)]).seal()


@wrong(10, "TARGET_REMOVED")
def an_occult_of_what_was_purged() -> Forge:
    forge = watched()
    target = journals(forge, 4)
    return occult(purge(forge, 8, [ALICE, BOB]).seal(), target, BOTH).seal()


@wrong(10, "RECALL_INVALID")
def a_recall_too_late() -> Forge:
    forge = purge(watched(), 8, [ALICE, BOB], recall_ms=0).seal()
    return recall(forge, 8, [ALICE]).seal()


@wrong(12, "RECALL_INVALID")
def a_second_recall() -> Forge:
    forge = recall(purge(watched(), 8, [ALICE, BOB]).seal(), 8, [BOB]).seal()
    return recall(forge, 8, [ALICE]).seal()


@wrong(8, "RECALL_INVALID")
def a_recall_of_no_purge() -> Forge:
    forge = watched()
    return recall(forge, 4, BOTH).seal()
