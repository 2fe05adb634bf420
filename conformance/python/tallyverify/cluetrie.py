"""The clue trie, its proofs and its replay: docs/formats/clue-trie.md."""

from collections.abc import Sequence
from dataclasses import dataclass

from . import rlp
from .keccak import keccak256
from .rejected import Malformed, Rejected

NIBBLES = 64
NODES_MAX = 65
NODE_BYTES_MAX = 532
COUNT_MAX = 2**62
EMPTY_ROOT = keccak256(b"\x80")

_EXTENSION, _LEAF = 0, 2  # flags of the hex prefix; plus 1 if the number of nibbles is odd
Nibbles = tuple[int, ...]


@dataclass(frozen=True)
class ClueValue:
    """What the trie holds of a clue."""

    count: int
    root: bytes
    deleted_jsn: int

    def encode(self) -> bytes:
        """The RLP list."""
        return rlp.encode_list(
            [
                rlp.encode_number(self.count),
                rlp.encode_string(self.root),
                rlp.encode_number(self.deleted_jsn),
            ]
        )


@dataclass
class Leaf:
    """A key's rest and its value."""

    nibbles: Nibbles
    value: bytes
    hash: bytes | None = None

    def encode(self) -> bytes:
        """The node in RLP."""
        prefix = _hex_prefix(_LEAF, self.nibbles)
        return rlp.encode_list([rlp.encode_string(prefix), rlp.encode_string(self.value)])


@dataclass
class Extension:
    """Nibbles that all keys below go on with; the child is its hash where only that is known."""

    nibbles: Nibbles
    child: "Branch | bytes"
    hash: bytes | None = None

    def encode(self) -> bytes:
        """The node in RLP."""
        prefix = _hex_prefix(_EXTENSION, self.nibbles)
        return rlp.encode_list([rlp.encode_string(prefix), rlp.encode_string(_hash(self.child))])


@dataclass
class Branch:
    """A child for each nibble that a key goes on with."""

    children: "list[Node | bytes | None]"
    hash: bytes | None = None

    def encode(self) -> bytes:
        """The node in RLP."""
        hashes = [b"" if child is None else _hash(child) for child in self.children]
        return rlp.encode_list(map(rlp.encode_string, [*hashes, b""]))


Node = Leaf | Extension | Branch


def key_of(clue_id: bytes) -> Nibbles:
    """The key of a clue."""
    return _nibbles_of(keccak256(clue_id))


def _nibbles_of(key: bytes) -> Nibbles:
    return tuple(nibble for byte in key for nibble in (byte >> 4, byte & 15))


def parse_value(encoded: bytes) -> ClueValue:
    """A value from its encoding."""
    items = rlp.strings(encoded)
    if len(items) != 3:
        raise Malformed(f"a value of {len(items)} items")
    if len(items[1]) != 32:
        raise Malformed(f"a clue's root of {len(items[1])} bytes")
    return ClueValue(
        rlp.number(items[0], "count", 1, COUNT_MAX),
        items[1],
        rlp.number(items[2], "deletedJsn", 0, COUNT_MAX - 1),
    )


def parse_node(encoded: bytes, depth: int) -> Node:
    """A node that stands behind so many nibbles of its keys."""
    if len(encoded) > NODE_BYTES_MAX:
        raise Malformed(f"a node of {len(encoded)} bytes")
    items = rlp.strings(encoded)
    if len(items) == 17:
        return _branch(items, depth)
    if len(items) != 2:
        raise Malformed(f"a node of {len(items)} items")
    flag, nibbles = _nibbles(items[0])
    if flag == _LEAF:
        if depth + len(nibbles) != NIBBLES:
            raise Malformed(f"a leaf that ends at nibble {depth + len(nibbles)}")
        parse_value(items[1])
        return Leaf(nibbles, items[1])
    if not nibbles:
        raise Malformed("an extension without nibbles")
    if depth + len(nibbles) >= NIBBLES:
        raise Malformed(f"an extension to nibble {depth + len(nibbles)}")
    if len(items[1]) != 32:
        raise Malformed(f"a child of {len(items[1])} bytes")
    return Extension(nibbles, items[1])


def prove(clue_id: bytes, clue_root: bytes, nodes: Sequence[bytes]) -> ClueValue | None:
    """What a proof says of the clue under this root; None if it was never used."""
    if len(nodes) > NODES_MAX:
        raise Rejected("WRONG_PATH_LENGTH", f"{len(nodes)} nodes")
    if clue_root == EMPTY_ROOT:
        return _at_the_end(nodes, 0, None)
    key, depth, expected, below_extension = key_of(clue_id), 0, clue_root, False
    for number, encoded in enumerate(nodes, 1):
        if keccak256(encoded) != expected:
            raise Rejected("ROOT_MISMATCH", f"node {number} is not the one referred to")
        node = parse_node(encoded, depth)
        if below_extension and not isinstance(node, Branch):
            raise Malformed("an extension to what is no branch")
        below_extension = isinstance(node, Extension)
        if isinstance(node, Branch):
            child = node.children[key[depth]]
            if child is None:
                return _at_the_end(nodes, number, None)
            expected, depth = _hash(child), depth + 1
            continue
        same = node.nibbles == key[depth : depth + len(node.nibbles)]
        if isinstance(node, Leaf):
            return _at_the_end(nodes, number, parse_value(node.value) if same else None)
        if not same:
            return _at_the_end(nodes, number, None)
        expected, depth = _hash(node.child), depth + len(node.nibbles)
    raise Rejected("WRONG_PATH_LENGTH", f"{len(nodes)} nodes do not reach the end of the way")


class Trie:
    """A clue trie that grows; hashes are remembered until something below them changes."""

    def __init__(self) -> None:
        self._root: Node | None = None

    def put(self, clue_id: bytes, value: ClueValue) -> None:
        """Sets the value of a clue."""
        self._root = _put(self._root, key_of(clue_id), value.encode())

    def put_key(self, key: bytes, value: ClueValue) -> None:
        """Sets the value of a clue of which only the key is known."""
        self._root = _put(self._root, _nibbles_of(key), value.encode())

    def root(self) -> bytes:
        """The clue root."""
        return EMPTY_ROOT if self._root is None else _hash(self._root)


def _put(node: Node | None, key: Nibbles, value: bytes) -> Node:
    if node is None:
        return Leaf(key, value)
    node.hash = None
    if isinstance(node, Branch):
        child = node.children[key[0]]
        assert not isinstance(child, bytes)
        node.children[key[0]] = _put(child, key[1:], value)
        return node
    shared = _shared(node.nibbles, key)
    if shared == len(node.nibbles):
        if isinstance(node, Leaf):
            node.value = value
        else:
            assert not isinstance(node.child, bytes)
            child = _put(node.child, key[shared:], value)
            assert isinstance(child, Branch)
            node.child = child
        return node
    branch = Branch([None] * 16)
    at, rest = node.nibbles[shared], node.nibbles[shared + 1 :]
    if isinstance(node, Leaf):
        branch.children[at] = Leaf(rest, node.value)
    else:
        branch.children[at] = Extension(rest, node.child) if rest else node.child
    branch.children[key[shared]] = Leaf(key[shared + 1 :], value)
    return Extension(key[:shared], branch) if shared else branch


def _hash(node: Node | bytes) -> bytes:
    if isinstance(node, bytes):
        return node
    if node.hash is None:
        node.hash = keccak256(node.encode())
    return node.hash


def _shared(a: Nibbles, b: Nibbles) -> int:
    """With how many nibbles both begin."""
    for at, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            return at
    return min(len(a), len(b))


def _at_the_end(nodes: Sequence[bytes], used: int, value: ClueValue | None) -> ClueValue | None:
    if used != len(nodes):
        raise Rejected("WRONG_PATH_LENGTH", f"{len(nodes)} nodes, {used} are on the way")
    return value


def _branch(items: list[bytes], depth: int) -> Branch:
    if depth >= NIBBLES:
        raise Malformed("a branch behind the last nibble")
    if items[16]:
        raise Malformed("a value at a branch")
    if any(len(child) not in (0, 32) for child in items):
        raise Malformed("a child that is neither empty nor a hash")
    if sum(map(bool, items)) < 2:
        raise Malformed("a branch with fewer than 2 children")
    return Branch([child or None for child in items[:16]])


def _hex_prefix(flag: int, nibbles: Nibbles) -> bytes:
    odd = len(nibbles) % 2
    whole = (flag + odd, *nibbles) if odd else (flag, 0, *nibbles)
    return bytes(a << 4 | b for a, b in zip(whole[::2], whole[1::2], strict=True))


def _nibbles(prefix: bytes) -> tuple[int, Nibbles]:
    """Leaf or extension, and its nibbles."""
    whole = tuple(nibble for byte in prefix for nibble in (byte >> 4, byte & 15))
    if not whole or whole[0] > _LEAF + 1:
        raise Malformed(f"hex prefix {prefix[:1].hex()}")
    odd = whole[0] & 1
    if not odd and whole[1]:
        raise Malformed("a padding nibble that is not 0")
    nibbles = whole[1:] if odd else whole[2:]
    if len(nibbles) > NIBBLES:
        raise Malformed(f"{len(nibbles)} nibbles")
    return whole[0] - odd, nibbles
