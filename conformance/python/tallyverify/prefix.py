"""With what a purged log begins: docs/formats/removal.md, "Pseudo-genesis", docs/audit.md, "Removals"."""

from dataclasses import dataclass

from . import keychain, merkle, removal, stateimage
from .clues import Clues
from .leaf import EMPTY_STATE_ROOT
from .ledger import StateParams
from .rejected import Rejected
from .removal import PseudoGenesis, Snapshot
from .state import State

WINDOW_BYTES_MAX, PSEUDO_GENESIS_BYTES_MAX, KEY_CHAIN_BYTES_MAX = 64 << 20, 65 << 20, 16 << 20
_ENTRY_BYTES = 32


@dataclass(frozen=True)
class Beginning:
    """What stands before the first entry of a purged log."""

    pseudo_genesis: bytes
    window: bytes
    key_chain: bytes
    clues: bytes  # empty if there are none
    state: bytes  # likewise

    def snapshot(self) -> Snapshot:
        """By its form alone."""
        return snapshot(self.pseudo_genesis)


@dataclass(frozen=True)
class Prefix:
    """What was purged, and what is known of it."""

    shown: PseudoGenesis
    window: list[bytes]
    clues: Clues
    state: State | None  # None in a ledger without one

    @property
    def first_kept(self) -> int:
        """The lowest jsn of the log."""
        return self.shown.first_kept


def verified(beginning: Beginning, ledger_id: bytes, strand: int) -> Prefix:
    """What the log goes on from, by its key chain."""
    try:
        keys = beginning.key_chain or keychain.EMPTY
        found = removal.pseudo_genesis(beginning.pseudo_genesis, keys, ledger_id, strand)
        entries = _window(beginning.window, found.snapshot)
        clues = _clues(beginning.clues, found.snapshot.seal.clue_root)
        state_root = found.snapshot.seal.state_root
        state = _state(beginning.state, found.genesis.state_params, state_root)
    except Rejected as e:
        raise Rejected("PSEUDO_GENESIS_INVALID", str(e)) from e
    return Prefix(found, entries, clues, state)


def snapshot(pseudo_genesis: bytes) -> Snapshot:
    """The snapshot in it, by its form alone."""
    return removal.parse_snapshot(removal.parts(pseudo_genesis)[0])


def _clues(file: bytes, clue_root: bytes) -> Clues:
    clues = Clues()
    if clue_root != clues.root():
        clues.take(file)
        if clue_root != clues.root():
            raise Rejected("ROOT_MISMATCH", "the seal commits to other clues")
    return clues


def _state(file: bytes, params: StateParams | None, state_root: bytes) -> State | None:
    if params is None:
        return None
    if state_root == EMPTY_STATE_ROOT:
        return State(params)
    return stateimage.taken(file, params, state_root)


def _window(window: bytes, shot: Snapshot) -> list[bytes]:
    if len(window) != _ENTRY_BYTES * shot.window_count:
        raise Rejected("WRONG_SIZE", f"{shot.window_count} window entries in {len(window)} bytes")
    entries = [window[at : at + _ENTRY_BYTES] for at in range(0, len(window), _ENTRY_BYTES)]
    if any(a >= b for a, b in zip(entries, entries[1:], strict=False)):
        raise Rejected("MALFORMED", "window entries do not ascend")
    if merkle.root_over(entries) != shot.window_root:
        raise Rejected("ROOT_MISMATCH", "the snapshot states another window")
    return entries
