"""Purged logs of ledgers with a state: what a log goes on from, and what follows.

Unless a log says otherwise the purge is journal 20, sealed at 21, and a pass of the fold runs
there: it has looked at k00, which was written again, and at k01, which it carried over. The next is
k02.
"""

import functools
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from forge import Forge, Op
from forge_bytes import cbor, sha
from forge_purged import Purged
from forge_removal import purge
from forge_snapshot_state import NONE, Image, as_of, image
from forge_state import Entries, Forest, NodeOf
from rules import ALICE, founded
from rules_of_purged import INVALID, OWNERS, WRONG, begun, behind, right, wrong
from rules_of_removal import watched
from rules_of_state import IF_ABSENT, delete, history, lived, put, writing

SMALL = {10: {1: 1, 2: 1}, 11: [4, 1, 4, 4, 1]}
LARGE = {10: {1: 1, 2: 1}, 11: [2**21, 1, 4, 4, 1]}
SEED = 20261126
KEPT = 20


def write(forge: Forge, *ops: Op) -> Forge:
    """A block of one journal."""
    return forge.submit([ALICE], [writing(forge, *ops)]).seal()


def folding() -> Forge:
    """Eight partitions are closed, the ninth is open, and the fold has looked at two entries."""
    forge = founded(params=SMALL)
    first = (put(f"k{i:02}", str(i)) if i != 3 else delete("k03") for i in range(20))
    write(forge, *first)
    write(forge, put("k00", "new"), *(put(f"n2{i}") for i in range(3)))
    for height in range(3, 9):
        write(forge, *(put(f"n{height}{i}") for i in range(4)))
    write(forge, put("z"))
    assert forge.state and (forge.jsn, forge.state.pass_end, forge.state.position) == (KEPT, 7, 2)
    return forge


@functools.cache
def cut() -> Purged:
    """The log that begins there, not to be changed."""
    return behind(folding(), KEPT)


def goes_on() -> Purged:
    """The same, to be changed and gone on with; the next jsn is 22."""
    return deepcopy(cut())


def of_now(log: Purged) -> Image:
    """What is right of the state there."""
    assert log.forge.state
    return image(as_of(log.forge.state, log.forge.entries[: log.first_kept]))


# Right ones


@right
def a_state_in_the_middle_of_a_fold() -> Purged:
    log = goes_on()
    commit = log.forge.state.held(b"n31")[1]
    ops = put("k02", "2", [2, 2]), delete("n31", [3, commit]), put("k03", "3", IF_ABSENT)
    write(log.forge, *ops)
    write(log.forge, put("n31", "again", IF_ABSENT), delete("k01"), put("k00", "3", [2, 4]))
    for block in range(10):
        write(log.forge, *(put(f"m{block}{i}") for i in range(3)))
    assert log.forge.state.passes == 1, "the pass is to end"
    return log


@right
def a_state_whose_fold_goes_on_and_begins_again() -> Purged:
    forge, chance = history(SEED, 110, 60, SMALL[11]), random.Random(SEED)
    passes = forge.state.passes
    log = behind(forge, forge.jsn)
    assert log.first_kept > 256, "whole bundles of operations are to be gone"
    lived(log.forge, chance, 60, 60)
    assert log.forge.state.passes > passes + 1
    return log


@right
def a_state_in_many_pieces() -> Purged:
    return replace(cut(), piece=100)


@right
def a_state_of_one_open_partition() -> Purged:
    forge = founded(params=LARGE)
    write(forge, *(put(f"{i * 7919 % 200:03}") for i in range(200)))
    log = behind(forge, 4)
    write(log.forge, *(put(f"{i:03}", "new", [2, 2]) for i in range(0, 200, 9)))
    return log


@right
def a_state_as_of_a_block_that_is_not_the_newest() -> Purged:
    forge = folding()
    write(forge, put("k02", "2", [2, 2]), put("z", "2", [2, 18]))
    return behind(forge, 12)


@right
def a_state_that_nobody_wrote_below() -> Purged:
    log = begun(watched(params=SMALL))
    write(log.forge, put("a", "1", IF_ABSENT))
    return log


@right
def a_file_of_a_state_that_nobody_wrote_below() -> Purged:
    return replace(a_state_that_nobody_wrote_below(), state=of_now(cut()).encoded())


@right
def a_state_below_that_nobody_goes_on_with() -> Purged:
    log = goes_on()
    log.forge.submit([ALICE]).seal()
    return log


@right
def a_state_behind_a_second_purge() -> Purged:
    forge = purge(folding(), 8, OWNERS, recall_ms=0).seal()
    log = behind(write(forge, put("k04", "4", [2, 2])), 24)
    write(log.forge, put("k04", "5", [2, 22]))
    return log


@right
def a_second_purge_in_a_purged_log_with_a_state() -> Purged:
    log = goes_on()
    write(log.forge, put("k04", "4", [2, 2]))
    purge(log.forge, 24, OWNERS).seal()
    write(log.forge, put("k04", "5", [2, 22]))
    return log


# What loses nothing, and only the whole log shows


def _waits(change: Callable[[Forest], None]) -> Purged:
    """The operator states another fold that loses nothing, and goes on with that."""
    forge = folding()
    change(forge.state)
    log = behind(forge, KEPT)
    log.state = image(forge.state).encoded()
    for block in range(12):
        write(log.forge, *(put(f"m{block}{i}", "m") for i in range(4)))
    return log


def a_pass_that_is_said_to_end_earlier() -> Purged:
    return _waits(lambda state: state.__setattr__("pass_end", 2))


def a_pass_that_is_said_not_to_run() -> Purged:
    def change(state: Forest) -> None:
        state.pass_end, state.position, state.carried_before = None, 0, 30

    return _waits(change)


# The file


def _changed(reason: str) -> Callable:
    """A log with a file that was changed."""

    def register(change: Callable[[Image], Any]) -> Callable:
        def build() -> Purged:
            here = of_now(cut())
            file = change(here)
            return replace(cut(), state=here.encoded() if file is None else file)

        assert change.__name__ not in WRONG
        WRONG[change.__name__] = (build, 0, INVALID, reason)
        return build

    return register


def _oldest(here: Image) -> NodeOf:
    return here.partitions[0].tree


def _first_leaf(here: Image) -> NodeOf:
    node = _oldest(here)
    while node.level:
        node = node.records[0]
    return node


def _entry(key: bytes, *fields: Any) -> bytes:
    return cbor([4, key, *fields])


@_changed("no file of the state")
def no_state_though_it_was_written_below(here: Image) -> bytes:
    return b""


@_changed("no file of the state")
def a_file_that_is_no_state(here: Image) -> None:
    here.magic = b"TALLYSTA"


@_changed("another version")
def a_state_of_a_newer_version(here: Image) -> None:
    here.version = 2


@_changed("breaks off")
def a_state_that_breaks_off(here: Image) -> bytes:
    return here.encoded()[:-1]


@_changed("and the next is")
def a_state_of_more_partitions_than_there_are(here: Image) -> None:
    here.count = len(here.partitions) + 1


@_changed("behind the last tree")
def bytes_behind_the_state(here: Image) -> bytes:
    return here.encoded() + b"\0"


@_changed("a state of 0 partitions")
def a_state_of_no_partitions(here: Image) -> None:
    here.partitions = []


@_changed("a state of 65536 partitions")
def a_state_of_too_many_partitions(here: Image) -> None:
    here.count = 65536


@_changed("commits to another state")
def the_state_of_the_block_before(here: Image) -> bytes:
    return image(as_of(cut().forge.state, cut().forge.entries[: KEPT - 2])).encoded()


@_changed("commits to another state")
def the_state_of_a_later_block(here: Image) -> bytes:
    return image(write(folding(), put("z", "later")).state).encoded()


@_changed("partition 0 has another tree")
def another_commitment_below(here: Image) -> None:
    _first_leaf(here).records[2] = _entry(b"k02", True, sha(b"other"), 1, 2)


@_changed("partition 0 has another tree")
def another_jsn_below(here: Image) -> None:
    _first_leaf(here).records[3] = _entry(b"k03", False, None, 0, 4)


@_changed("MALFORMED")
def a_tombstone_of_some_size(here: Image) -> None:
    _first_leaf(here).records[3] = _entry(b"k03", False, None, 1, 2)


@_changed("partition 0 has another tree")
def an_entry_below_left_out(here: Image) -> None:
    del _first_leaf(here).records[3]


@_changed("partition 0 has another tree")
def an_entry_below_that_no_journal_wrote(here: Image) -> None:
    _first_leaf(here).records.insert(0, _entry(b"a", True, sha(b"a"), 1, 2))


@_changed("keys do not ascend")
def entries_in_another_order(here: Image) -> None:
    _first_leaf(here).records.reverse()


@_changed("keys do not ascend")
def an_entry_below_twice(here: Image) -> None:
    leaf = _first_leaf(here)
    leaf.records.insert(0, leaf.records[0])


@_changed("outside its slot")
def a_key_outside_its_slot(here: Image) -> None:
    _first_leaf(here).records.append(_entry(b"k99", True, sha(b"k99"), 1, 2))


@_changed("with 0 records")
def a_leaf_of_no_entries(here: Image) -> None:
    _first_leaf(here).records = []


@_changed("with 1025 records")
def a_leaf_of_too_many_entries(here: Image) -> None:
    leaf = _first_leaf(here)
    leaf.records += [_entry(b"k00%04d" % i, True, sha(b""), 0, 2) for i in range(1021)]


@_changed("with 1 records")
def a_node_of_one_child(here: Image) -> None:
    here.partitions[0].tree = NodeOf(3, [], [_oldest(here)])


@_changed("a node of level 0")
def a_level_skipped(here: Image) -> None:
    _oldest(here).records[0] = _first_leaf(here)


@_changed("a node of level 16")
def a_node_above_the_highest_level(here: Image) -> None:
    _oldest(here).level = 16


@_changed("partition 0 has another tree")
def a_separator_that_was_moved(here: Image) -> None:
    node = _oldest(here)
    node.separators[0] = node.separators[0] + b"\0"
    del node.records[1].records[0].records[0]


@_changed("outside its slot")
def a_separator_moved_over_a_key(here: Image) -> None:
    node = _oldest(here)
    node.separators[0] = node.separators[0] + b"\0"


@_changed("separators do not ascend")
def separators_in_another_order(here: Image) -> None:
    _oldest(here).records[0].separators.reverse()


@_changed("a separator outside the slot above")
def a_separator_outside_the_slot_above(here: Image) -> None:
    node = _oldest(here)
    node.records[0].separators[-1] = node.separators[0]


@_changed("no bytes or too many")
def an_empty_separator(here: Image) -> None:
    _oldest(here).separators[0] = b""


@_changed("no bytes or too many")
def a_separator_too_long(here: Image) -> None:
    _oldest(here).separators[0] += bytes(256)


@_changed("commits to another state")
def the_oldest_partition_left_out(here: Image) -> None:
    del here.partitions[0]


@_changed("and the next is")
def a_partition_in_the_middle_left_out(here: Image) -> None:
    del here.partitions[4]


@_changed("and the next is")
def the_newest_partition_left_out(here: Image) -> None:
    del here.partitions[-1]


@_changed("commits to another state")
def the_newest_partition_and_its_number_left_out(here: Image) -> None:
    del here.partitions[-1]
    here.next_number -= 1


@_changed("and the next is")
def partitions_in_another_order(here: Image) -> None:
    here.partitions[3], here.partitions[4] = here.partitions[4], here.partitions[3]


@_changed("and the next is")
def another_number_of_the_next_partition(here: Image) -> None:
    here.next_number += 1


@_changed("an open partition that is not the newest")
def an_older_partition_that_is_open(here: Image) -> None:
    here.partitions[4].last, here.partitions[4].count = NONE, 3


@_changed("closed with 2 entries")
def the_open_partition_said_to_be_closed(here: Image) -> None:
    here.partitions[-1].last = 9


@_changed("open with 4 entries")
def the_open_partition_said_to_be_full(here: Image) -> None:
    here.partitions[-1].count = 4


@_changed("ends before it begins")
def a_partition_that_ends_before_it_begins(here: Image) -> None:
    here.partitions[4].last = 4


@_changed("commits to another state")
def another_height_of_a_partition(here: Image) -> None:
    here.partitions[0].last = 2


@_changed("commits to another state")
def another_tree_below_and_its_head(here: Image) -> None:
    twin = cut().forge.state.partitions[1].tree()
    here.partitions[0].tree, here.partitions[0].root = twin, here.partitions[1].root
    here.partitions[0].count = 4


@_changed("partition 0 has another tree")
def trees_in_another_order(here: Image) -> None:
    first, second = here.partitions[:2]
    first.tree, second.tree = second.tree, first.tree


# The fold, of which no root says anything


def _goes_on_with(change: Callable[[Forest], None]) -> Purged:
    """The operator seals the blocks behind with the fold that it says."""
    forge = folding()
    change(forge.state)
    log = behind(forge, KEPT)
    log.state = image(forge.state).encoded()
    write(log.forge, put("y"))
    return log


@wrong(0, INVALID, "passed over 6b3032")
def a_fold_that_skips_an_entry_that_counts() -> Purged:
    log = _goes_on_with(lambda state: state.__setattr__("position", 3))
    for block in range(4):
        write(log.forge, *(put(f"m{block}{i}") for i in range(4)))
    assert log.forge.state.held(b"k02") is None, "the value is to be lost"
    return log


@wrong(0, INVALID, "passed over 6b3032")
def a_fold_that_skips_a_whole_partition_but_for_its_last_entry() -> Purged:
    return _goes_on_with(lambda state: state.__setattr__("position", 19))


@_changed("position 20 of the fold among 20 entries")
def a_fold_behind_the_last_entry(here: Image) -> None:
    here.position = 20


@_changed("position 2 of the fold without a pass")
def a_position_without_a_pass(here: Image) -> None:
    here.pass_end = NONE


@_changed("which is no closed partition")
def a_pass_up_to_the_open_partition(here: Image) -> None:
    here.pass_end = 8


@_changed("which is no closed partition")
def a_pass_up_to_a_partition_that_is_not_there(here: Image) -> None:
    here.pass_end = 9


@_changed("above 2^63")
def a_position_above_all_numbers(here: Image) -> None:
    here.position = 2**63


@_changed("above 2^63")
def entries_carried_above_all_numbers(here: Image) -> None:
    here.carried = 2**63


@_changed("above 2^63")
def entries_carried_before_above_all_numbers(here: Image) -> None:
    here.carried_before = 2**63


# The saved copy


@wrong(0, "LOG_MALFORMED")
def a_purged_log_with_a_state_in_version_3() -> Purged:
    return replace(cut(), version=3)


@wrong(0, "LOG_MALFORMED")
def a_purged_log_without_a_state_in_version_4() -> Purged:
    return replace(begun(), version=4)


# What follows


def _behind(*ops: Op) -> Purged:
    log = goes_on()
    write(log.forge, *ops)
    return log


@wrong(22, "PRECONDITION_IGNORED")
def a_key_below_taken_as_absent() -> Purged:
    return _behind(put("k19", "new", IF_ABSENT))


@wrong(22, "PRECONDITION_IGNORED")
def a_version_that_was_replaced_below() -> Purged:
    return _behind(put("k00", "new", [2, 2]))


@wrong(22, "PRECONDITION_IGNORED")
def a_value_that_was_replaced_below() -> Purged:
    commit = as_of(cut().forge.state, cut().forge.entries[:4]).held(b"k00")[1]
    return _behind(put("k00", "new", [3, commit]))


@wrong(22, "PRECONDITION_IGNORED")
def the_version_of_a_deletion_below() -> Purged:
    return _behind(put("k03", "new", [2, 2]))


@wrong(22, "OPERATIONS_MISSING")
def no_operations_behind_a_purge() -> Purged:
    log = _behind(put("a"))
    log.forge.entries[22][5] = b""
    return log


@wrong(21, "WRONG_STATE_ROOT")
def a_state_that_a_purge_forgets() -> Purged:
    forge = folding()
    whole = deepcopy(forge.state)
    forge.state.partitions = []
    log = behind(forge, KEPT)
    log.state = image(whole).encoded()
    return log


@wrong(23, "WRONG_STATE_ROOT")
def a_write_withheld_behind_a_purge() -> Purged:
    log = goes_on()
    log.forge.submit([ALICE], [writing(log.forge, put("a"))])
    log.forge.written.clear()
    log.forge.seal()
    return log


@wrong(23, "WRONG_STATE_ROOT")
def entries_that_the_fold_lost_behind_a_purge() -> Purged:
    log = goes_on()
    fold = log.forge.state.fold

    def lost(looks: int) -> Entries:
        assert fold(looks), "the fold is to carry entries over"
        return {}

    log.forge.state.fold = lost
    write(log.forge, put("a"))
    return log
