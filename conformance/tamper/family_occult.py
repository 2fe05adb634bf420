"""Attacks on occults: signers, targets or times that the rules forbid, bodies gone without one.

An operator that holds no member's key needs one who helps for most of them: an owner, who lacks a
regulator, or both, who lack the right to what they sign.
"""

from typing import Any

from attacks import Assumption, By, Family, Log, Reading, Receipt
from family_files import reading, receipt
from forge import Forge, Signer
from forge_bytes import cbor
from forge_removal import OCCULT, erase, journals, occult, of_clue
from forge_tiles import published
from rules import ALICE, BOB, CAROL, founded
from rules_of_people import close
from rules_of_removal import (
    BOTH,
    REGULATOR,
    a_regulator_of_thirty_days,
    a_regulator_of_thirty_days_by_a_time_journal,
    a_regulator_whose_role_was_renewed,
    an_occult_behind_the_closing,
    an_occult_of_a_clue,
    an_occult_of_a_whole_batch_and_of_values,
    an_occult_of_one_journal,
    clued,
    occulted,
    two_occults_in_one_block,
    watched,
)
from test_tallyverify_state import shown

FAMILY = Family("Occult")

FAMILY.honest(an_occult_of_one_journal)
FAMILY.honest(an_occult_of_a_clue)
FAMILY.honest(an_occult_of_a_whole_batch_and_of_values)
FAMILY.honest(an_occult_behind_the_closing)
FAMILY.honest(two_occults_in_one_block)
FAMILY.honest(a_regulator_of_thirty_days)
FAMILY.honest(a_regulator_of_thirty_days_by_a_time_journal)
FAMILY.honest(a_regulator_whose_role_was_renewed)

# What goes without an occult

FAMILY.known("bodies_erased_without_an_occult", "erases bodies, and no occult names them")
FAMILY.known(
    "a_body_erased_beside_those_of_an_occult", "erases a body beside those that an occult names"
)
FAMILY.known(
    "a_body_erased_beside_those_of_a_clue", "erases a body that does not name the occulted clue"
)
FAMILY.known("the_erased_body_of_a_grant", "erases the body of a grant beside an occult")
FAMILY.known("an_erased_body_in_a_permanent_ledger", "erases a body in a permanent ledger")

# Who signs

FAMILY.known("an_occult_by_owners_alone", "takes an occult that no regulator signed")
FAMILY.known("an_occult_by_a_regulator_alone", "takes an occult that no owner signed")
FAMILY.known(
    "an_occult_by_one_who_was_a_regulator", "lets somebody order an occult who was a regulator"
)
FAMILY.known(
    "an_occult_by_a_regulator_who_was_revoked", "lets a revoked regulator order an occult"
)
FAMILY.known("an_occult_that_a_reader_signed_too", "lets somebody co-sign who may only read")
FAMILY.known(
    "a_regulator_younger_than_the_journal", "has an owner appoint a regulator and erases at once"
)
FAMILY.known(
    "a_regulator_younger_than_one_of_the_journals",
    "hides an old journal among young ones, for a new regulator",
)
FAMILY.known(
    "a_regulator_a_moment_before_thirty_days", "takes a regulator's word a moment too early"
)
FAMILY.known(
    "a_regulator_a_moment_before_thirty_days_by_a_time_journal",
    "takes the days from the appointment on, which a time journal shows to be fewer",
)
FAMILY.known(
    "a_regulator_appointed_while_the_clock_was_set_back",
    "sets the clock back, has an owner appoint a regulator, sets it forth and erases",
)
FAMILY.known(
    "a_regulator_whom_no_time_journal_covers",
    "erases before a time journal covers the regulator's appointment",
)
FAMILY.known(
    "a_regulator_who_lost_the_role_and_got_it_back",
    "counts the days of a regulator that lost its role and got it back",
)
FAMILY.known(
    "a_regulator_younger_than_the_clues_first_journal",
    "occults a clue whose first journal is older than the regulator",
)

# What it names

FAMILY.known("a_journal_occulted_twice", "occults a journal twice")
FAMILY.known("a_clue_with_a_journal_that_was_occulted", "occults a clue of what is gone already")
FAMILY.known("an_occult_of_genesis", "occults genesis")
FAMILY.known("an_occult_of_a_seal", "occults a seal")
FAMILY.known("an_occult_of_a_grant", "occults a grant, so that nobody sees who was a member")
FAMILY.known("an_occult_of_an_occult", "occults an occult, so that nobody sees who ordered it")
FAMILY.known("an_occult_of_another_leaf_hash", "names another leaf hash than the journal's")
FAMILY.known("an_occult_of_a_journal_of_its_block", "occults a journal of the occult's own block")
FAMILY.known("an_occult_of_a_journal_to_come", "occults a journal before it exists")
FAMILY.known("an_occult_of_a_clue_that_no_journal_names", "occults a clue that no journal names")
FAMILY.known("an_occult_of_a_clue_up_to_its_block", "occults a clue up to the occult's own block")
FAMILY.known("an_occult_in_a_permanent_ledger", "occults in a permanent ledger")
FAMILY.known("an_occult_in_a_batch", "puts an occult into a batch")


def wanted(forge: Forge, *jsns: int, **options: Any) -> Any:
    """The request of an occult of these journals."""
    return forge.request(kind=OCCULT, ext=[7, journals(forge, *jsns), "by law"], **options)


# Signatures


@FAMILY.attack("leaves out one of the owners who signed an occult", 8, "ATTESTATION_MISMATCH")
def an_occult_with_an_owner_stripped() -> Forge:
    forge = watched()
    request = wanted(forge, 4)
    forge.submit([ALICE, BOB, CAROL], [request]).seal()
    forge.entries[8][1] = forge.attest([ALICE, CAROL], [request])
    return erase(forge, 4)


@FAMILY.attack("leaves out the regulator of an occult", 8, "ATTESTATION_MISMATCH")
def an_occult_with_the_regulator_stripped() -> Forge:
    forge = watched()
    request = wanted(forge, 4)
    forge.submit(BOTH, [request]).seal()
    forge.entries[8][1] = forge.attest([ALICE], [request])
    return erase(forge, 4)


@FAMILY.attack("moves a regulator's signature to an occult of more", 8, "BAD_SIGNATURE")
def an_occult_of_more_than_was_signed() -> Forge:
    forge = watched()
    more = wanted(forge, 4, 5)
    signed = {CAROL.kid: forge.attest([CAROL], [wanted(forge, 4)])[1:]}
    signed[ALICE.kid] = forge.attest([ALICE], [more])[1:]
    both = b"\x82" + b"".join(signed[kid] for kid in sorted(signed))
    return erase(forge.submit([], [more], both).seal(), 4, 5)


@FAMILY.attack("signs an occult as a regulator that it made up", 8, "UNKNOWN_SIGNER")
def an_occult_by_a_regulator_of_the_operators() -> Forge:
    return occulted(watched(), 4, signers=[ALICE, Signer("operator")])


@FAMILY.attack("signs an occult with its receipt key", 8, "UNKNOWN_SIGNER")
def an_occult_by_the_receipt_key() -> Forge:
    forge = watched()
    return occulted(forge, 4, signers=[ALICE, forge.receipt])


@FAMILY.attack("enters an occult of its own, as a request of the service", 8, "UNKNOWN_SIGNER")
def an_occult_as_the_services_own() -> Forge:
    forge = watched()
    content = [7, journals(forge, 4), "by law"]
    return erase(forge.submit_own(OCCULT, content, [forge.receipt], BOTH).seal(), 4)


@FAMILY.attack("takes an occult that nobody signed", 8, "ATTESTATION_INVALID")
def an_occult_of_nobody() -> Forge:
    forge = watched()
    return erase(forge.submit([], [wanted(forge, 4)], attestation=cbor([])).seal(), 4)


@FAMILY.unseen("erases for one person, who holds an owner's and a regulator's key", Assumption.KEYS)
def an_occult_by_one_person() -> Forge:
    alone = Signer("alice's other key")
    forge = founded().add(ALICE, alone, REGULATOR).seal().submit([BOB]).seal()
    return occulted(forge, 4, signers=[ALICE, alone])


# Replays


@FAMILY.attack("enters an occult that was signed for another ledger", 8, "WRONG_LEDGER")
def an_occult_of_another_ledger() -> Forge:
    forge, other = watched(), watched(params={3: bytes(32)})
    request = wanted(other, 4)
    return erase(forge.submit([], [request], other.attest(BOTH, [request])).seal(), 4)


@FAMILY.attack("enters one occult twice", 10, "REPLAYED")
def an_occult_entered_again() -> Forge:
    forge = watched()
    request = wanted(forge, 4)
    forge.submit(BOTH, [request]).seal()
    return erase(forge.submit(BOTH, [request]).seal(), 4)


@FAMILY.attack("keeps an occult until it has expired", 8, "TIME_OUTSIDE_WINDOW")
def an_occult_kept_for_later() -> Forge:
    forge = watched()
    request = wanted(forge, 4)
    forge.time_ms += 61_000
    return erase(forge.submit(BOTH, [request]).seal(), 4)


# What stays


@FAMILY.attack("puts another body in the place of an occulted one", 4, "BODY_MISMATCH")
def another_body_behind_an_occult() -> Forge:
    forge = occulted(watched(), 4, 5)
    leaf, attestation, _, _, _, ops = forge.entries[4]
    other = forge.request(b"something harmless")
    forge.entries[4] = [leaf, attestation, 2, other.salt, other.body, ops]
    return forge


@FAMILY.attack("replaces the leaf of an occulted journal, too", 7, "WRONG_ROOT")
def another_leaf_behind_an_occult() -> Forge:
    forge, twin = occulted(watched(), 4), watched()
    twin.entries = twin.entries[:4]
    twin.time_ms -= 1000
    twin.submit([ALICE], [twin.request(b"something harmless")])
    forge.entries[4][:2] = twin.entries[4][:2]
    return forge


@FAMILY.attack("leaves out who signed an occulted journal", 4, "ATTESTATION_MISSING")
def an_occulted_journal_of_nobody() -> Forge:
    forge = occulted(watched(), 4)
    forge.entries[4][1] = b""
    return forge


@FAMILY.attack("takes occulted journals out of their clue", 9, "WRONG_FEATURE_ROOT")
def a_clue_that_forgets_what_was_occulted() -> Forge:
    forge = clued()
    occult(forge, of_clue(forge, "a", 0, 7), BOTH)
    forge.clues.pop(forge.clue_id("a"))
    return erase(forge.seal(), 4, 5)


def _kept() -> Forge:
    """Journal 4 writes a value of "a", journal 5 one of "b"; the next jsn is 7."""
    shape = {10: {2: 1}, 11: [16, 1, 4, 4, 1]}
    forge = founded(params=shape).add(ALICE, CAROL, REGULATOR).seal()
    for key in (b"a", b"b"):
        forge.submit([ALICE], [forge.request(key, ops=[(key, b"value", None)])])
    return forge.seal()


@FAMILY.attack("changes the state where an occult took a value", 8, "WRONG_STATE_ROOT")
def a_state_that_forgets_what_was_occulted() -> Forge:
    forge = _kept()
    occult(forge, journals(forge, 4), BOTH)
    forge.written[b"a"] = [False, None, 0, 7]
    return erase(forge.seal(), 4)


@FAMILY.attack("takes the operations of an occulted journal, too", 4, "OPERATIONS_MISMATCH")
def operations_erased_beside_an_occult() -> Forge:
    forge = occulted(_kept(), 4)
    forge.entries[4][5] = cbor([])
    return forge


@FAMILY.attack("shows a value of its own where an occult took one", None, "COMMITMENT_MISMATCH")
def a_value_behind_an_occult() -> Reading:
    forge = occulted(_kept(), 4)
    return reading(forge, "a", shown(forge, 5, 0, b"harmless"))


@FAMILY.honest
def the_receipt_of_an_occulted_journal() -> Receipt:
    return receipt(occulted(watched(), 4), 4)


# What the log goes on with


@FAMILY.honest
def an_occult_in_public_files() -> Log:
    forge = occulted(watched(), 4, 6)
    return Log(published(forge.log()), forge.ledger_id)


@FAMILY.attack("publishes a body as erased that no occult names", 5, "BODY_MISSING")
def an_erased_body_in_public_files() -> Log:
    forge = erase(occulted(watched(), 4, 6), 5)
    return Log(published(forge.log()), forge.ledger_id)


@FAMILY.attack("rolls the ledger back to before an occult", 9, "TRUSTED_HEAD_CONTRADICTED", By.HEAD)
def an_occult_rolled_back() -> Log:
    seen, shown_log = occulted(watched(), 4), watched().submit([ALICE]).seal()
    log = shown_log.log()
    return Log(log, seen.ledger_id, seen.params, seen.checkpoint())


@FAMILY.attack("goes on with a closed ledger, behind an occult in it", 12, "LEDGER_CLOSED")
def a_journal_behind_an_occult_of_a_closed_ledger() -> Forge:
    return occulted(close(watched(), ALICE, BOB).seal(), 4).submit([ALICE]).seal()
