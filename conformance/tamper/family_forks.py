"""Two histories, and histories made anew.

Whatever was withdrawn or changed is sealed and signed anew, so that the log alone is right. Only
somebody who has a head of the first history sees it. Owners who collude sign what they are asked.
"""

from collections.abc import Callable

from attacks import Assumption, By, Family, Log
from forge import RECEIPT, Forge, Signer
from forge_bytes import cbor, root
from rules import ALICE, CAROL

FAMILY = Family("Forks and rollbacks")
ERIN = Signer("erin")


def founded() -> Forge:
    """Genesis by owners whose signatures are the same each time, so that histories begin alike."""
    return Forge([ALICE, CAROL]).genesis()


def history(*payloads: bytes) -> Forge:
    """A block for each payload."""
    forge = founded()
    for payload in payloads:
        forge.submit([ALICE], [forge.request(payload)]).seal()
    return forge


def statement(forge: Forge) -> bytes:
    """The newest head in the words of a receipt: docs/formats/trust.md."""
    profile = {
        15: {1: "localhost", 2: forge.origin()},
        16: RECEIPT,
        395: 1,
        -70001: [1, forge.ledger_id, 0, forge.jsn],
    }
    return cbor(forge.receipt.sign1(profile, root(forge.leaf_hashes())))


def before_and_now(before: Forge, now: Forge) -> Log:
    """An auditor saw one history, and is shown another."""
    return Log(now.log(), now.ledger_id, now.params, before.checkpoint())


def theirs_and_ours(theirs: bytes, ours: Forge) -> Log:
    """Somebody else has a head, and the auditor is shown a log."""
    return Log(ours.log(), ours.ledger_id, others=(theirs,))


@FAMILY.honest
def a_log_that_grew() -> Log:
    return before_and_now(history(b"one"), history(b"one", b"two"))


@FAMILY.honest
def heads_of_others_in_both_forms() -> Log:
    log = history(b"one", b"two", b"three")
    earlier = history(b"one", b"two")
    return Log(log.log(), log.ledger_id, others=(earlier.checkpoint(), statement(earlier)))


@FAMILY.honest
def a_larger_head_of_somebody_else() -> Log:
    return theirs_and_ours(history(b"one", b"two").checkpoint(), history(b"one"))


def rewritten(operator: str, jsn: int, kind: str = "TRUSTED_HEAD_CONTRADICTED") -> Callable:
    """An attack that a trusted head shows."""
    return FAMILY.attack(operator, jsn, kind, By.HEAD)


@rewritten("withdraws a journal and makes the log anew without it", 5)
def a_journal_withdrawn() -> Log:
    return before_and_now(history(b"one", b"two"), history(b"one", b"three", b"four"))


@rewritten("goes back to a backup of the log", 3)
def back_to_a_backup() -> Log:
    return before_and_now(history(b"one", b"two"), history(b"one"))


@rewritten("goes back to a backup and goes on differently", 5)
def back_and_on_differently() -> Log:
    return before_and_now(history(b"one", b"two"), history(b"one", b"other"))


@rewritten("changes a payload, which a colluding member signs anew", 3)
def a_payload_changed() -> Log:
    return before_and_now(history(b"one"), history(b"won", b"two"))


@rewritten("makes a member an owner from the beginning, by a colluding owner", 3)
def a_role_changed_backwards() -> Log:
    now = founded().add(ALICE, ERIN, 1).seal().submit([ERIN]).seal()
    return before_and_now(founded().add(ALICE, ERIN).seal(), now)


@rewritten("dates a block anew, within what the requests allow", 3)
def a_block_dated_anew() -> Log:
    now = founded()
    request = now.request(b"one")
    now.time_ms += 20_000
    now.submit([ALICE], [request]).seal()
    return before_and_now(history(b"one"), now)


@rewritten("changes the order of two blocks", 5)
def two_blocks_in_another_order() -> Log:
    return before_and_now(history(b"one", b"two"), history(b"two", b"one"))


@rewritten("makes two blocks of one", 4)
def a_block_split() -> Log:
    before = founded().submit([ALICE]).submit([CAROL]).seal()
    return before_and_now(before, founded().submit([ALICE]).seal().submit([CAROL]).seal())


@rewritten("shows one auditor another history than everybody else", 3, "OTHER_HEAD_CONTRADICTED")
def two_histories() -> Log:
    return theirs_and_ours(history(b"theirs").checkpoint(), history(b"ours"))


@rewritten("gives a receipt for a journal that the log does not have", 5, "OTHER_HEAD_CONTRADICTED")
def a_receipt_of_another_history() -> Log:
    theirs = history(b"one", b"a promise")
    return theirs_and_ours(statement(theirs), history(b"one", b"two", b"three"))


@rewritten("shows a history that left the others' one long ago", 3, "OTHER_HEAD_CONTRADICTED")
def an_old_fork_with_two_witnesses_to_it() -> Log:
    theirs = [history(*texts).checkpoint() for texts in ((b"a",), (b"a", b"b"))]
    ours = history(b"x", b"b", b"c")
    return Log(ours.log(), ours.ledger_id, others=tuple(reversed(theirs)))


@rewritten("lets a head that it did not sign be taken for its own", 3, "HEAD_INVALID")
def a_head_by_another_key() -> Log:
    theirs = history(b"theirs")
    theirs.note = Signer("another note")
    return theirs_and_ours(theirs.checkpoint(), history(b"ours", b"more"))


@FAMILY.attack("signs checkpoint and receipt of one size over two roots", 3, "HEAD_INVALID")
def two_roots_in_one_answer() -> bytes:
    ours, theirs = history(b"ours"), history(b"theirs")
    return ours.log(checkpoint=theirs.checkpoint())


@FAMILY.attack("founds the ledger anew, with itself as an owner", 0, "WRONG_LEDGER")
def a_ledger_founded_anew() -> Log:
    pinned = history(b"one").ledger_id
    anew = Forge([ALICE, Signer("operator")]).genesis()
    log = anew.log()
    return Log(log.replace(anew.ledger_id, pinned, 1), pinned)


@FAMILY.unseen("withdraws a journal before anybody has a head with it", Assumption.KEPT)
def a_journal_withdrawn_at_once() -> Log:
    return Log(history(b"one", b"three").log(), history().ledger_id)


@FAMILY.unseen("shows two auditors two histories, who never compare", Assumption.COMPARED)
def two_histories_and_no_comparison() -> Log:
    return before_and_now(history(b"ours"), history(b"ours", b"for you"))
