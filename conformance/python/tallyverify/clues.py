"""Every clue's journals as a replay finds them: clue-trie.md, docs/audit.md point 8.

What is known of them where a purged log begins: audit-statement.md, "Clues".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .cluetrie import COUNT_MAX, ClueValue, Trie
from .keccak import keccak256
from .merkle import Tree, leaf_hash
from .rejected import Malformed

FILE_BYTES_MAX = 1 << 30
_HEAD, _FIXED = b"TALLYCLU" + bytes([0, 0, 0, 1]), 32 + 8 + 8


@dataclass
class _Clue:
    tree: Tree = field(default_factory=Tree)
    deleted_jsn: int = 0


class Clues:
    """The clue trie over all journals so far."""

    def __init__(self) -> None:
        self.entries = 0
        self.deletions = 0
        self._by_id: dict[bytes, _Clue] = {}
        self._taken: dict[bytes, _Clue] = {}  # by key, as long as no journal names them
        self._changed: set[bytes] = set()
        self._trie = Trie()

    def __len__(self) -> int:
        return len(self._by_id) + len(self._taken)

    def take(self, file: bytes) -> None:
        """Takes over the clues of what was purged, before any journal. Only their root vouches for them."""
        if not file.startswith(_HEAD):
            raise Malformed("no file of clues, or of another version")
        at = len(_HEAD) + 8
        count, previous = int.from_bytes(file[len(_HEAD) : at], "big"), b""
        for _ in range(count):
            if len(file) < at + _FIXED:
                raise Malformed("the file of clues breaks off")
            key, size = file[at : at + 32], int.from_bytes(file[at + 32 : at + 40], "big")
            deleted_jsn = int.from_bytes(file[at + 40 : at + _FIXED], "big")
            at += _FIXED
            end = at + 32 * size.bit_count()
            if not 1 <= size <= COUNT_MAX or deleted_jsn >= COUNT_MAX or end > len(file):
                raise Malformed(f"a clue of {size} journals, deleted by {deleted_jsn}")
            if key <= previous:
                raise Malformed("the clues do not ascend")
            subtrees = [file[i : i + 32] for i in range(at, end, 32)]
            clue = _Clue(Tree(size, subtrees), deleted_jsn)
            self._taken[key] = clue
            self._trie.put_key(key, ClueValue(size, clue.tree.root(), deleted_jsn))
            previous, at = key, end
        if at != len(file):
            raise Malformed("bytes behind the last clue")

    def add(self, jsn: int, leaf: bytes, clue_ids: Iterable[bytes], deletes: bool) -> None:
        """A journal, by its leaf hash, goes to the end of each clue it names."""
        for clue_id in clue_ids:
            clue = self._by_id.get(clue_id)
            if clue is None:
                clue = self._taken.pop(keccak256(clue_id), None) or _Clue()
                self._by_id[clue_id] = clue
            clue.tree.add(leaf_hash(leaf))
            clue.deleted_jsn = jsn if deletes else 0
            self._changed.add(clue_id)
            self.entries += 1
            self.deletions += deletes

    def root(self) -> bytes:
        """The clue root."""
        for clue_id in self._changed:
            clue = self._by_id[clue_id]
            value = ClueValue(clue.tree.size, clue.tree.root(), clue.deleted_jsn)
            self._trie.put(clue_id, value)
        self._changed.clear()
        return self._trie.root()
