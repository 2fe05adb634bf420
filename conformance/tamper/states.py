"""Attacks on the state with which a purged log of a ledger with one goes on; part of family_purge.

The log begins at 20. Up to there the fold has looked at k00 and k01, and k02 is next.
"""

import functools
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

from attacks import Family, Log
from forge import Op
from forge_bytes import cbor, sha
from forge_snapshot_state import Image, as_of, image
from forge_state import Forest
from forge_tiles import path
from left import Left, left
from purges import purged
from rules import ALICE
from rules_of_purged_state import KEPT, folding, of_now, write
from rules_of_state import IF_ABSENT, delete, put, writing

STATES = Family("States of purged logs")


@functools.cache
def right() -> Left:
    """What is left, to be changed in copies alone."""
    return left(purged(folding(), first_kept=KEPT), KEPT, KEPT)


def going_on() -> Left:
    """The same, with a log to go on with; the next jsn is 22."""
    return replace(right(), forge=deepcopy(right().forge))


def behind(*ops: Op) -> Left:
    """What is left, and a block of one journal."""
    here = going_on()
    write(here.forge, *ops)
    return here


@STATES.honest
def what_is_left_with_a_state() -> Log:
    here = behind(put("k02", "2", [2, 2]), delete("k03", IF_ABSENT), put("k00", "2", [2, 4]))
    return here.public()


@STATES.honest
def what_is_left_with_a_state_in_a_saved_copy() -> bytes:
    here = going_on()
    for block in range(8):
        write(here.forge, *(put(f"m{block}{i}") for i in range(4)))
    return here.log()


def _stated(operator: str) -> Callable:
    """An attack with another file of the state."""

    def add(change: Callable[[Image], object]) -> Callable:
        def build() -> Log:
            here = of_now(right())
            change(here)
            return replace(right(), state=here.encoded()).public()

        build.__name__ = change.__name__
        STATES.attack(operator, 0, "PSEUDO_GENESIS_INVALID")(build)
        return change

    return add


def _leaf(here: Image) -> list[bytes]:
    """The first entries of the oldest partition."""
    node = here.partitions[0].tree
    while node.level:
        node = node.records[0]
    return node.records


@_stated("changes a value in the state where a purged log begins")
def another_value_below_a_purge(here: Image) -> None:
    _leaf(here)[2] = cbor([4, b"k02", True, sha(b"other"), 1, 2])


@_stated("deletes a key in the state where a purged log begins")
def a_key_deleted_below_a_purge(here: Image) -> None:
    _leaf(here)[2] = cbor([4, b"k02", False, None, 0, 2])


@_stated("takes a deletion out of the state where a purged log begins")
def a_tombstone_left_out_below_a_purge(here: Image) -> None:
    del _leaf(here)[3]


@_stated("slips a key into the state where a purged log begins")
def a_key_more_below_a_purge(here: Image) -> None:
    _leaf(here).insert(0, cbor([4, b"a", True, sha(b"a"), 1, 2]))


@_stated("moves a separator, so that a key is not found where a purged log begins")
def a_separator_moved_below_a_purge(here: Image) -> None:
    here.partitions[0].tree.separators[0] += b"\0"


@_stated("leaves a partition out, to bring older values back")
def a_partition_left_out_below_a_purge(here: Image) -> None:
    del here.partitions[1]


@_stated("changes the order of partitions, to bring older values back")
def partitions_swapped_below_a_purge(here: Image) -> None:
    here.partitions[0], here.partitions[1] = here.partitions[1], here.partitions[0]


@_stated("closes a partition early where a purged log begins")
def a_partition_closed_below_a_purge(here: Image) -> None:
    here.partitions[-1].last = 9


@STATES.attack(
    "begins a purged log with the state of an older block", 0, "PSEUDO_GENESIS_INVALID"
)
def an_older_state_below_a_purge() -> bytes:
    forge = right().forge
    older = image(as_of(forge.state, forge.entries[: KEPT - 2])).encoded()
    return replace(right(), state=older).log()


@STATES.attack("leaves the state out beside a purged log", 0, "PSEUDO_GENESIS_INVALID")
def what_is_left_without_its_state() -> Log:
    return right().public(without="snapshot/state")


@STATES.attack("leaves the state out of a saved copy", 0, "LOG_MALFORMED")
def a_copy_without_its_state() -> bytes:
    return replace(right(), version=3).log()


def _fold(change: Callable[[Forest], None]) -> Log:
    """What is left, with blocks behind that go on with another fold."""
    here = going_on()
    change(here.forge.state)
    here.state = image(here.forge.state).encoded()
    for block in range(4):
        write(here.forge, *(put(f"m{block}{i}") for i in range(4)))
    assert here.forge.state.held(b"k02") is None, "the value is to be lost"
    return here.public()


@STATES.attack(
    "lets the fold pass over a key, to lose it, and seals the blocks behind so",
    0,
    "PSEUDO_GENESIS_INVALID",
)
def a_key_that_the_fold_passed_over_below_a_purge() -> Log:
    return _fold(lambda state: state.__setattr__("position", 3))


@STATES.attack(
    "calls the fold nearly through with a partition, to lose all of it",
    0,
    "PSEUDO_GENESIS_INVALID",
)
def a_partition_that_the_fold_passed_over_below_a_purge() -> Log:
    return _fold(lambda state: state.__setattr__("position", 19))


@STATES.attack(
    "writes a key that was purged as if it were new", 22, "PRECONDITION_IGNORED"
)
def a_purged_key_taken_as_absent() -> Log:
    return behind(put("k19", "new", IF_ABSENT)).public()


@STATES.attack(
    "writes over a purged key that was changed since", 22, "PRECONDITION_IGNORED"
)
def an_older_version_of_a_purged_key() -> bytes:
    return behind(put("k00", "new", [2, 2])).log()


@STATES.attack("forgets what was purged in the next seal", 23, "WRONG_STATE_ROOT")
def a_state_root_that_forgets_what_was_purged() -> Log:
    here = going_on()
    here.state = here.snapshot_state()
    here.forge.state.partitions[0].entries.pop(b"k19")
    write(here.forge, put("new"))
    return here.public()


@STATES.attack("keeps a write out of the state behind a purge", 23, "WRONG_STATE_ROOT")
def a_write_withheld_behind_a_purge() -> Log:
    here = going_on()
    here.forge.submit([ALICE], [writing(here.forge, put("new"))])
    here.forge.written.clear()
    here.forge.seal()
    return here.public()


@STATES.attack("leaves operations out behind a purge", 22, "OPERATIONS_MISSING")
def operations_left_out_behind_a_purge() -> Log:
    here = behind(put("new"))
    here.forge.entries[22][5] = b""
    return here.public()


@STATES.attack("takes away the file of operations behind a purge", 20, "LOG_TRUNCATED")
def no_file_of_operations_behind_a_purge() -> Log:
    here = behind(put("new"))
    return here.public(without=path("tile/ops", 0, here.forge.jsn))
