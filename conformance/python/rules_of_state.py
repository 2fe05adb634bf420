"""Logs with a state: operations and values, preconditions, and the state roots of seals."""

import random
from collections.abc import Callable

from forge import EMPTY_STATE_ROOT, START_MS, Forge, Op, Request
from forge_bytes import cbor, sha
from forge_state import Entries
from rules import ALICE, BOB, CAROL, founded, right, wrong

SEED = 20261125
SHAPE = [16, 1, 4, 4, 1]
IF_ABSENT = [1]


def with_state(shape: list[int] = SHAPE) -> Forge:
    """Founded with clue trie and state; the next jsn is 2."""
    return founded(params={10: {1: 1, 2: 1}, 11: shape})


def put(key: str, value: str = "value", condition: list | None = None) -> Op:
    return key.encode(), value.encode(), condition


def delete(key: str, condition: list | None = None) -> Op:
    return key.encode(), None, condition


def writing(forge: Forge, *ops: Op, **options) -> Request:
    """A request with these operations."""
    return forge.request(ops=ops, **options)


def kept() -> Forge:
    """Keys are written, changed and deleted, alone and in a batch, in several blocks; 13 leaves."""
    forge = with_state().submit([ALICE])
    forge.submit([ALICE], [writing(forge, put("a", "1"), put("b"), delete("none"))]).seal()
    requests = [writing(forge, put(str(i), "x" * i)) for i in range(3)]
    forge.submit([BOB], requests).submit([ALICE], [writing(forge, delete("b"))]).seal()
    forge.submit([ALICE], [writing(forge, put("a", "2"), payload=b"", clues=["c"])])
    return forge.submit([ALICE, BOB], [writing(forge, put("c"))]).seal()


def history(seed: int, blocks: int, keys: int, shape: list[int] = SHAPE) -> Forge:
    """Random writes to so many keys, most with preconditions that hold."""
    return lived(with_state(shape), random.Random(seed), blocks, keys)


def lived(forge: Forge, chance: random.Random, blocks: int, keys: int) -> Forge:
    """So many blocks more of such writes."""
    for _ in range(blocks):
        for _ in range(chance.randrange(3)):
            chosen = chance.sample(range(keys), chance.randrange(1, 6))
            names = [f"{key * 7919 % keys:03}" for key in chosen]
            conditions = (_holding(forge, name, chance) for name in names)
            ops = [
                put(name, str(chance.random()), condition)
                if chance.randrange(4)
                else delete(name, condition)
                for name, condition in zip(names, conditions, strict=True)
            ]
            forge.submit([ALICE], [writing(forge, *ops)])
        forge.submit([ALICE]).seal()
    return forge


def _holding(forge: Forge, name: str, chance: random.Random) -> list | None:
    """A precondition that holds of the key now."""
    assert forge.state
    key = name.encode()
    present, commit, _, jsn = forge.written.get(key) or forge.state.held(key) or [False, None, 0, 0]
    return chance.choice([None, [2, jsn], [3, commit]] if present else [None, IF_ABSENT])


@right
def a_state_that_is_kept() -> Forge:
    return kept()


@right
def a_state_that_nobody_writes() -> Forge:
    return with_state().submit([ALICE]).seal().submit([BOB]).seal()


@right
def a_state_without_clues() -> Forge:
    forge = founded(params={10: {2: 1}, 11: [2**21, 1, 40, 32, 1]})
    return forge.submit([ALICE], [writing(forge, *(put(f"key {i}") for i in range(100)))]).seal()


@right
def a_state_of_genesis_alone() -> Forge:
    return with_state()


@right
def partitions_that_are_closed_and_folded() -> Forge:
    forge = history(SEED, 200, 200)
    assert forge.state and forge.state.passes > 1, "the history is to fold more than once"
    return forge


@right
def a_state_of_few_keys_written_again_and_again() -> Forge:
    return history(SEED + 1, 40, 12, [4, 1, 4, 4, 1])


@right
def a_tree_of_many_levels() -> Forge:
    return history(SEED + 2, 40, 400, [2**40, 1, 4, 4, 1])


@right
def conditions_that_an_earlier_member_of_the_batch_makes_hold() -> Forge:
    forge = with_state()
    first = writing(forge, put("a", "1"))
    commit = first.ops[0][3]
    requests = [first, writing(forge, put("a", "2", [3, commit]))]
    requests += [writing(forge, delete("a", [2, 3])), writing(forge, put("a", "3", IF_ABSENT))]
    return forge.submit([ALICE], requests).seal()


@right
def a_key_that_was_deleted_taken_as_absent() -> Forge:
    forge = kept()
    return forge.submit([ALICE], [writing(forge, put("b", "again", IF_ABSENT))]).seal()


@right
def a_deletion_of_what_is_not_there() -> Forge:
    forge = with_state()
    return forge.submit([ALICE], [writing(forge, delete("a", IF_ABSENT))]).seal()


@right
def an_empty_value_and_long_keys() -> Forge:
    forge = with_state()
    ops = [put("a", ""), put("x" * 256), (b"\0", b"\0" * 1000, None), (b"\xff" * 256, b"", None)]
    return forge.submit([ALICE], [writing(forge, *ops)]).seal()


@right
def as_many_operations_as_there_may_be() -> Forge:
    forge = with_state([2**21, 1, 40, 32, 1])
    return forge.submit([ALICE], [writing(forge, *(put(str(i), "") for i in range(10000)))]).seal()


# The operations beside a leaf


def _beside(jsn: int, ops: Callable[[bytes], bytes]) -> Forge:
    """The log of `kept`, with other operations beside a leaf; its first are at 3."""
    forge = kept()
    forge.entries[jsn][5] = ops(forge.entries[jsn][5])
    return forge


@wrong(3, "OPERATIONS_MISSING")
def no_operations() -> Forge:
    return _beside(3, lambda ops: b"")


@wrong(3, "OPERATIONS_MISMATCH")
def another_key() -> Forge:
    return _beside(3, lambda ops: ops.replace(b"\x41b", b"\x41d"))


@wrong(3, "OPERATIONS_MISMATCH")
def an_operation_left_out() -> Forge:
    last = cbor([7, 2, b"none", None, 0, None])
    return _beside(3, lambda ops: b"\x82" + ops[1 : -len(last)])


@wrong(3, "OPERATIONS_MISMATCH")
def operations_in_another_order() -> Forge:
    forge = with_state()
    request = writing(forge, delete("a"), delete("b"))
    forge.submit([ALICE]).submit([ALICE], [request]).seal()
    forge.entries[3][5] = cbor(list(request.ops)[::-1])
    return forge


@wrong(3, "OPERATIONS_MISMATCH")
def a_precondition_taken_away() -> Forge:
    forge = with_state().submit([ALICE])
    forge.submit([ALICE], [writing(forge, delete("a", IF_ABSENT))]).seal()
    forge.entries[3][5] = forge.entries[3][5].replace(b"\x81\x01", b"\xf6")
    return forge


@wrong(3, "OPERATIONS_MISMATCH")
def bytes_behind_the_operations() -> Forge:
    return _beside(3, lambda ops: ops + b"\0")


@wrong(3, "OPERATIONS_MISMATCH")
def operations_in_another_encoding() -> Forge:
    return _beside(3, lambda ops: b"\x98\x03" + ops[1:])


@wrong(2, "OPERATIONS_MISMATCH")
def operations_of_a_journal_without() -> Forge:
    return _beside(2, lambda ops: cbor([[7, 2, b"a", None, 0, None]]))


@wrong(2, "OPERATIONS_MISMATCH")
def an_array_of_no_operations() -> Forge:
    return _beside(2, lambda ops: b"\x80")


@wrong(4, "OPERATIONS_MISMATCH")
def operations_of_a_seal() -> Forge:
    return _beside(4, lambda ops: cbor([[7, 2, b"a", None, 0, None]]))


@wrong(0, "OPERATIONS_MISMATCH")
def operations_of_genesis() -> Forge:
    return _beside(0, lambda ops: cbor([[7, 2, b"a", None, 0, None]]))


def _signed(*ops: Op, op: dict | None = None, **options) -> Forge:
    """A journal at 2 with operations that its header has, whatever they are."""
    forge = with_state()
    return forge.submit([ALICE], [writing(forge, *ops, op=op, **options)]).seal()


@wrong(2, "OPERATIONS_MISMATCH")
def one_key_twice() -> Forge:
    return _signed(put("a"), put("b"), delete("a"))


@wrong(2, "OPERATIONS_MISMATCH")
def an_empty_key() -> Forge:
    return _signed(delete(""))


@wrong(2, "OPERATIONS_MISMATCH")
def a_key_too_long() -> Forge:
    return _signed(delete("x" * 257))


@wrong(2, "OPERATIONS_MISMATCH")
def an_action_that_is_none() -> Forge:
    return _signed(delete("a"), op={1: 3})


@wrong(2, "OPERATIONS_MISMATCH")
def an_operation_of_another_type() -> Forge:
    return _signed(delete("a"), op={0: 8})


@wrong(2, "OPERATIONS_MISMATCH")
def a_deletion_with_a_commitment() -> Forge:
    return _signed(delete("a"), op={3: sha(b"value")})


@wrong(2, "OPERATIONS_MISMATCH")
def a_put_without_a_commitment() -> Forge:
    return _signed(put("a"), op={3: None})


@wrong(2, "OPERATIONS_MISMATCH")
def a_precondition_that_is_none() -> Forge:
    return _signed(delete("a", [4, 1]))


@wrong(2, "OPERATIONS_MISMATCH")
def another_root_of_operations() -> Forge:
    return _signed(delete("a"), header={10: sha(b"other")})


@wrong(2, "OPERATIONS_MISMATCH")
def another_count_of_operations() -> Forge:
    return _signed(delete("a"), header={11: 2})


@wrong(2, "MALFORMED_LEAF")
def a_count_without_a_root_of_operations() -> Forge:
    return _signed(delete("a"), header={10: None})


@wrong(2, "MALFORMED_LEAF")
def an_operation_too_many() -> Forge:
    return _signed(*(delete(str(i)) for i in range(10001)))


@wrong(2, "MALFORMED_LEAF")
def a_deletion_of_a_clue_with_operations() -> Forge:
    return _signed(delete("a"), kind=2, clues=["c"])


@wrong(2, "MALFORMED_LEAF")
def a_change_of_members_with_operations() -> Forge:
    return _signed(delete("a"), kind=16, ext=[1, 3, CAROL.spki])


@wrong(2, "REQUEST_TOO_LARGE")
def operations_that_make_a_request_too_large() -> Forge:
    return _signed(*(delete(f"{i:0256}") for i in range(250)), payload=bytes(1024 * 1024))


# Values


@wrong(2, "VALUE_MISMATCH")
def another_value() -> Forge:
    return _signed(put("a", "green"), body={3: [b"black"]})


@wrong(2, "VALUE_MISMATCH")
def a_longer_value() -> Forge:
    return _signed(put("a", "green"), body={3: [b"greens"]})


@wrong(2, "VALUE_MISMATCH")
def another_value_size() -> Forge:
    return _signed(put("a", "green"), op={4: 6})


@wrong(2, "VALUE_MISMATCH")
def two_values_swapped() -> Forge:
    return _signed(put("a", "1"), put("b", "2"), body={3: [b"2", b"1"]})


@wrong(2, "VALUE_MISMATCH")
def a_value_committed_to_as_that_of_another_operation() -> Forge:
    forge = with_state()
    salt = sha(b"shifted")
    first = writing(forge, put("b"), salt=salt).ops[0]
    ops = [delete("a"), put("b")]
    return forge.submit([ALICE], [writing(forge, *ops, salt=salt, op={3: first[3]})]).seal()


@wrong(2, "BODY_MISMATCH")
def no_value_of_a_put() -> Forge:
    return _signed(put("a"), body={3: []})


@wrong(2, "BODY_MISMATCH")
def a_value_of_a_deletion() -> Forge:
    return _signed(delete("a"), body={3: [b"value"]})


@wrong(2, "VALUE_MISMATCH")
def another_value_under_a_salt_of_zeros() -> Forge:
    return _signed(put("a", "green"), body={3: [b"black"]}, salt=bytes(32))


# Preconditions


def _ignored(*ops: Op) -> Forge:
    """The log of `kept` (a is written at 10, b deleted at 8), and operations at 13."""
    forge = kept()
    return forge.submit([ALICE], [writing(forge, *ops)]).seal()


@wrong(13, "PRECONDITION_IGNORED")
def a_key_that_is_not_absent() -> Forge:
    return _ignored(put("new"), put("a", "3", IF_ABSENT))


@wrong(13, "PRECONDITION_IGNORED")
def a_version_that_was_replaced() -> Forge:
    return _ignored(put("a", "3", [2, 3]))


@wrong(13, "PRECONDITION_IGNORED")
def the_version_of_a_deletion() -> Forge:
    return _ignored(put("b", "3", [2, 8]))


@wrong(13, "PRECONDITION_IGNORED")
def a_version_of_a_key_never_written() -> Forge:
    return _ignored(put("new", "3", [2, 0]))


@wrong(13, "PRECONDITION_IGNORED")
def a_value_that_was_replaced() -> Forge:
    forge = kept()
    old = writing(forge, put("a", "1")).ops[0][3]
    return forge.submit([ALICE], [writing(forge, delete("a", [3, old]))]).seal()


@wrong(14, "PRECONDITION_IGNORED")
def a_key_that_the_same_block_wrote() -> Forge:
    forge = kept()
    forge.submit([ALICE], [writing(forge, put("new"))])
    return forge.submit([BOB], [writing(forge, put("new", "2", IF_ABSENT))]).seal()


@wrong(14, "PRECONDITION_IGNORED")
def a_precondition_in_the_middle_of_a_badly_signed_batch() -> Forge:
    forge = kept()
    condition = put("a", "3", IF_ABSENT)
    requests = [forge.request(), writing(forge, condition), forge.request()]
    attestation = forge.attest([ALICE], requests)
    twin = attestation[:-1] + bytes([attestation[-1] ^ 1])
    return forge.submit([ALICE], requests, twin).seal()


@wrong(13, "BAD_SIGNATURE")
def a_precondition_at_the_end_of_a_badly_signed_batch() -> Forge:
    forge = kept()
    requests = [forge.request(), writing(forge, put("a", "3", IF_ABSENT))]
    attestation = forge.attest([ALICE], requests)
    twin = attestation[:-1] + bytes([attestation[-1] ^ 1])
    return forge.submit([ALICE], requests, twin).seal()


@wrong(2, "FEATURE_NOT_ENABLED")
def clues_that_are_off_beside_a_precondition_that_does_not_hold() -> Forge:
    forge = founded(params={10: {2: 1}, 11: SHAPE})
    return forge.submit([ALICE], [writing(forge, put("a", "1", [2, 0]), clues=["c"])]).seal()


# State roots: each is sealed and signed by the service, and goes on with the forest it says


def _sealed(change: Callable[[Forge], None]) -> Forge:
    """The log of `kept`, and a block of one put at 13, sealed at 14 over other writes."""
    forge = kept()
    forge.submit([ALICE], [writing(forge, put("a", "3"))])
    change(forge)
    return forge.seal()


def _entry(at: int, value: object) -> Callable[[Forge], None]:
    def change(forge: Forge) -> None:
        forge.written[b"a"][at] = value

    return change


@wrong(14, "WRONG_STATE_ROOT")
def a_write_withheld_from_the_state() -> Forge:
    return _sealed(lambda forge: forge.written.clear())


@wrong(14, "WRONG_STATE_ROOT")
def a_write_that_no_journal_has() -> Forge:
    return _sealed(lambda forge: forge.written.update({b"z": [False, None, 0, 13]}))


@wrong(14, "WRONG_STATE_ROOT")
def another_jsn_in_the_state() -> Forge:
    return _sealed(_entry(3, 12))


@wrong(14, "WRONG_STATE_ROOT")
def another_commitment_in_the_state() -> Forge:
    return _sealed(_entry(1, sha(b"other")))


@wrong(14, "WRONG_STATE_ROOT")
def another_size_in_the_state() -> Forge:
    return _sealed(_entry(2, 2))


@wrong(14, "WRONG_STATE_ROOT")
def a_put_kept_as_a_deletion() -> Forge:
    return _sealed(lambda forge: forge.written.update({b"a": [False, None, 0, 13]}))


@wrong(14, "WRONG_STATE_ROOT")
def an_older_key_removed_from_the_state() -> Forge:
    return _sealed(lambda forge: forge.state.partitions[0].entries.pop(b"1"))


@wrong(4, "WRONG_STATE_ROOT")
def the_empty_state_root_although_a_key_was_written() -> Forge:
    forge = with_state().submit([ALICE])
    return forge.submit([ALICE], [writing(forge, put("a"))]).seal({8: EMPTY_STATE_ROOT})


@wrong(14, "WRONG_STATE_ROOT")
def the_state_root_of_the_block_before() -> Forge:
    forge = kept()
    old = forge.state.root()
    return forge.submit([ALICE], [writing(forge, put("a"))]).seal({8: old})


@wrong(3, "WRONG_STATE_ROOT")
def a_state_root_although_nobody_wrote() -> Forge:
    return with_state().submit([ALICE]).seal({8: sha(b"root")})


@wrong(1, "WRONG_STATE_ROOT")
def a_state_root_of_genesis() -> Forge:
    forge = Forge([ALICE, BOB], {10: {2: 1}, 11: SHAPE}).genesis()
    forge.entries.pop()
    forge.time_ms, forge.previous = START_MS, bytes(32)
    forge.height = forge.first_jsn = 0
    return forge.seal({8: sha(b"root")}).submit([ALICE]).seal()


@wrong(14, "WRONG_FEATURE_ROOT")
def a_clue_root_and_a_state_root() -> Forge:
    return kept().submit([ALICE]).seal({7: sha(b"clues"), 8: sha(b"state")})


@wrong(14, "WRONG_STATE_ROOT")
def a_partition_closed_too_early() -> Forge:
    def change(forge: Forge) -> None:
        forge.state.partitions[-1].last = 3

    return _sealed(change)


@wrong(14, "WRONG_STATE_ROOT")
def a_leaf_cut_in_another_place() -> Forge:
    def change(forge: Forge) -> None:
        forge.state.partitions[0].cuts = {b"b": 1}

    return _sealed(change)


# After so many blocks of `history` the fold carries entries over; the jsn of the next seal.
FOLDED_BLOCKS, FOLDED_SEAL = 60, 190


def _folded(change: Callable[[Entries], Entries]) -> Forge:
    """A history, and a block whose fold carries other entries over."""
    forge = history(SEED, FOLDED_BLOCKS, 200)
    assert forge.state
    fold, looked = forge.state.fold, []

    def forged(looks: int) -> Entries:
        looked.append(fold(looks))
        return change(looked[0])

    forge.state.fold = forged
    forge.submit([ALICE], [writing(forge, *(put(f"new {i}") for i in range(8)))])
    assert forge.jsn == FOLDED_SEAL, forge.jsn
    forge.seal()
    assert looked[0], "the fold is to carry entries over"
    return forge


@wrong(FOLDED_SEAL, "WRONG_STATE_ROOT")
def entries_that_the_fold_lost() -> Forge:
    return _folded(lambda over: {})


@wrong(FOLDED_SEAL, "WRONG_STATE_ROOT")
def an_entry_that_the_fold_gave_a_new_jsn() -> Forge:
    return _folded(lambda over: {key: [*entry[:3], FOLDED_SEAL - 1] for key, entry in over.items()})


@wrong(FOLDED_SEAL, "WRONG_STATE_ROOT")
def an_entry_that_the_fold_need_not_carry() -> Forge:
    return _folded(lambda over: over | {b"000x": [True, sha(b"value"), 5, 2]})


# The file, and genesis


@wrong(0, "LOG_MALFORMED")
def a_log_with_a_state_in_version_1() -> bytes:
    return with_state().log(version=1)


@wrong(0, "LOG_MALFORMED")
def a_log_without_a_state_in_version_2() -> bytes:
    return founded().log(version=2)


@wrong(0, "LOG_MALFORMED")
def version_5() -> bytes:
    return with_state().log(version=5)


@wrong(0, "GENESIS_INVALID")
def the_state_forest_without_its_params() -> Forge:
    return founded(params={10: {2: 1}})


@wrong(0, "GENESIS_INVALID")
def params_without_the_state_forest() -> bytes:
    return founded(params={11: SHAPE}).log(version=1)


@wrong(0, "GENESIS_INVALID")
def a_capacity_below_that_of_a_leaf() -> bytes:
    return founded(params={10: {2: 1}, 11: [4, 1, 5, 4, 1]}).log(version=1)


@wrong(0, "GENESIS_INVALID")
def a_rule_of_another_version() -> bytes:
    return founded(params={10: {2: 1}, 11: [16, 1, 4, 4, 2]}).log(version=1)
