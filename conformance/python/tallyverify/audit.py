"""The replay of a whole log: docs/audit.md, "What is checked, in this order".

Leaves are visited in ascending jsn and the first fault ends the audit. Only the block and the
submission that are open, the members and the signatures used are kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from . import cbor, checkpoint, consistency, cose, ledger, operations, receipt, request, service
from .clues import Clues
from .gossip import Earlier, Gossip
from .leaf import (
    EMPTY_STATE_ROOT,
    NO_HASH,
    GenesisLeaf,
    JournalLeaf,
    Leaf,
    SealLeaf,
    parse_leaf,
)
from .logcopy import DAMAGED, ERASED, NONE, NOT_READ, PRESENT, Entry, LogCopy
from .members import Member, Members, check_key
from .merkle import Tree, leaf_hash, root_over
from .occults import NO_JOURNAL, Occults
from .operations import Operation
from .prefix import Beginning, Prefix, verified
from .purges import Purges
from .rejected import Fault, Rejected, iso
from .state import State
from .tledger import Entries, SubmittedHeads
from .tiles import Files, TileLog
from .timeline import Judge, Timeline

CLOCK_SKEW_MS = 30_000
MEMBER_WINDOW_MS_MAX = 30 * 24 * 3600 * 1000
REQUEST_BYTES_MAX = 1024 * 1024 + 64 * 1024
BATCH_BYTES_MAX = 4 * 1024 * 1024
SALT_BYTES = 32
_COUNTED = "leaves blocks journals batches signatures bodies memberChanges bytes".split()
_COUNTED += "clues clueEntries clueDeletions operations".split()


@dataclass
class Report:
    """What was found right."""

    ledger_id: bytes
    strand: int
    size: int = 0
    root: bytes = b""
    checkpoint_verified: bool = False
    receipt_verified: bool = False
    time_judged: int = 0
    time_unjudged: int = 0
    occults: int = 0
    occulted: int = 0  # journals that they name
    by_clock: int = 0  # removals whose regulator's 30 days no time journal shows
    present: int = 0  # of these, bodies that were read all the same
    purges: int = 0  # that were not recalled
    prefix: Prefix | None = None  # what was purged, of which nothing is read
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))


@dataclass
class _Submission:
    """Requests that were signed at once, as far as they were read."""

    first_jsn: int
    count: int
    attestation: bytes
    attest_hash: bytes
    headers: list[request.Header] = field(default_factory=list)
    salts: set[bytes] = field(default_factory=set)
    request_bytes: int = 0
    flags: list[bool] = field(default_factory=list)
    signed: list[tuple[bytes, bytes]] = field(default_factory=list)  # kids and signature ids


@dataclass(frozen=True)
class More:
    """What an auditor may have beside the log: heads of others, T-Ledgers, and their submitters."""

    gossip: Gossip = Gossip()
    entries: Entries | None = None
    submitted: SubmittedHeads | None = None


def audit(
    file: BinaryIO,
    ledger_id: bytes,
    strand: int = 0,
    trusted: receipt.Head | None = None,
    judge: Judge | None = None,
    more: More = More(),  # noqa: B008, for it never changes
) -> Report:
    """Audits a saved log of the pinned ledger, which continues a trusted head if there is one.

    The first fault is raised. Without somebody to judge them, tokens are not.
    """
    return _audit(lambda: LogCopy(file), _Replay(ledger_id, strand, trusted, judge, more))


def audit_files(
    files: Files,
    ledger_id: bytes,
    strand: int = 0,
    trusted: receipt.Head | None = None,
    judge: Judge | None = None,
    *,
    bodies: bool = True,
    more: More = More(),  # noqa: B008
) -> Report:
    """Audits a published log as `audit` does a saved one; without bodies it says less."""
    replay = _Replay(ledger_id, strand, trusted, judge, more)
    return _audit(lambda: TileLog(files, bodies), replay)


class _Log(Protocol):
    """Where a log comes from. Its entries are read first and once, its heads after them."""

    ledger_id: bytes
    strand: int
    size: int
    beginning: Beginning | None
    first: int  # the jsn of the first entry

    def entries(self) -> Iterator[Entry]: ...

    def heads(self) -> tuple[bytes, bytes | None]:
        """Checkpoint, empty if there is none, and receipt, None where none can be."""

    def path(self, size: int) -> list[bytes]:
        """The consistency proof from a size below the first entry to the log's."""


def _audit(open_log: Callable[[], _Log], replay: "_Replay") -> Report:
    jsn = 0
    try:
        log = open_log()
        if (log.ledger_id, log.strand) != (replay.report.ledger_id, replay.report.strand):
            raise Rejected("WRONG_LEDGER", f"{log.ledger_id.hex()}, strand {log.strand}")
        if log.beginning:
            replay.begin(verified(log.beginning, log.ledger_id, log.strand))
            jsn = log.first - 1
            if log.size <= log.first:
                raise Rejected("LOG_TRUNCATED", f"{log.size} leaves, {log.first} were purged")
            replay.at_start()
            jsn += 1
        for entry in log.entries():
            replay.entry(jsn, entry)
            jsn += 1
        heads = log.heads()
        replay.path = log.path
        jsn = max(0, jsn - 1)
        report = replay.finish(*heads)
        replay.join()
        return report
    except Rejected as e:
        raise Fault(jsn, e.reason, e.detail) from e


def replayed(file: BinaryIO, ledger_id: bytes, strand: int = 0) -> Purges:
    """What a purge at the end of a right log must name."""
    replay = _Replay(ledger_id, strand, None, None, More())
    _audit(lambda: LogCopy(file), replay)
    return replay.purges


class _Replay:
    def __init__(
        self,
        ledger_id: bytes,
        strand: int,
        trusted: receipt.Head | None,
        judge: Judge | None,
        more: More,
    ) -> None:
        self.report = Report(ledger_id, strand)
        self.path: Callable[[int], list[bytes]] = lambda _: []  # from a size, as the source has it
        self.trusted = trusted
        self.more = more
        self.heard = more.gossip.sizes(ledger_id, strand)
        self.roots: dict[int, bytes] = {}  # of the sizes that others' heads state
        self.tree = Tree()
        self.clues = Clues()
        self.clues_from: int | None = None  # height of the first block that may name clues
        self.state: State | None = None
        self.members = Members()
        self.timeline = Timeline(judge, more.entries)
        self.occults = Occults()
        self.purges = Purges(days=self.occults.days)
        self.keys: service.ServiceKeys | None = None
        self.genesis: ledger.Genesis | None = None
        self.submission: _Submission | None = None
        self.used_signatures: set[bytes] = set()
        self.used_below: set[bytes] = set()  # the first halves of those of a purged log's window
        self.shown_heads: list[receipt.Head] = []  # of the receipts that a purged log begins with
        self.first_jsn = 0  # of the open block
        self.height = 0  # of the open block
        self.previous_seal = NO_HASH
        self.last_leaf = b""
        self.time_ms = 0
        self.block_time_ms: int | None = None
        self.bodies = True  # whether the newest journal's was asked for

    def begin(self, prefix: Prefix) -> None:
        """Goes on from what a purge has kept."""
        shown, shot = prefix.shown, prefix.shown.snapshot
        self.report.prefix, self.genesis, self.keys = prefix, shown.genesis, shown.service
        self.keys.check_alone(seal=True)
        self.tree = shot.tree()
        self.members.found(shown.genesis, self.keys)
        features = set(shown.genesis.features)
        self.clues_from = 0 if ledger.CLUE_TRIE in features else None
        newest = None
        for journal, (leaf, _, _) in zip(shown.kept, shot.kept[1:], strict=True):
            change = journal.header.change
            if isinstance(change, request.Parameters):
                self.clues_from = change.first_height
            elif isinstance(change, request.Time):
                newest = (journal.jsn, leaf_hash(leaf))
            elif isinstance(
                change, request.MemberAdd | request.MemberRevoke | request.Grant | request.Close
            ):
                self.members.carry_out(journal.jsn, journal.leaf.time_ms, change)
        self.timeline.begin(self.tree.size, self.tree.root(), newest)
        self.purges.begin(shown, prefix.window)
        self.occults.start, self.occults.purged = shown.first_kept, self.purges.first_kept
        self.used_below = {entry[:16] for entry in prefix.window}
        self.clues, self.state = prefix.clues, prefix.state
        self.report.counts["clues"] = len(self.clues)
        self.first_jsn, self.height = shown.first_kept, shot.height + 1
        self.time_ms, self.last_leaf = shot.seal.time_ms, shot.seal_leaf
        self.previous_seal = leaf_hash(shot.seal_leaf)
        self._remember_head()

    def join(self) -> None:
        """Compares the head that was trusted before, if what it covers was purged."""
        trusted, prefix = self.trusted, self.report.prefix
        if trusted is None or prefix is None or trusted.size >= prefix.first_kept:
            return
        proof, size, root = self._proof(trusted.size), self.tree.size, self.tree.root()
        try:
            consistency.check(trusted.size, trusted.root, size, root, proof)
        except Rejected as e:
            raise Fault(trusted.size - 1, "TRUSTED_HEAD_CONTRADICTED", str(e)) from e

    def _proof(self, size: int) -> list[bytes]:
        try:
            return self.path(size)
        except Rejected as e:
            raise Fault(size - 1, e.reason, e.detail) from e

    def _earlier(self) -> Earlier | None:
        """What joins heads of others from below where a purged log begins; None if nothing is."""
        prefix, end = self.report.prefix, receipt.Head(self.tree.size, self.tree.root())
        return Earlier(prefix.first_kept, end, self._proof) if prefix else None

    def at_start(self) -> None:
        """Compares the size at which a purged log begins with heads of it."""
        self._continues()
        self.shown_heads = self.report.prefix.shown.heads if self.report.prefix else []
        self._check_shown_heads()

    def entry(self, jsn: int, entry: Entry) -> None:
        """Visits one entry."""
        leaf = _leaf(jsn, entry.leaf)
        _check_place(leaf)
        self._check_shown(leaf.jsn, entry.leaf)
        if isinstance(leaf, GenesisLeaf):
            self._genesis(leaf, entry)
        elif isinstance(leaf, SealLeaf):
            self._seal(leaf, entry)
        else:
            self._journal(leaf, entry)
        self.tree.add(leaf_hash(entry.leaf))
        self.purges.add(entry.leaf)
        if isinstance(leaf, SealLeaf):
            self.timeline.sealed(self.tree.size, self.tree.root())
        self._remember_head()
        self._continues()
        self._check_shown_heads()
        self.report.counts["leaves"] += 1
        parts = (entry.leaf, entry.operations, entry.salt, entry.body)
        attestation = b"" if entry.attested_again else entry.attestation
        self.report.counts["bytes"] += sum(map(len, parts)) + len(attestation)

    def _remember_head(self) -> None:
        if self.tree.size in self.heard:
            self.roots[self.tree.size] = self.tree.root()

    def _check_shown_heads(self) -> None:
        """That a purged log has the heads that it begins with."""
        for head in self.shown_heads:
            if head.size == self.tree.size and head.root != self.tree.root():
                what = f"root {self.tree.root().hex()}, a receipt shown is under {head.root.hex()}"
                raise Rejected("PSEUDO_GENESIS_INVALID", what)

    def _check_shown(self, jsn: int, leaf: bytes) -> None:
        """That a purged log has the purge that it begins with."""
        purge = self.report.prefix.shown.purge if self.report.prefix else None
        if purge and jsn == purge.jsn and leaf_hash(leaf) != purge.leaf_hash:
            raise Rejected("PSEUDO_GENESIS_INVALID", f"purge {jsn} is another leaf")

    def finish(self, note: bytes, head_receipt: bytes | None) -> Report:
        """Checks the end of the log and the signed heads."""
        genesis = self._founded()
        if self.block_time_ms is not None:
            raise Rejected("UNSEALED_END", "the last leaf is no seal")
        self.occults.check_end()
        prefix = self.report.prefix
        if prefix and self.tree.size <= prefix.shown.purge.jsn:
            raise Rejected("PSEUDO_GENESIS_INVALID", f"no purge {prefix.shown.purge.jsn}")
        if head_receipt == b"":
            raise Rejected("HEAD_MISSING", "no head receipt")
        if self.trusted and self.tree.size < self.trusted.size:
            raise _contradicted(f"{self.tree.size} leaves, {self.trusted.size} are trusted")
        root = self.tree.root()
        keys = self._service().at(self.tree.size)
        try:
            if head_receipt is not None:
                receipt_item = cbor.decode(head_receipt)
                head = receipt.verify(keys, self.report.strand, self.last_leaf, receipt_item)
                _check_head("the receipt", head, self.tree.size, root)
            if note:
                origin = genesis.origin(self.report.strand)
                head = checkpoint.verify(note, origin, keys.note_key)
                _check_head("the checkpoint", head, self.tree.size, root)
        except Rejected as e:
            raise Rejected("HEAD_INVALID", str(e)) from e
        keys = self._service()
        more = self._earlier()
        self.more.gossip.judge(self.roots, keys, self.report.strand, self.tree.size, more)
        self.report.size, self.report.root = self.tree.size, root
        self.report.checkpoint_verified = bool(note)
        self.report.receipt_verified = head_receipt is not None
        self.report.time_judged = self.timeline.judged
        self.report.time_unjudged = self.timeline.unjudged
        self.report.occults, self.report.occulted = self.occults.count, self.occults.journals
        self.report.present = self.occults.present
        self.report.purges = self.purges.count
        self.report.by_clock = self.occults.days.by_clock
        return self.report

    def _continues(self) -> None:
        """Compares the root with the head that was trusted before, if it is of this size."""
        if self.trusted and self.tree.size == self.trusted.size:
            root = self.tree.root()
            if root != self.trusted.root:
                raise _contradicted(f"root {root.hex()}, trusted is {self.trusted.root.hex()}")

    def _founded(self) -> ledger.Genesis:
        if self.genesis is None:
            raise Rejected("LOG_TRUNCATED", "a log without genesis")
        return self.genesis

    def _service(self) -> service.ServiceKeys:
        if self.keys is None:
            raise Rejected("LOG_TRUNCATED", "a log without genesis")
        return self.keys

    def _genesis(self, leaf: GenesisLeaf, entry: Entry) -> None:
        if leaf.strand != self.report.strand:
            raise Rejected("WRONG_LEDGER", f"genesis of strand {leaf.strand}")
        ledger_id = self.report.ledger_id
        if ledger.id_of(leaf.params) != ledger_id:
            raise Rejected("WRONG_LEDGER", f"founds {ledger.id_of(leaf.params).hex()}")
        _check_attestation(entry.attestation, leaf.attest_hash)
        signatures = _attestation(entry.attestation)
        try:
            genesis = ledger.pinned(leaf.params, ledger_id)
            ledger.check_owners_signed(genesis, signatures)
        except Rejected as e:
            raise Rejected("GENESIS_INVALID", str(e)) from e
        if abs(leaf.time_ms - genesis.created_ms) > CLOCK_SKEW_MS:
            raise Rejected("GENESIS_INVALID", f"created {iso(genesis.created_ms)}, at {iso(leaf.time_ms)}")
        if self.report.strand >= genesis.strand_count:
            raise Rejected("GENESIS_INVALID", f"it has {genesis.strand_count} strands")
        _check_leaf_alone(entry)
        self._order(leaf.time_ms)
        self.genesis = genesis
        self.keys = service.ServiceKeys(genesis)
        self.members.found(genesis, self.keys)
        self.occults.features(genesis.features)
        self.purges.permanent = ledger.PERMANENT in genesis.features
        self.purges.genesis(leaf.params, leaf.strand, entry.leaf, entry.attestation)
        self.occults.add(NO_JOURNAL, leaf_hash(entry.leaf))
        if ledger.CLUE_TRIE in genesis.features:
            self.clues_from = 0
        if genesis.state_params:
            self.state = State(genesis.state_params)
        if self.more.submitted:
            self.more.submitted.check_ledger(genesis)

    def _journal(self, leaf: JournalLeaf, entry: Entry) -> None:
        header = self._header(leaf)
        submission = self._continue(leaf, entry)
        ops = operations.beside(entry.operations, header.operations, header.ops_root)
        self._order(leaf.time_ms)
        self._check_times(header, leaf.time_ms)
        request_bytes = len(header.encoded) + len(entry.operations)
        if entry.body_state in (NOT_READ, ERASED):
            request_bytes += SALT_BYTES + header.body_size
        else:
            request_bytes += len(entry.salt) + len(entry.body)
        if request_bytes + len(submission.attestation) > REQUEST_BYTES_MAX:
            raise Rejected("REQUEST_TOO_LARGE", f"{request_bytes} bytes beside the attestation")
        submission.request_bytes += request_bytes
        self.bodies = entry.body_state != NOT_READ
        if entry.body_state == ERASED:
            self.occults.erased(leaf.jsn)
        elif self.bodies:
            _check_body(submission, header, ops, entry)
            self.report.counts["bodies"] += 1
        submission.headers.append(header)
        submission.flags.append(leaf.delegated)
        self.report.counts["journals"] += 1
        self._service().check_alone(seal=False)
        if len(submission.headers) == submission.count:
            self.submission = None
            self._submitted(submission)
            shown = (entry.leaf, submission.attestation)
            self.purges.submitted(
                submission.first_jsn, submission.headers, submission.signed, shown
            )
            if header.kind == request.TIME:
                self.timeline.follow(leaf.jsn, leaf_hash(entry.leaf))
        self._clues(leaf.jsn, leaf_hash(entry.leaf), header)
        self.occults.add(header.kind, leaf_hash(entry.leaf), header.clue_ids)
        self._operations(leaf.jsn, ops)
        if self.more.submitted:
            self.more.submitted.check(leaf.time_ms, header.kind, entry.body)

    def _header(self, leaf: JournalLeaf) -> request.Header:
        try:
            header = request.parse_header(leaf.header)
        except Rejected as e:
            kind = "MALFORMED_LEAF" if e.reason == "MALFORMED" else e.reason
            raise Rejected(kind, e.detail) from e
        if (header.ledger_id, header.strand) != (self.report.ledger_id, self.report.strand):
            raise Rejected("WRONG_LEDGER", "a request for another ledger or strand")
        if header.operations and not self.state:
            raise Rejected("FEATURE_NOT_ENABLED", "operations")
        if header.kind >= 16 and leaf.batch_count > 1:
            raise Rejected("WRONG_BATCH", "a change of members or parameters in a batch")
        return header

    def _continue(self, leaf: JournalLeaf, entry: Entry) -> _Submission:
        """The submission this journal is of; a new one if none is open."""
        open_one = self.submission
        if open_one is None:
            if leaf.batch_index:
                raise Rejected("WRONG_BATCH", f"begins with index {leaf.batch_index}")
            _check_attestation(entry.attestation, leaf.attest_hash)
            self.submission = _Submission(
                leaf.jsn, leaf.batch_count, entry.attestation, leaf.attest_hash
            )
            return self.submission
        if (leaf.batch_index, leaf.batch_count) != (len(open_one.headers), open_one.count):
            raise Rejected(
                "WRONG_BATCH",
                f"{leaf.batch_index} of {leaf.batch_count}, "
                f"want {len(open_one.headers)} of {open_one.count}",
            )
        if entry.attestation and not entry.attested_again:
            raise Rejected("WRONG_BATCH", "a second attestation within a batch")
        if leaf.attest_hash != open_one.attest_hash:
            raise Rejected("ATTESTATION_MISMATCH", "not the attestation of its batch")
        return open_one

    def _order(self, time_ms: int) -> None:
        if time_ms < self.time_ms:
            raise Rejected("TIME_BACKWARDS", f"{iso(time_ms)} after {iso(self.time_ms)}")
        if self.block_time_ms not in (None, time_ms):
            raise Rejected("BROKEN_BLOCK", f"{iso(time_ms)} in a block of {iso(self.block_time_ms)}")
        self.time_ms = self.block_time_ms = time_ms

    def _check_times(self, header: request.Header, time_ms: int) -> None:
        most = MEMBER_WINDOW_MS_MAX if header.kind >= 16 else self._founded().max_window_ms
        window = header.expires_ms - header.client_time_ms
        if window > most:
            raise Rejected("WINDOW_TOO_LONG", f"{window} ms, at most {most} are allowed")
        if not header.client_time_ms - CLOCK_SKEW_MS <= time_ms <= header.expires_ms:
            raise Rejected(
                "TIME_OUTSIDE_WINDOW",
                f"{iso(time_ms)}, want {iso(header.client_time_ms)} − 30 s to {iso(header.expires_ms)}",
            )

    def _submitted(self, submission: _Submission) -> None:
        """Checks the signatures of a submission that was read whole, and does what it asks."""
        try:
            self._check_signatures(submission)
        except Rejected as e:
            raise Fault(submission.first_jsn, e.reason, e.detail) from e
        change = submission.headers[0].change
        self.occults.days.journal(submission.first_jsn, self.time_ms, change)
        if isinstance(change, request.Parameters):
            self._parameters(change)
        elif isinstance(change, request.KeyRotation):
            held = self.members.ever_held
            self._service().rotate(submission.first_jsn, self.first_jsn, change, held)
        elif isinstance(change, request.Time):
            origin = self._founded().origin(self.report.strand)
            self.timeline.check(self.time_ms, self.report.ledger_id, origin, change)
        elif isinstance(change, request.Occult):
            signers = self._signers(submission)
            self.occults.check(self.first_jsn, self.time_ms, change, signers, self.bodies)
        elif isinstance(change, request.Purge | request.Recall):
            self._purge(submission, change)
        elif change is not None:
            self.members.apply(self._founded(), submission.first_jsn, self.time_ms, change)
            self.report.counts["memberChanges"] += not isinstance(change, request.Close)
        self.report.counts["batches"] += submission.count > 1

    def _purge(self, submission: _Submission, change: request.Purge | request.Recall) -> None:
        if isinstance(change, request.Recall):
            self.purges.recall(self.time_ms, change)
        else:
            signers = self._signers(submission)
            jsn = submission.first_jsn
            self.purges.check(jsn, self.first_jsn, self.time_ms, change, signers)
        self.occults.purged = self.purges.first_kept

    def _parameters(self, change: request.Parameters) -> None:
        """Turns features on from a block behind this one."""
        if change.features != {ledger.CLUE_TRIE}:
            raise Rejected("PARAMETERS_INVALID", f"features {sorted(change.features)}")
        if self.clues_from is not None:
            raise Rejected("PARAMETERS_INVALID", f"clues are on from block {self.clues_from}")
        if change.first_height <= self.height:
            what = f"from block {change.first_height}, it stands in block {self.height}"
            raise Rejected("PARAMETERS_INVALID", what)
        self.clues_from = change.first_height

    def _clues(self, jsn: int, leaf: bytes, header: request.Header) -> None:
        if not header.clue_ids:
            return
        if self.clues_from is None or self.height < self.clues_from:
            raise Rejected("FEATURE_NOT_ENABLED", f"clues in block {self.height}")
        self.clues.add(jsn, leaf, header.clue_ids, header.kind == request.CLUE_DELETE)
        counts = self.report.counts
        counts["clues"] = len(self.clues)
        counts["clueEntries"], counts["clueDeletions"] = self.clues.entries, self.clues.deletions

    def _operations(self, jsn: int, ops: list[Operation]) -> None:
        """Carries operations out; the log has them, so a precondition has held."""
        for index in self.state.add(jsn, ops) if self.state else ():
            what = f"operation {index} on key {ops[index].key.hex()}"
            raise Rejected("PRECONDITION_IGNORED", f"{what}: {ops[index].precondition}")
        self.report.counts["operations"] += len(ops)

    def _check_signatures(self, submission: _Submission) -> None:
        ledger_id, strand = self.report.ledger_id, self.report.strand
        hashes = [header.request_hash for header in submission.headers]
        batch = submission.count > 1
        whole = submission.request_bytes + len(submission.attestation)
        if whole > BATCH_BYTES_MAX:
            raise Rejected("REQUEST_TOO_LARGE", f"a batch of {whole} bytes")
        if batch and len(set(hashes)) != len(hashes):
            raise Rejected("WRONG_BATCH", "one request twice")
        payload = root_over(hashes) if batch else hashes[0]
        change = submission.headers[0].change
        check_key(change)
        closing = isinstance(change, request.Close)
        purge = isinstance(change, request.Purge)
        signatures = _attestation(
            submission.attestation, cose.SIGNERS_OF_ALL_MAX if closing or purge else cose.SIGNERS_MAX
        )
        of_service = isinstance(change, request.KeyRotation | request.Time)
        removal = isinstance(change, request.Removal)
        if self.members.closed_jsn is not None and not (of_service or removal):
            raise Rejected("LEDGER_CLOSED", f"closed at {self.members.closed_jsn}")
        first = submission.first_jsn
        own, by_members = service.split(signatures) if of_service else ([], signatures)
        signers = [self.members.signer(s.kid, first, self.time_ms) for s in by_members]
        keys = {signer.key.kid: signer.key for signer in signers}
        if isinstance(change, request.KeyRotation | request.Time):
            present = self._service().newest.receipt_key
            keys |= service.who_must_sign(change, present, signatures)
        for signature in signatures:
            typ = cose.SERVICE_REQUEST if signature in own else cose.REQUEST
            try:
                if batch:
                    cose.check_batch(signature, ledger_id, strand, submission.count)
                else:
                    cose.check_request(signature, ledger_id, strand, payload, typ)
                signature.verify(keys[signature.kid], payload)
            except Rejected as e:
                raise _attestation_fault(e) from e
        self.members.check_roles(
            signers,
            change is not None and not isinstance(change, request.Time),
            readers=purge,
        )
        if closing:
            self.members.check_all_owners(signers, self.time_ms)
        _check_flags(submission, any(signer.delegated for signer in signers))
        for signature in signatures:
            signature_id = signature.signature_id(payload)
            if signature_id in self.used_signatures or signature_id[:16] in self.used_below:
                raise Rejected("REPLAYED", f"signature {signature_id.hex()}")
            self.used_signatures.add(signature_id)
            submission.signed.append((signature.kid, signature_id))
        self.report.counts["signatures"] += len(signatures)

    def _signers(self, submission: _Submission) -> list[Member]:
        """The members whose signatures were checked."""
        signatures = _attestation(submission.attestation, cose.SIGNERS_OF_ALL_MAX)
        return [self.members.signer(s.kid, submission.first_jsn, self.time_ms) for s in signatures]

    def _seal(self, leaf: SealLeaf, entry: Entry) -> None:
        if self.submission is not None:
            raise Rejected("WRONG_BATCH", "a seal within a batch")
        if entry.attestation:
            raise Rejected("ATTESTATION_MISMATCH", "a seal with an attestation")
        _check_leaf_alone(entry)
        self._order(leaf.time_ms)
        if leaf.first_jsn != self.first_jsn:
            raise Rejected("BROKEN_BLOCK", f"firstJsn {leaf.first_jsn}, want {self.first_jsn}")
        if leaf.height != self.height:
            raise Rejected("WRONG_HEIGHT", f"height {leaf.height}, want {self.height}")
        if leaf.previous != self.previous_seal:
            raise Rejected("BROKEN_CHAIN", "another seal before it")
        root = self.tree.root()
        if leaf.journal_root != root:
            raise Rejected("WRONG_ROOT", f"{leaf.journal_root.hex()}, want {root.hex()}")
        clue_root = self.clues.root()
        if leaf.clue_root != clue_root:
            what = f"block {leaf.height}: clueRoot {leaf.clue_root.hex()}, want {clue_root.hex()}"
            raise Rejected("WRONG_FEATURE_ROOT", what)
        self._check_state_root(leaf)
        self.previous_seal = leaf_hash(entry.leaf)
        self.purges.seal(leaf, entry.leaf)
        self.occults.add(NO_JOURNAL, self.previous_seal)
        self.last_leaf = entry.leaf
        self.first_jsn, self.height = leaf.jsn + 1, self.height + 1
        self.block_time_ms = None
        self.report.counts["blocks"] += 1
        self._service().check_alone(seal=True)

    def _check_state_root(self, leaf: SealLeaf) -> None:
        wanted = EMPTY_STATE_ROOT
        if self.state:
            self.state.end_block(leaf.height)
            wanted = self.state.root()
        if leaf.state_root != wanted:
            kind = "WRONG_STATE_ROOT" if self.state else "WRONG_FEATURE_ROOT"
            found = f"block {leaf.height}: stateRoot {leaf.state_root.hex()}"
            raise Rejected(kind, f"{found}, want {wanted.hex()}")


def _leaf(jsn: int, encoded: bytes) -> Leaf:
    try:
        leaf = parse_leaf(encoded)
    except Rejected as e:
        raise Rejected("MALFORMED_LEAF", e.detail) from e
    if leaf.jsn != jsn:
        raise Rejected("WRONG_JSN", f"says {leaf.jsn}, stands at {jsn}")
    return leaf


def _check_place(leaf: Leaf) -> None:
    if (leaf.jsn == 0) != isinstance(leaf, GenesisLeaf):
        raise Rejected("WRONG_TYPE", "genesis is first and only first")
    if leaf.jsn == 1 and not isinstance(leaf, SealLeaf):
        raise Rejected("WRONG_TYPE", "genesis' seal is second")


def _check_attestation(attestation: bytes, attest_hash: bytes) -> None:
    if not attestation:
        raise Rejected("ATTESTATION_MISSING", "no attestation")
    if cose.attest_hash(attestation) != attest_hash:
        raise Rejected("ATTESTATION_MISMATCH", "not the attestation the leaf names")


def _attestation(encoded: bytes, most: int = cose.SIGNERS_MAX) -> list[cose.Sign1]:
    try:
        return cose.attestation(encoded, most)
    except Rejected as e:
        raise _attestation_fault(e) from e


def _check_flags(submission: _Submission, delegated: bool) -> None:
    for index, flag in enumerate(submission.flags):
        if flag != delegated:
            raise Fault(submission.first_jsn + index, "WRONG_FLAGS", f"{flag}, want {delegated}")


def _attestation_fault(e: Rejected) -> Rejected:
    same = e.reason in ("BAD_SIGNATURE", "WRONG_LEDGER")
    return Rejected(e.reason if same else "ATTESTATION_INVALID", str(e))


def _contradicted(detail: str) -> Rejected:
    return Rejected("TRUSTED_HEAD_CONTRADICTED", detail)


def _check_leaf_alone(entry: Entry) -> None:
    if entry.body_state not in (NONE, NOT_READ):
        raise Rejected("BODY_UNEXPECTED", f"body state {entry.body_state}")
    if entry.operations:
        raise Rejected("OPERATIONS_MISMATCH", f"{len(entry.operations)} bytes beside no journal")


def _check_body(
    submission: _Submission, header: request.Header, ops: list[Operation], entry: Entry
) -> None:
    if entry.body_state == DAMAGED:
        raise Rejected("BODY_DAMAGED", "the service says so")
    if entry.body_state != PRESENT:
        raise Rejected("BODY_MISSING", f"body state {entry.body_state}")
    puts = sum(op.value_commit is not None for op in ops)
    values = request.check_body(header, entry.salt, entry.body, puts)
    operations.check_values(ops, entry.salt, values)
    if entry.salt == bytes(SALT_BYTES):
        raise Rejected("SALT_INVALID", "a salt of zeros")
    if entry.salt in submission.salts:
        raise Rejected("SALT_INVALID", "a salt twice in a batch")
    submission.salts.add(entry.salt)


def _check_head(what: str, head: receipt.Head, size: int, root: bytes) -> None:
    if head != receipt.Head(size, root):
        raise Rejected(
            "ROOT_MISMATCH",
            f"{what} is of {head.size} leaves, root {head.root.hex()}; "
            f"the log has {size}, root {root.hex()}",
        )
