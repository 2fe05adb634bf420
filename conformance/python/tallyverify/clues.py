"""Every clue's journals as a replay finds them: clue-trie.md, docs/audit.md point 8."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .cluetrie import ClueValue, Trie
from .merkle import Tree, leaf_hash


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
        self._changed: set[bytes] = set()
        self._trie = Trie()

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, jsn: int, leaf: bytes, clue_ids: Iterable[bytes], deletes: bool) -> None:
        """A journal, by its leaf hash, goes to the end of each clue it names."""
        for clue_id in clue_ids:
            clue = self._by_id.setdefault(clue_id, _Clue())
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
