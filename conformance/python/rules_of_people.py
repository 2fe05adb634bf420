"""Logs that break one rule of grants, expiry, marks, styles and the closing each."""

from collections.abc import Sequence

from forge import START_MS, Forge, Signer
from rules import ALICE, BOB, CAROL, DAN, batch, founded, right, wrong

AGENT = Signer("agent")
MONO, DELEGATED = {10: {3: 1}}, {10: {4: 1}}
FIRST_MS = START_MS + 1000
MARKED = {8: 1}


def grant(
    forge: Forge,
    key: Signer,
    role: int = 3,
    until: int | None = None,
    replaces: bytes | None = None,
    mark: bool = False,
    by: Sequence[Signer] = (ALICE,),
) -> Forge:
    ext = [9, role, key.spki, until, replaces, mark, None]
    return forge.submit(by, [forge.request(kind=24, ext=ext)])


def close(forge: Forge, *signers: Signer) -> Forge:
    return forge.submit(signers, [forge.request(kind=25, ext=[10])])


def alone(features: dict) -> Forge:
    return Forge([ALICE], params=features).genesis()


@right
def people_come_change_and_go() -> Forge:
    forge = grant(founded(), CAROL, until=FIRST_MS).submit([CAROL]).seal()
    grant(forge, CAROL, role=2).submit([CAROL])
    grant(forge, AGENT, mark=True).submit([AGENT], leaf=MARKED).seal()
    forge.submit([AGENT, ALICE], leaf=MARKED)
    grant(forge, DAN, role=1, replaces=BOB.kid).seal()
    return close(forge, ALICE, DAN, CAROL).seal()


@right
def a_mono_ledger_whose_owner_changes() -> Forge:
    forge = grant(alone(MONO), CAROL, role=2)
    return grant(forge, DAN, role=1, replaces=ALICE.kid).submit([DAN, CAROL]).seal()


@right
def a_delegated_ledger() -> Forge:
    forge = grant(alone(DELEGATED), AGENT, mark=True)
    return forge.submit([AGENT], leaf=MARKED).add(ALICE, BOB, 1).seal()


@right
def a_permanent_ledger() -> Forge:
    return Forge([ALICE], params={10: {5: 1}}).genesis().submit([ALICE]).seal()


@right
def a_closing_without_an_owner_who_has_expired() -> Forge:
    forge = grant(founded(), BOB, role=1, until=FIRST_MS - 1).seal()
    return close(forge, ALICE).seal()


@right
def a_key_at_its_last_moment() -> Forge:
    return grant(founded(), CAROL, until=FIRST_MS + 1000).seal().submit([CAROL]).seal()


@wrong(4, "EXPIRED_SIGNER")
def a_key_behind_its_last_moment() -> Forge:
    return grant(founded(), CAROL, until=FIRST_MS + 999).seal().submit([CAROL]).seal()


@wrong(3, "ROLE_NOT_ALLOWED")
def a_grant_without_an_owner() -> Forge:
    return grant(grant(founded(), CAROL), DAN, by=[CAROL]).seal()


@wrong(4, "ROLE_NOT_ALLOWED")
def one_whose_role_a_grant_took() -> Forge:
    return grant(grant(founded(), CAROL), CAROL, role=4).submit([CAROL]).seal()


@wrong(3, "GRANT_INVALID")
def a_grant_to_one_who_was_revoked() -> Forge:
    return grant(founded().revoke(ALICE, BOB.kid), BOB).seal()


@wrong(2, "GRANT_INVALID")
def a_grant_to_the_receipt_key() -> Forge:
    return grant(founded(), Signer("receipt")).seal()


@wrong(2, "GRANT_INVALID")
def a_grant_to_a_key_of_small_order() -> Forge:
    forge = founded()
    ext = [9, 3, ALICE.spki[:12] + b"\1" + bytes(31), None, None, False, None]
    return forge.submit([ALICE], [forge.request(kind=24, ext=ext)]).seal()


@wrong(2, "GRANT_INVALID")
def a_grant_in_place_of_a_stranger() -> Forge:
    return grant(founded(), CAROL, replaces=DAN.kid).seal()


@wrong(4, "GRANT_INVALID")
def a_grant_in_place_of_one_who_has_expired() -> Forge:
    forge = grant(founded(), CAROL, until=FIRST_MS - 1).seal()
    return grant(forge, DAN, replaces=CAROL.kid).seal()


@wrong(3, "REVOKED_SIGNER")
def one_who_was_replaced() -> Forge:
    return grant(founded(), DAN, role=1, replaces=BOB.kid).submit([BOB]).seal()


@wrong(3, "LAST_OWNER")
def a_grant_that_leaves_owners_who_expire() -> Forge:
    forge = grant(founded(), BOB, role=1, until=FIRST_MS)
    return grant(forge, ALICE, role=1, until=FIRST_MS).seal()


@wrong(3, "LAST_OWNER")
def a_revocation_that_leaves_an_owner_who_expires() -> Forge:
    return grant(founded(), BOB, role=1, until=FIRST_MS).revoke(ALICE, ALICE.kid).seal()


@wrong(3, "DELEGATION_DROPPED")
def an_agent_without_its_mark() -> Forge:
    return grant(grant(founded(), AGENT, mark=True), AGENT).seal()


@wrong(3, "WRONG_FLAGS")
def an_agents_journal_without_the_mark() -> Forge:
    return grant(founded(), AGENT, mark=True).submit([AGENT]).seal()


@wrong(5, "WRONG_FLAGS")
def an_agents_batch_with_the_mark_at_the_end_alone() -> Forge:
    forge = grant(founded(), AGENT, mark=True).submit([AGENT], leaf=MARKED)
    return forge.submit([ALICE], batch(forge, 2), leaf=MARKED).seal()


@wrong(2, "OWNERS_MISSING")
def a_closing_by_one_owner_of_two() -> Forge:
    return close(founded(), ALICE).seal()


@wrong(3, "LEDGER_CLOSED")
def a_journal_behind_the_closing() -> Forge:
    return close(founded(), ALICE, BOB).submit([ALICE]).seal()


@wrong(3, "LEDGER_CLOSED")
def a_grant_behind_the_closing() -> Forge:
    return grant(close(founded(), ALICE, BOB), CAROL).seal()


@wrong(0, "GENESIS_INVALID")
def a_mono_ledger_of_two() -> Forge:
    return founded(params=MONO)


@wrong(2, "STYLE_BROKEN")
def a_second_owner_of_a_mono_ledger() -> Forge:
    return grant(alone(MONO), DAN, role=1).seal()


@wrong(2, "STYLE_BROKEN")
def a_normal_member_of_a_mono_ledger() -> Forge:
    return alone(MONO).add(ALICE, DAN).seal()


@wrong(2, "STYLE_BROKEN")
def a_member_without_the_mark_in_a_delegated_ledger() -> Forge:
    return grant(alone(DELEGATED), DAN).seal()


@wrong(2, "STYLE_BROKEN")
def a_member_added_in_a_delegated_ledger() -> Forge:
    return alone(DELEGATED).add(ALICE, DAN).seal()


@wrong(2, "MALFORMED_LEAF")
def a_key_that_replaces_itself() -> Forge:
    return grant(founded(), CAROL, replaces=CAROL.kid).seal()
