"""Certificates of removals that an operator hands out; they are part of family_files."""

from dataclasses import replace

from attacks import Certificate, Family
from forge import Signer
from forge_removal import Certificate as Parts
from forge_removal import certificate, erasure, journals, occult, of_clue, recall, receipt_file
from purges import HOUR_MS, purged
from rules import ALICE, CAROL
from rules_of_removal import BOTH, appointed, clued, occulted, watched
from rules_of_time import NEXT_NOTE, NEXT_RECEIPT, rotate, stamp

CERTIFICATES = Family("Certificates of removals")


def certified(parts: Parts) -> Certificate:
    """Shown to somebody whom the removal concerns."""
    return Certificate(parts.encoded(), parts.forge.ledger_id)


def of_two() -> Parts:
    """The right certificate of an occult at 8, of the journals 4 and 5."""
    return certificate(occulted(watched(), 4, 5), 8, [4, 5], [2])


def of_a_clue() -> Parts:
    """The right certificate of an occult at 8, of the clue of the journals 4 and 5."""
    forge = clued()
    occult(forge, of_clue(forge, "a", 0, 7), BOTH).seal()
    return certificate(forge, 8, [4, 5], [2])


def behind_a_rotation() -> Parts:
    """The right certificate of an occult at 10, which stands behind a rotation at 8."""
    forge = rotate(watched())
    rotation = [receipt_file(forge, 8), forge.entries[8][1]]
    forge.note, forge.receipt = NEXT_NOTE, NEXT_RECEIPT
    right = certificate(occulted(forge, 4), 10, [4], [])
    member = [receipt_file(watched(), 2), forge.entries[2][1]]
    return replace(right, chain=[member, rotation])


@CERTIFICATES.honest
def a_certificate() -> Certificate:
    return certified(of_two())


@CERTIFICATES.honest
def a_certificate_of_a_clue() -> Certificate:
    return certified(of_a_clue())


@CERTIFICATES.honest
def a_certificate_behind_a_rotation() -> Certificate:
    return certified(behind_a_rotation())


@CERTIFICATES.honest
def a_certificate_with_a_time_journal() -> Certificate:
    forge = stamp(occulted(watched(), 4, 5))
    return certified(replace(certificate(forge, 8, [4, 5], [2]), time=receipt_file(forge, 10)))


@CERTIFICATES.attack("certifies a removal with another's statement", None, "WRONG_JSN")
def the_statement_of_another_removal() -> Certificate:
    forge = occulted(occulted(watched(), 4), 5)
    return certified(
        replace(certificate(forge, 10, [5], [2]), statement=erasure(forge, 8, 4, 1))
    )


@CERTIFICATES.attack("certifies with a statement about another leaf", None, "LEAF_MISMATCH")
def a_statement_about_another_leaf() -> Certificate:
    said = erasure(occulted(watched(), 4, 6), 8, 4, 2)
    return certified(replace(of_two(), statement=said))


def stated_by(key: Signer) -> Certificate:
    """The statement of this key."""
    right = of_two()
    right.forge.receipt, receipt_key = key, right.forge.receipt
    said = erasure(right.forge, 8, 4, 2)
    right.forge.receipt = receipt_key
    return certified(replace(right, statement=said))


@CERTIFICATES.attack("states an erasure with its note key", None, "WRONG_KEY")
def a_statement_by_the_note_key() -> Certificate:
    return stated_by(Signer("note"))


@CERTIFICATES.attack("states an erasure with a key that nobody can hold it to", None, "WRONG_KEY")
def a_statement_by_a_key_of_nobody() -> Certificate:
    return stated_by(Signer("operator"))


@CERTIFICATES.attack("states an erasure with a key that it had given up", None, "WRONG_KEY")
def a_statement_by_a_key_given_up() -> Certificate:
    right = behind_a_rotation()
    right.forge.receipt = Signer("receipt")
    said = erasure(right.forge, 10, 4, 1)
    right.forge.receipt = NEXT_RECEIPT
    return certified(replace(right, statement=said))


@CERTIFICATES.attack("leaves the receipt of an erased journal out", None, "MISSING")
def a_target_left_out() -> Certificate:
    right = of_two()
    return certified(replace(right, targets=right.targets[:1]))


@CERTIFICATES.attack("shows another journal than the erased one", None, "WRONG_JSN")
def another_target() -> Certificate:
    right = of_two()
    return certified(replace(right, targets=[right.targets[0], receipt_file(right.forge, 6)]))


@CERTIFICATES.attack("shows a journal that does not name the occulted clue", None, "WRONG_CLUE")
def a_target_of_another_clue() -> Certificate:
    right = of_a_clue()
    return certified(replace(right, targets=[right.targets[0], receipt_file(right.forge, 6)]))


@CERTIFICATES.attack("states a journal less than the occult names", None, "LEAF_MISMATCH")
def a_count_too_small() -> Certificate:
    right = of_two()
    return certified(replace(right, statement=erasure(right.forge, 8, 4, 1)))


@CERTIFICATES.attack("states an erasure before anybody ordered it", None, "BROKEN_CHAIN")
def an_erasure_before_its_order() -> Certificate:
    right = of_two()
    said = erasure(right.forge, 8, 4, 2, right.forge.time_ms - 60_000)
    return certified(replace(right, statement=said))


@CERTIFICATES.attack("bends the receipt of the removal", None, "BAD_SIGNATURE")
def a_bent_receipt_of_a_removal() -> Certificate:
    right = of_two()
    file = receipt_file(right.forge, 8)
    return certified(replace(right, file=file[:-1] + bytes([file[-1] ^ 1])))


@CERTIFICATES.attack("certifies an append as a removal", None, "WRONG_TYPE")
def an_append_as_a_removal() -> Certificate:
    right = of_two()
    return certified(
        replace(right, file=receipt_file(right.forge, 6), attestation=right.forge.entries[6][1])
    )


@CERTIFICATES.attack("leaves the key chain out, and with it the regulator", None, "NOT_A_MEMBER")
def a_certificate_without_its_key_chain() -> Certificate:
    return certified(replace(of_two(), chain=[]))


@CERTIFICATES.attack("leaves its rotation out of a certificate's key chain", None, "WRONG_KEY")
def a_certificate_without_its_rotation() -> Certificate:
    right = behind_a_rotation()
    return certified(replace(right, chain=right.chain[:1]))


@CERTIFICATES.attack("shows a signature less than the order had", None, "COMMITMENT_MISMATCH")
def a_certificate_with_other_signatures() -> Certificate:
    right = of_two()
    request = right.forge.request(b"another")
    return certified(replace(right, attestation=right.forge.attest([ALICE], [request])))


@CERTIFICATES.attack("certifies an order that no regulator signed", None, "MISSING")
def a_certificate_without_a_regulator() -> Certificate:
    return certified(certificate(occulted(watched(), 4, signers=[ALICE]), 8, [4], [2]))


@CERTIFICATES.attack("certifies an order that no owner signed", None, "MISSING")
def a_certificate_without_an_owner() -> Certificate:
    return certified(certificate(occulted(watched(), 4, signers=[CAROL]), 8, [4], [2]))


@CERTIFICATES.attack("certifies an order of a regulator of today", None, "MISSING")
def a_certificate_by_a_regulator_of_today() -> Certificate:
    return certified(certificate(occulted(appointed(), 2), 8, [2], [4]))


@CERTIFICATES.attack("dates a removal by a time journal from before", None, "WRONG_SIZE")
def a_time_journal_from_before() -> Certificate:
    forge = stamp(watched())
    occult(forge, journals(forge, 4), BOTH).seal()
    right = certificate(forge, 10, [4], [2])
    return certified(replace(right, time=receipt_file(forge, 8)))


@CERTIFICATES.attack("shows the certificate of another ledger", None, "WRONG_LEDGER")
def a_certificate_of_another_ledger() -> Certificate:
    other = certificate(occulted(watched(params={3: bytes(32)}), 4, 5), 8, [4, 5], [2])
    return Certificate(other.encoded(), watched().ledger_id)


# Of purges


def of_a_purge(first: int = 0, count: int = 8, waited_ms: int = HOUR_MS) -> Parts:
    """The certificate of a purge at 8, up to 8, which could be recalled for an hour."""
    forge = purged(watched())
    said = erasure(forge, 8, first, count, forge.time_ms - 1000 + waited_ms)
    return Parts(forge, 8, [], said)


@CERTIFICATES.honest
def a_certificate_of_a_purge() -> Certificate:
    return certified(of_a_purge())


@CERTIFICATES.honest
def a_certificate_of_a_purge_with_two_that_it_removed() -> Certificate:
    right = of_a_purge()
    files = [receipt_file(right.forge, jsn) for jsn in (4, 5)]
    return certified(replace(right, targets=files))


@CERTIFICATES.attack("states a purge as done while it can be recalled", None, "BROKEN_CHAIN")
def a_purge_done_too_early() -> Certificate:
    return certified(of_a_purge(waited_ms=HOUR_MS - 1))


@CERTIFICATES.attack("states that a purge went further than was signed", None, "LEAF_MISMATCH")
def a_purge_that_went_further() -> Certificate:
    return certified(of_a_purge(count=9))


@CERTIFICATES.attack("certifies a purge to whom it does not concern", None, "WRONG_JSN")
def a_target_above_a_purge() -> Certificate:
    right = of_a_purge()
    return certified(replace(right, targets=[receipt_file(right.forge, 8)]))


@CERTIFICATES.attack("certifies a purge by another's signatures", None, "COMMITMENT_MISMATCH")
def a_purge_with_the_signatures_of_another() -> Certificate:
    right, other = of_a_purge(), purged(watched(), ALICE, first_kept=4)
    return certified(replace(right, attestation=other.entries[8][1]))


@CERTIFICATES.attack("certifies a recall as a removal", None, "WRONG_TYPE")
def a_recall_as_a_removal() -> Certificate:
    forge = recall(purged(watched()), 8, [ALICE]).seal()
    return certified(Parts(forge, 10, [], erasure(forge, 10, 0, 8)))
