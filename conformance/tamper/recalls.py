"""Attacks on recalls, and on what a purge takes away; they are part of family_purge."""

from attacks import By, Family, Log
from forge import Forge
from forge_bytes import cbor
from forge_removal import PURGE, RECALL, erase, journals, occult, recall
from forge_tiles import published
from purges import OPERATOR, OWNERS, purged
from rules import ALICE, BOB, DAN
from rules_of_people import close
from rules_of_removal import BOTH, a_purge_that_was_recalled_and_another, clued, watched

RECALLS = Family("Recalls")

RECALLS.honest(a_purge_that_was_recalled_and_another)
RECALLS.known("a_recall_too_late", "takes a recall when the purge's time for it is over")
RECALLS.known("a_second_recall", "takes a purge back twice")
RECALLS.known("a_recall_of_no_purge", "takes back a journal that is no purge")


@RECALLS.attack("takes a recall from somebody who is no owner", 12, "ROLE_NOT_ALLOWED")
def a_recall_by_a_member() -> Forge:
    return recall(purged(watched().add(ALICE, DAN).seal()), 10, [DAN]).seal()


@RECALLS.attack("takes a recall from the regulator alone", 10, "ROLE_NOT_ALLOWED")
def a_recall_by_the_regulator() -> Forge:
    return recall(purged(watched()), 8, BOTH[1:]).seal()


@RECALLS.attack("takes a recall from a stranger", 10, "UNKNOWN_SIGNER")
def a_recall_by_a_stranger() -> Forge:
    return recall(purged(watched()), 8, [OPERATOR]).seal()


@RECALLS.attack("takes a recall from an owner who was revoked since", 12, "REVOKED_SIGNER")
def a_recall_by_an_owner_who_was_revoked() -> Forge:
    forge = purged(watched()).revoke(ALICE, BOB.kid).seal()
    return recall(forge, 8, [BOB]).seal()


@RECALLS.attack("takes a recall that nobody signed", 10, "ATTESTATION_INVALID")
def a_recall_of_nobody() -> Forge:
    forge = purged(watched())
    request = forge.request(kind=RECALL, ext=[8, 8])
    return forge.submit([], [request], attestation=cbor([])).seal()


@RECALLS.attack("recalls a purge in place of the one that an owner named", 10, "BAD_SIGNATURE")
def a_recall_of_another_purge_than_was_signed() -> Forge:
    forge = purged(watched())
    request, signed = (forge.request(kind=RECALL, ext=[8, jsn]) for jsn in (8, 6))
    return forge.submit([], [request], forge.attest([ALICE], [signed])).seal()


@RECALLS.attack("recalls the purge before the newest", 12, "RECALL_INVALID")
def a_recall_of_the_purge_before() -> Forge:
    forge = purged(watched(), ALICE, first_kept=4, recall_ms=0)
    return recall(purged(forge, first_kept=10), 8, [ALICE]).seal()


@RECALLS.attack("takes a recall a moment too late", 10, "RECALL_INVALID")
def a_recall_a_moment_too_late() -> Forge:
    return recall(purged(watched(), recall_ms=999), 8, [ALICE]).seal()


@RECALLS.honest
def a_recall_at_the_last_moment() -> Forge:
    return recall(purged(watched(), recall_ms=1000), 8, [ALICE]).seal()


@RECALLS.attack("dates a late recall back into the purge's time", 12, "TIME_BACKWARDS")
def a_recall_dated_back() -> Forge:
    forge = purged(watched(), recall_ms=0).submit([ALICE]).seal()
    early = {2: forge.time_ms - 3000}
    request = forge.request(kind=RECALL, ext=[8, 8])
    return forge.submit([ALICE], [request], leaf=early).seal()


@RECALLS.attack("takes away a recall that an owner signed", 11, "WRONG_JSN")
def a_recall_taken_out() -> Forge:
    forge = recall(purged(watched()).submit([ALICE]), 8, [BOB]).submit([ALICE]).seal()
    del forge.entries[11]
    return forge


# What goes, and what comes back


@RECALLS.attack("erases the bodies of a purge that was recalled", 4, "BODY_MISSING")
def a_recalled_purge_carried_out() -> Forge:
    return erase(recall(purged(watched()), 8, [ALICE]).seal(), 4, 5, 6)


@RECALLS.attack("erases bodies, and the purge is to come", 4, "BODY_MISSING")
def bodies_erased_before_their_purge() -> Forge:
    return erase(watched(), 4, 5, 6)


@RECALLS.attack("erases a body above the purge as well", 10, "BODY_MISSING")
def a_body_erased_above_a_purge() -> Forge:
    return erase(purged(watched()).submit([ALICE]).seal(), 10)


@RECALLS.attack("erases bodies of a purge, and shows no pseudo-genesis", 4, "BODY_MISSING")
def bodies_of_a_purge_erased_in_a_whole_log() -> Forge:
    return erase(purged(watched()), 4, 5, 6)


@RECALLS.attack("publishes bodies of a purge as erased", 4, "BODY_MISSING")
def bodies_of_a_purge_erased_in_public_files() -> Log:
    forge = erase(purged(watched()), 4, 5, 6)
    return Log(published(forge.log()), forge.ledger_id)


@RECALLS.attack("puts another body in the place of a purged one", 5, "BODY_MISMATCH")
def another_body_below_a_purge() -> Forge:
    forge = purged(watched())
    leaf, attestation, _, _, _, ops = forge.entries[5]
    other = forge.request(b"something harmless")
    forge.entries[5] = [leaf, attestation, 2, other.salt, other.body, ops]
    return forge


@RECALLS.attack("puts a purged body back under another salt", 5, "BODY_MISMATCH")
def another_salt_below_a_purge() -> Forge:
    forge = purged(watched())
    forge.entries[5][3] = bytes(31) + b"\1"
    return forge


@RECALLS.attack("takes out of the log who was made a member below a purge", 2, "WRONG_JSN")
def a_change_of_members_taken_out_below_a_purge() -> Forge:
    forge = purged(watched())
    del forge.entries[2]
    return forge


@RECALLS.attack("takes the clues of purged journals from the clue trie", 11, "WRONG_FEATURE_ROOT")
def clues_forgotten_by_a_purge() -> Forge:
    forge = purged(clued(), ALICE)
    forge.clues.pop(forge.clue_id("a"))
    return forge.submit([ALICE]).seal()


@RECALLS.attack("enters a purge with a body of its own", 8, "BODY_MISMATCH")
def a_body_beside_a_purge() -> Forge:
    forge = purged(watched())
    forge.entries[8][4] = cbor([b"see our terms", "text/plain", [], []])
    return forge


# What the log goes on with


def _rolled(seen: Forge, shown: Forge) -> Log:
    """An auditor saw one log, and is shown another."""
    return Log(shown.log(), seen.ledger_id, seen.params, seen.checkpoint())


@RECALLS.attack("cuts the log off before a purge", 7, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def a_log_cut_off_before_a_purge() -> Log:
    forge = watched()
    return _rolled(purged(watched()), forge)


@RECALLS.attack("cuts the log off before a recall", 9, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def a_log_cut_off_before_a_recall() -> Log:
    seen = recall(purged(watched()), 8, [ALICE]).seal()
    return _rolled(seen, purged(watched()))


@RECALLS.attack("closes for one owner of two, to purge all of it", 8, "OWNERS_MISSING")
def a_deletion_that_an_owner_did_not_want() -> Forge:
    ext = [6, 10, 3, bytes(32), 0]
    forge = close(watched(), ALICE).seal()
    return forge.submit([ALICE], [forge.request(kind=PURGE, ext=ext)]).seal()


@RECALLS.attack("goes on with a ledger that was closed and purged", 12, "LEDGER_CLOSED")
def a_journal_behind_a_deletion() -> Forge:
    forge = purged(close(watched(), *OWNERS).seal(), first_kept=10)
    return forge.submit([ALICE]).seal()


@RECALLS.attack("opens a closed ledger again with a recall", 14, "LEDGER_CLOSED")
def a_journal_behind_a_recalled_deletion() -> Forge:
    forge = purged(close(watched(), *OWNERS).seal(), first_kept=10)
    return recall(forge, 10, [ALICE]).seal().submit([ALICE]).seal()


@RECALLS.honest
def an_occult_when_a_purge_was_recalled() -> Forge:
    forge = recall(purged(watched()), 8, [ALICE]).seal()
    return erase(occult(forge, journals(forge, 4), BOTH).seal(), 4)


@RECALLS.honest
def a_purge_of_a_ledger_with_clues() -> Forge:
    return purged(clued(), ALICE).submit([ALICE]).seal()
