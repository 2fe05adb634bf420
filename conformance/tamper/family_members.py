"""Journals that no member signed, or a member who may not; roles that somebody took."""

from attacks import Family
from forge import Forge, Signer
from forge_bytes import cbor
from rules import ALICE, BOB, CAROL, DAN, a_co_signed_change_of_members, founded
from rules_of_people import close, grant, people_come_change_and_go

FAMILY = Family("Members and roles")

FAMILY.honest(people_come_change_and_go)
FAMILY.honest(a_co_signed_change_of_members)

FAMILY.known("another_payload_beside_a_good_signature", "changes what a member signed")
FAMILY.known("a_signature_over_another_request", "moves a member's signature to another request")
FAMILY.known("one_bad_signature_of_two", "invents the signature of a second member")
FAMILY.known("a_service_key_that_signs", "signs a journal with the service's own key")
FAMILY.known("one_who_was_revoked", "lets somebody whose key was revoked go on")
FAMILY.known("a_key_behind_its_last_moment", "lets a key go on behind its last moment")
FAMILY.known("one_who_may_only_read_appends", "lets somebody append who may only read")
FAMILY.known("a_grant_without_an_owner", "takes a grant that no owner signed")
FAMILY.known("one_whose_role_a_grant_took", "lets somebody go on in the role that a grant took")
FAMILY.known("a_grant_to_one_who_was_revoked", "gives a revoked key a role again")
FAMILY.known("an_agent_without_its_mark", "passes an agent's key off as a person's")
FAMILY.known("an_agents_journal_without_the_mark", "hides that an agent signed")
FAMILY.known("a_closing_by_one_owner_of_two", "closes a ledger for one of its owners")
FAMILY.known("a_journal_behind_the_closing", "goes on with a ledger that was closed")
FAMILY.known("a_second_owner_of_a_mono_ledger", "gives a mono ledger a second owner")
FAMILY.known("the_last_owner_revoked", "leaves a ledger without an owner")
FAMILY.known(
    "an_owner_who_did_not_sign", "founds a ledger in the name of an owner who did not sign"
)
FAMILY.known("a_stranger_who_signed_too", "adds a signature of its own to the founding")


@FAMILY.attack("leaves out the second of two signatures", 2, "ATTESTATION_MISMATCH")
def a_cosigner_stripped() -> Forge:
    forge = founded()
    request = forge.request()
    forge.submit([ALICE, BOB], [request]).seal()
    forge.entries[2][1] = forge.attest([ALICE], [request])
    return forge


@FAMILY.attack("adds a signature that was made for another journal", 2, "BAD_SIGNATURE")
def a_cosigner_added() -> Forge:
    forge = founded()
    request = forge.request()
    signed = {
        signer.kid: forge.attest([signer], [about])[1:]
        for signer, about in ((ALICE, request), (BOB, forge.request(b"another")))
    }
    both = b"\x82" + b"".join(signed[kid] for kid in sorted(signed))
    return forge.submit([], [request], both).seal()


@FAMILY.attack("enters a member whom it added itself", 2, "UNKNOWN_SIGNER")
def a_member_that_the_operator_added() -> Forge:
    operator = Signer("operator")
    return founded().add(operator, operator, 1).submit([operator]).seal()


@FAMILY.attack("enters a journal between a revocation and its sealing", 3, "REVOKED_SIGNER")
def a_journal_behind_a_revocation() -> Forge:
    return founded().revoke(ALICE, BOB.kid).submit([BOB, ALICE]).seal()


@FAMILY.attack("enters a member's request to read as one to append", 2, "ATTESTATION_INVALID")
def a_statement_of_another_type() -> Forge:
    labels = {16: "application/vnd.tallystick.token+cose"}
    return founded().submit([ALICE], labels=labels).seal()


@FAMILY.attack("replaces a member without an owner", 3, "ROLE_NOT_ALLOWED")
def a_member_replaced_by_itself() -> Forge:
    forge = grant(founded(), CAROL)
    return grant(forge, DAN, replaces=CAROL.kid, by=[CAROL]).seal()


@FAMILY.attack("takes an attestation of nobody", 2, "ATTESTATION_INVALID")
def nobody_signed() -> Forge:
    return founded().submit([], attestation=cbor([])).seal()


@FAMILY.attack("opens a closed ledger by a grant of its own", 4, "LEDGER_CLOSED")
def a_closed_ledger_opened() -> Forge:
    forge = close(founded(), ALICE, BOB).seal()
    return grant(forge, CAROL, role=1).seal()
