"""Logs about clues: parameters, deletions, what headers and bodies say of clues, clue roots."""

from forge import EMPTY_CLUE_ROOT, Forge, Request
from forge_bytes import sha
from forge_clues import clue_root
from rules import ALICE, BOB, CAROL, DAY_MS, founded, right, wrong


def with_clues() -> Forge:
    """Founded with the clue trie; the next jsn is 2."""
    return founded(params={10: {1: 1}})


def named(forge: Forge, *clues: str, kind: int = 1, **options) -> Request:
    """A request that names these clues."""
    return forge.request(kind=kind, clues=clues, **options)


def told() -> Forge:
    """Clues come, meet in one journal, are deleted and used again, in several blocks; 15 leaves."""
    forge = with_clues().submit([ALICE])
    forge.submit([ALICE], [named(forge, "a", "b", "c")]).seal()
    forge.submit([BOB], [named(forge, "b", str(i)) for i in range(3)]).seal()
    forge.submit([ALICE], [named(forge, "b", kind=2)]).submit([ALICE]).seal()
    forge.submit([BOB], [named(forge, "b")])
    return forge.submit([BOB], [named(forge, "c", kind=2)]).seal()


@right
def clues_that_come_and_go() -> Forge:
    return told()


@right
def clues_turned_on_later() -> Forge:
    forge = founded().parameters(ALICE, 3).seal().submit([ALICE]).seal()
    return forge.submit([ALICE], [named(forge, "a")]).seal()


@right
def clues_turned_on_by_a_regulator_and_an_owner() -> Forge:
    forge = founded().add(ALICE, CAROL, 2)
    return forge.submit([ALICE, CAROL], [forge.request(kind=18, ext=[3, 2, {1: 1}])]).seal()


@right
def parameters_with_a_long_window() -> Forge:
    forge = founded()
    late = {6: forge.time_ms + 30 * DAY_MS}
    return forge.submit([ALICE], [forge.request(kind=18, ext=[3, 9, {1: 1}], header=late)]).seal()


@right
def a_clue_that_was_never_used_deleted() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "a", kind=2)]).seal()


@right
def deletions_in_a_batch() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "a", kind=kind) for kind in (1, 2, 2, 1, 2)]).seal()


@right
def many_clues() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, *(f"clue {i}" for i in range(64)))]).seal()


# Whether clues are on


@wrong(2, "FEATURE_NOT_ENABLED")
def clues_in_a_ledger_without() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [named(forge, "a")]).seal()


@wrong(2, "FEATURE_NOT_ENABLED")
def a_deletion_in_a_ledger_without() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [named(forge, "a", kind=2)]).seal()


@wrong(4, "FEATURE_NOT_ENABLED")
def clues_a_block_too_early() -> Forge:
    forge = founded().parameters(ALICE, 3).seal()
    return forge.submit([ALICE], [named(forge, "a")]).seal()


@wrong(3, "FEATURE_NOT_ENABLED")
def clues_in_the_middle_of_a_badly_signed_batch() -> Forge:
    forge = founded()
    requests = [forge.request(), named(forge, "a"), forge.request()]
    attestation = forge.attest([ALICE], requests)
    twin = attestation[:-1] + bytes([attestation[-1] ^ 1])
    return forge.submit([ALICE], requests, twin).seal()


@wrong(2, "BAD_SIGNATURE")
def clues_at_the_end_of_a_badly_signed_batch() -> Forge:
    forge = founded()
    requests = [forge.request(), forge.request(), named(forge, "a")]
    attestation = forge.attest([ALICE], requests)
    twin = attestation[:-1] + bytes([attestation[-1] ^ 1])
    return forge.submit([ALICE], requests, twin).seal()


@wrong(2, "BAD_SIGNATURE")
def a_badly_signed_clue_in_a_ledger_without() -> Forge:
    forge = founded()
    attestation = forge.attest([ALICE], [forge.request(b"other")])
    return forge.submit([ALICE], [named(forge, "a")], attestation).seal()


# Parameters


@wrong(2, "PARAMETERS_INVALID")
def clues_turned_on_in_a_ledger_that_has_them() -> Forge:
    return with_clues().parameters(ALICE, 9).seal()


@wrong(3, "PARAMETERS_INVALID")
def clues_turned_on_twice() -> Forge:
    return founded().parameters(ALICE, 9).parameters(BOB, 8).seal()


@wrong(2, "PARAMETERS_INVALID")
def clues_turned_on_in_its_own_block() -> Forge:
    return founded().parameters(ALICE, 1).seal()


@wrong(2, "PARAMETERS_INVALID")
def the_state_forest_turned_on() -> Forge:
    return founded().parameters(ALICE, 9, feature=2).seal()


@wrong(2, "PARAMETERS_INVALID")
def both_features_turned_on() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(kind=18, ext=[3, 9, {1: 1, 2: 1}])]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_feature_that_is_none_turned_on() -> Forge:
    return founded().parameters(ALICE, 9, feature=3).seal()


@wrong(2, "MALFORMED_LEAF")
def a_feature_of_another_version_turned_on() -> Forge:
    forge = founded()
    return forge.submit([ALICE], [forge.request(kind=18, ext=[3, 9, {1: 2}])]).seal()


@wrong(2, "MALFORMED_LEAF")
def clues_turned_on_from_block_0() -> Forge:
    return founded().parameters(ALICE, 0).seal()


@wrong(3, "ROLE_NOT_ALLOWED")
def clues_turned_on_without_an_owner() -> Forge:
    return founded().add(ALICE, CAROL).parameters(CAROL, 9).seal()


@wrong(2, "WRONG_BATCH")
def parameters_in_a_batch() -> Forge:
    forge = founded()
    requests = [forge.request(kind=18, ext=[3, height, {1: 1}]) for height in (8, 9)]
    return forge.submit([ALICE], requests).seal()


@wrong(2, "MALFORMED_LEAF")
def parameters_with_a_clue() -> Forge:
    forge = with_clues()
    header = {9: [forge.clue_id("a")]}
    return forge.submit([ALICE], [forge.request(kind=18, ext=[3, 9, {1: 1}], header=header)]).seal()


# Headers and bodies


@wrong(2, "MALFORMED_LEAF")
def a_deletion_of_two_clues() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "a", "b", kind=2)]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_deletion_of_no_clue() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [forge.request(kind=2)]).seal()


@wrong(2, "MALFORMED_LEAF")
def one_clue_twice() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "a", "a")]).seal()


@wrong(2, "MALFORMED_LEAF")
def clue_ids_that_descend() -> Forge:
    forge = with_clues()
    clue_ids = sorted(map(forge.clue_id, "ab"), reverse=True)
    return forge.submit([ALICE], [named(forge, "a", "b", header={9: clue_ids})]).seal()


@wrong(2, "MALFORMED_LEAF")
def a_clue_too_many() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, *map(str, range(65)))]).seal()


@wrong(2, "BODY_MISMATCH")
def clues_in_another_order_than_their_ids() -> Forge:
    forge = with_clues()
    clues = sorted("ab", key=forge.clue_id, reverse=True)
    return forge.submit([ALICE], [named(forge, "a", "b", body={2: clues})]).seal()


@wrong(2, "BODY_MISMATCH")
def a_clue_id_without_its_text() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "a", body={2: []})]).seal()


@wrong(2, "BODY_MISMATCH")
def the_id_of_another_clue() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "a", header={9: [forge.clue_id("b")]})]).seal()


@wrong(2, "BODY_MISMATCH")
def the_id_of_the_clue_in_another_ledger() -> Forge:
    forge = with_clues()
    clue_id = sha(b"tallystick/clue/1\0", bytes(32), b"a")
    return forge.submit([ALICE], [named(forge, "a", header={9: [clue_id]})]).seal()


@wrong(2, "BODY_MISMATCH")
def an_empty_clue() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "")]).seal()


@wrong(2, "BODY_MISMATCH")
def a_clue_too_long() -> Forge:
    forge = with_clues()
    return forge.submit([ALICE], [named(forge, "\u00e9" * 129)]).seal()


# Clue roots: each is sealed and signed by the service, and goes on with the trie it says


def _sealed(forge: Forge, change) -> Forge:
    """A seal over other values of the clues."""
    values = forge.clue_values()
    change(values)
    return forge.seal({7: clue_root(values)})


def _about_a(kind: int = 1) -> tuple[Forge, bytes]:
    forge = told()
    forge.submit([ALICE], [named(forge, "a", kind=kind)])
    return forge, forge.clue_id("a")


@wrong(16, "WRONG_FEATURE_ROOT")
def a_journal_withheld_from_the_trie() -> Forge:
    forge, clue_id = _about_a()
    forge.clues[clue_id].pop()
    return forge.seal()


@wrong(16, "WRONG_FEATURE_ROOT")
def a_journal_counted_that_is_none() -> Forge:
    forge, clue_id = _about_a()
    forge.clues[clue_id].append((2, 1))
    return forge.seal()


@wrong(17, "WRONG_FEATURE_ROOT")
def two_journals_swapped_in_the_trie() -> Forge:
    forge, clue_id = _about_a()
    forge.submit([ALICE], [named(forge, "a")])
    last = forge.clues[clue_id]
    last[-1], last[-2] = last[-2], last[-1]
    return forge.seal()


@wrong(16, "WRONG_FEATURE_ROOT")
def a_journal_replaced_in_the_trie() -> Forge:
    forge, clue_id = _about_a()
    forge.clues[clue_id][-1] = (2, 1)
    return forge.seal()


@wrong(16, "WRONG_FEATURE_ROOT")
def a_clue_removed_from_the_trie() -> Forge:
    forge, clue_id = _about_a()
    return _sealed(forge, lambda values: values.pop(clue_id))


@wrong(16, "WRONG_FEATURE_ROOT")
def a_clue_in_the_trie_that_none_named() -> Forge:
    forge, clue_id = _about_a()
    return _sealed(forge, lambda values: values.update({sha(b"none"): values[clue_id]}))


@wrong(16, "WRONG_FEATURE_ROOT")
def another_count() -> Forge:
    forge, clue_id = _about_a()
    return _sealed(forge, lambda values: values.update({clue_id: (9, *values[clue_id][1:])}))


@wrong(16, "WRONG_FEATURE_ROOT")
def a_deletion_not_told() -> Forge:
    forge, clue_id = _about_a(kind=2)
    return _sealed(forge, lambda values: values.update({clue_id: (*values[clue_id][:2], 0)}))


@wrong(16, "WRONG_FEATURE_ROOT")
def a_deletion_that_was_none() -> Forge:
    forge, clue_id = _about_a()
    return _sealed(forge, lambda values: values.update({clue_id: (*values[clue_id][:2], 15)}))


@wrong(16, "WRONG_FEATURE_ROOT")
def the_clue_root_of_the_block_before() -> Forge:
    forge = told()
    old = clue_root(forge.clue_values())
    return forge.submit([ALICE], [named(forge, "a")]).seal({7: old})


@wrong(3, "WRONG_FEATURE_ROOT")
def the_empty_clue_root_although_a_clue_was_named() -> Forge:
    forge = with_clues()
    forge.submit([ALICE], [named(forge, "a")]).seal({7: EMPTY_CLUE_ROOT})
    return forge.submit([ALICE]).seal()


@wrong(3, "WRONG_FEATURE_ROOT")
def the_first_of_two_blocks_that_differ() -> Forge:
    forge = with_clues().submit([ALICE]).seal({7: sha(b"other")})
    return forge.submit([ALICE], [named(forge, "a")]).seal({7: sha(b"another")})
