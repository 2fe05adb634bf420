"""The state where a purged log begins: audit-statement.md, "State as of a purge"."""

from . import forest
from .forest import COUNT_MAX, LEVEL_MAX, RECORDS_MAX, Entry, Partition
from .ledger import StateParams
from .operations import KEY_BYTES_MAX
from .rejected import Malformed, Rejected
from .state import InnerNode, LeafNode, Node, PartitionTree, State
from .stateproof import Keys

FILE_BYTES_MAX = 1 << 30
_HEAD, _NONE, _NUMBER_MAX = b"TALLYSTI" + bytes([0, 0, 0, 1]), 2**64 - 1, 2**63 - 1


def taken(file: bytes, params: StateParams, state_root: bytes) -> State:
    """The state to go on from. No root vouches for what it says of the fold."""
    if not file.startswith(_HEAD):
        raise Malformed("no file of the state, or of another version")
    reader = _Reader(file, len(_HEAD))
    next_number, pass_end, position, carried, before = (reader.number(8) for _ in range(5))
    heads = reader.heads()
    _check_heads(heads, next_number, params.capacity)
    if forest.state_root([head.encode() for head in heads]) != state_root:
        raise Rejected("ROOT_MISMATCH", "the seal commits to another state")
    trees = [reader.tree(head) for head in heads]
    reader.end()
    runs = pass_end != _NONE
    fold = (runs, pass_end if runs else 0, position, carried, before)
    state = State(params, trees, next_number, *fold)
    _check_fold(state)
    return state


def _check_heads(heads: list[Partition], next_number: int, capacity: int) -> None:
    numbers = [head.number for head in heads]
    if numbers != list(range(next_number - len(heads), next_number)):
        raise Malformed(f"partitions {numbers}, and the next is {next_number}")
    for head in heads:
        if (head.last_height is None) != (head.entry_count < capacity):
            how = "open" if head.last_height is None else "closed"
            raise Malformed(f"partition {head.number} is {how} with {head.entry_count} entries")
        if head.last_height is None and head is not heads[-1]:
            raise Malformed("an open partition that is not the newest")
        if head.last_height is not None and head.last_height < head.first_height:
            raise Malformed(f"partition {head.number} ends before it begins")


def _check_fold(state: State) -> None:
    """That going on with it cannot lose a value."""
    if max(state.position, state.carried, state.carried_before) > _NUMBER_MAX:
        raise Malformed("a number of the fold above 2^63 - 1")
    oldest, *newer = state.trees
    if not state.pass_runs:
        if state.position:
            raise Malformed(f"position {state.position} of the fold without a pass")
        return
    closed = [tree.number for tree in state.trees if tree.last_height is not None]
    if state.pass_end not in closed:
        raise Malformed(f"a pass up to {state.pass_end}, which is no closed partition")
    if state.position >= len(oldest.entries):
        count = len(oldest.entries)
        raise Malformed(f"position {state.position} of the fold among {count} entries")
    for key in sorted(oldest.entries)[: state.position]:
        if oldest.entries[key].present and not any(key in tree.entries for tree in newer):
            raise Malformed(f"the fold has passed over {key.hex()}, which counts")


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise Malformed("the file of the state breaks off")
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width), "big")

    def prefixed(self) -> bytes:
        return self.take(self.number(2))

    def end(self) -> None:
        if self._at != len(self._data):
            raise Malformed("bytes behind the last tree")

    def heads(self) -> list[Partition]:
        count = self.number(4)
        if not 1 <= count <= COUNT_MAX:
            raise Malformed(f"a state of {count} partitions")
        return [self.head() for _ in range(count)]

    def head(self) -> Partition:
        number, first, last, count = (self.number(8) for _ in range(4))
        return Partition(number, first, None if last == _NONE else last, count, self.take(32))

    def tree(self, head: Partition) -> PartitionTree:
        entries: dict[bytes, Entry] = {}
        root = self.node(None, Keys(), entries)
        if (root.hash, root.entry_count) != (head.root_hash, head.entry_count):
            raise Rejected("ROOT_MISMATCH", f"partition {head.number} has another tree")
        return PartitionTree(head.number, head.first_height, head.last_height, entries, root)

    def node(self, wanted: int | None, keys: Keys, entries: dict[bytes, Entry]) -> Node:
        """A node of the level wanted, a root if it is None, and the nodes below."""
        level, n = self.number(1), self.number(2)
        if level > LEVEL_MAX or wanted not in (None, level):
            raise Malformed(f"a node of level {level}")
        if not (2 if level else 1) <= n <= RECORDS_MAX:
            raise Malformed(f"a node of level {level} with {n} records")
        if level == 0:
            return self.leaf(n, keys, entries)
        separators = tuple(self.prefixed() for _ in range(n - 1))
        _check_ascend(separators, "separators")
        if any(not 1 <= len(separator) <= KEY_BYTES_MAX for separator in separators):
            raise Malformed("a separator of no bytes or too many")
        keys.check_inside(separators)
        children = [
            self.node(level - 1, keys.of_slot(separators, slot), entries) for slot in range(n)
        ]
        return InnerNode(level, children, list(separators))

    def leaf(self, n: int, keys: Keys, entries: dict[bytes, Entry]) -> Node:
        held = [forest.parse_entry(self.prefixed()) for _ in range(n)]
        _check_ascend([entry.key for entry in held], "keys")
        for entry in held:
            keys.check_holds(entry.key)
            entries[entry.key] = entry
        return LeafNode(held)


def _check_ascend(strings: list[bytes] | tuple[bytes, ...], what: str) -> None:
    if any(a >= b for a, b in zip(strings, strings[1:], strict=False)):
        raise Malformed(f"{what} do not ascend")
