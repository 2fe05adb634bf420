"""The command: python conformance/python/tallyverify {log,tiles,receipt,proof,range,lineage,state,evidence,certificate} …

Exit status: 0 verified, 2 wrong usage, 4 the evidence does not verify, 6 a file cannot be read,
7 it cannot be judged.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tallyverify import cbor, head, journalproof, keychain, ledger, lineage  # noqa: E402
from tallyverify import misconduct, others, receipt, removal, request, statefile, stateproof  # noqa: E402
from tallyverify.audit import Report, audit, audit_files
from tallyverify.leaf import GENESIS, parse_leaf, position
from tallyverify.logcopy import LogCopy
from tallyverify.operations import KEY_BYTES_MAX
from tallyverify.prefix import Prefix
from tallyverify.rejected import Fault, Malformed, NotJudged, Rejected, iso
from tallyverify.service import ServiceKeys
from tallyverify.tiles import Folder, Web
from tallyverify.timeline import Judge

VERIFIED, USAGE, REJECTED, UNREADABLE, NOT_JUDGED = 0, 2, 4, 6, 7
_TYPES = {1: "journal", 2: "seal", 3: "genesis"}


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        answer, words = options.run(options)
    except Fault as e:
        answer = {"result": "failed", "firstFaultyJsn": e.jsn, "kind": e.kind, "detail": e.detail}
        words = f"FAILED at jsn {e.jsn}: {e.kind}: {e.detail}"
    except Rejected as e:
        answer = {"result": "failed", "kind": e.reason, "detail": e.detail}
        words = f"FAILED: {e.reason}: {e.detail}"
    except OSError as e:
        print(f"tallyverify: {e}", file=sys.stderr)
        return UNREADABLE
    except NotJudged as e:
        print(f"tallyverify: {e}", file=sys.stderr)
        return NOT_JUDGED
    print(json.dumps(answer, indent=2) if options.json else words)
    return VERIFIED if answer["result"] == "passed" else REJECTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tallyverify", description="Verifies what a Tallystick ledger says, offline."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    log = commands.add_parser("log", help="a saved log (tally audit LEDGER --save FILE)")
    log.set_defaults(run=_log)
    files = commands.add_parser("tiles", help="a log's public files (tally export LEDGER DIR)")
    files.set_defaults(run=_tiles)
    files.add_argument("file", metavar="DIR|URL")
    files.add_argument(
        "--no-bodies", action="store_true", help="leave the bodies out, which then are not checked"
    )
    one = commands.add_parser("receipt", help="a saved receipt (tally append --receipts DIR)")
    one.set_defaults(run=_receipt)
    shown = commands.add_parser(
        "proof", help="who signed a document into a ledger (tally append --proof FILE)"
    )
    shown.set_defaults(run=_proof)
    shown.add_argument(
        "--payload", type=Path, required=True, metavar="FILE", help="the document itself"
    )
    many = commands.add_parser("range", help="a range receipt and its leaves from a saved log")
    many.set_defaults(run=_range)
    clue = commands.add_parser(
        "lineage",
        help="the journals of a clue, or that it was never used (tally lineage --save FILE)",
    )
    clue.set_defaults(run=_lineage)
    state = commands.add_parser(
        "state",
        help="what the state holds of keys or of a range (tally state get|range --save FILE)",
    )
    state.set_defaults(run=_state)
    removed = commands.add_parser(
        "certificate", help="who ordered a removal, and the service's word that it is done"
    )
    removed.set_defaults(run=_certificate)
    proof = commands.add_parser("evidence", help="a file that convicts a service (tally evidence)")
    proof.set_defaults(run=_evidence)
    for command in (log, one, shown, many, clue, state, proof, removed):
        command.add_argument("file", type=Path, metavar="FILE")
    for command in (log, files):
        others.add_options(command)
    for command in (log, files, proof):
        command.add_argument(
            "--tsa-ca",
            type=Path,
            metavar="FILE",
            help="certificates of time-stamp authorities in PEM: judges tokens by them "
            "(needs the library rfc3161-client)",
        )
    for command in (log, files, one, shown, many, clue, state, proof, removed):
        command.add_argument("--ledger", type=_ledger_id, required=True, metavar="HEX")
        command.add_argument("--json", action="store_true", help="answer with one JSON object")
        command.add_argument("--strand", type=int, default=0, metavar="N")
    for command in (one, clue, state):
        command.add_argument(
            "--key-chain", type=Path, metavar="FILE", help="if the service's keys were rotated"
        )
    for command in (one, clue, state, proof):
        command.add_argument(
            "--genesis",
            type=Path,
            required=True,
            metavar="FILE",
            help="where the service's keys are: a receipt file of jsn 0, a saved log, a genesis "
            "leaf or GenesisParams; believed only if they hash to the ledger's id",
        )
    many.add_argument("--log", type=Path, required=True, metavar="FILE")
    _lineage_options(clue)
    _state_options(state)
    for command in (clue, state):
        _head_options(command)
    return parser


def _lineage_options(clue: argparse.ArgumentParser) -> None:
    which = clue.add_mutually_exclusive_group(required=True)
    which.add_argument("--clue", metavar="TEXT", help="the clue that is cared about")
    which.add_argument("--clue-id", type=_clue_id, metavar="HEX", help="or its id")
    clue.add_argument("--as-of-size", type=int, metavar="N", help="when the log had N leaves")
    clue.add_argument(
        "--page",
        action="store_true",
        help="take a run for what it is; without it, it must be all journals of the clue",
    )


def _state_options(state: argparse.ArgumentParser) -> None:
    which = state.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--key",
        action="append",
        type=_key,
        metavar="TEXT",
        help="a key that is cared about; repeatable, of a file of several keys",
    )
    which.add_argument(
        "--key-hex", action="append", type=_key_hex, metavar="HEX", help="or its bytes"
    )
    which.add_argument(
        "--range",
        nargs=2,
        type=lambda text: text.encode("utf-8", "surrogateescape"),
        metavar=("FROM", "TO"),
        help="the range that is cared about, of a range file; an empty TO: all keys from FROM on",
    )
    which.add_argument(
        "--range-hex", nargs=2, type=_range_hex, metavar=("FROM", "TO"), help="or its ends' bytes"
    )


def _head_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--head",
        type=Path,
        metavar="FILE",
        help="a checkpoint or receipt statement: the head of a bare proof, of a file the head that "
        "it must be under",
    )
    command.add_argument(
        "--log",
        type=Path,
        metavar="FILE",
        help="a saved log, which is replayed whole and must have this head on its way",
    )


def _ledger_id(text: str) -> bytes:
    return _digits(text, "a ledger's id")


def _clue_id(text: str) -> bytes:
    return _digits(text, "a clue's id")


def _digits(text: str, what: str) -> bytes:
    if len(text) != 64 or any(c not in "0123456789abcdef" for c in text):
        raise argparse.ArgumentTypeError(f"{what} is 64 lower-case hex digits")
    return bytes.fromhex(text)


def _key(text: str) -> bytes:
    return _of_key_size(text.encode("utf-8", "surrogateescape"))


def _key_hex(text: str) -> bytes:
    try:
        return _of_key_size(bytes.fromhex(text))
    except ValueError as e:
        raise argparse.ArgumentTypeError("a key is in hex digits, two for each byte") from e


def _range_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as e:
        raise argparse.ArgumentTypeError("an end is in hex digits, two for each byte") from e


def _of_key_size(key: bytes) -> bytes:
    if not 1 <= len(key) <= KEY_BYTES_MAX:
        raise argparse.ArgumentTypeError(f"a key has 1 to {KEY_BYTES_MAX} bytes")
    return key


def _log(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    with open(options.file, "rb") as file:
        more = others.named(options)
        report = audit(file, options.ledger, options.strand, judge=_judge(options), more=more)
    return _told(report)


def _judge(options: argparse.Namespace) -> Judge | None:
    if options.tsa_ca is None:
        return None
    from tallyverify.tokens import Authorities  # the only part that needs more than `cryptography`

    return Authorities(options.tsa_ca.read_bytes()).gen_time_ms


def _tiles(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    on_the_web = options.file.startswith(("http://", "https://"))
    files = Web(options.file) if on_the_web else Folder(Path(options.file))
    bodies = not options.no_bodies
    more = others.named(options)
    report = audit_files(
        files, options.ledger, options.strand, judge=_judge(options), bodies=bodies, more=more
    )
    answer, words = _told(report)
    answer["bodiesVerified"] = bodies
    return answer, words if bodies else f"{words}; bodies were NOT CHECKED"


def _told(report: Report) -> tuple[dict[str, Any], str]:
    answer = {
        "result": "passed",
        "ledgerId": report.ledger_id.hex(),
        "strand": report.strand,
        "size": report.size,
        "root": report.root.hex(),
        "counts": report.counts,
        "checkpointVerified": report.checkpoint_verified,
        "receiptVerified": report.receipt_verified,
        "timeJudged": report.time_judged,
        "timeUnjudged": report.time_unjudged,
        "occults": report.occults,
        "occulted": report.occulted,
        "stillPresent": report.present,
        "byClock": report.by_clock,
        "purges": report.purges,
        "prefix": _prefix(report.prefix) if report.prefix else None,
    }
    words = f"{report.size} leaves, root {report.root.hex()}, {report.counts}"
    if report.prefix:
        words = f"PASSED from jsn {report.prefix.first_kept} on: {words}"
        words += _not_checked(report.prefix)
    else:
        words = f"PASSED: {words}"
    if report.time_unjudged:
        words += f"; {report.time_unjudged} time journals were NOT JUDGED"
    if report.by_clock:
        words += f"; ASSUMED: of {report.by_clock} removals a regulator's 30 days are by the clock"
    if report.occults:
        words += f"; {report.occults} occults of {report.occulted} journals"
    return answer, words


def _prefix(prefix: Prefix) -> dict[str, Any]:
    shown = prefix.shown
    return {
        "firstKept": prefix.first_kept,
        "purgeJsn": shown.purge.jsn,
        "signers": [[signer.key.kid.hex(), signer.role] for signer in shown.signers],
        "affected": [kid.hex() for kid in shown.snapshot.affected],
        "absent": [kid.hex() for kid in shown.snapshot.absent],
    }


def _not_checked(prefix: Prefix) -> str:
    """What the audit of a purged log cannot say, and who has said it."""
    shown = prefix.shown
    signers = ", ".join(signer.key.kid.hex() for signer in shown.signers)
    words = f"; what is below was purged by {shown.purge.jsn} and is NOT CHECKED; signed by {signers}"
    if shown.snapshot.absent:
        words += f"; absent: {', '.join(kid.hex() for kid in shown.snapshot.absent)}"
    return words


def _receipt(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    leaf, item = receipt.read_file(options.file.read_bytes())
    genesis = ledger.pinned(_genesis_params(options.genesis), options.ledger)
    by = _keys(options, genesis).at(keychain.stated_size(item))
    head = receipt.verify(by, options.strand, leaf, item)
    kind, jsn = position(leaf)
    answer = {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        "jsn": jsn,
        "type": _TYPES[kind],
        "timeMs": parse_leaf(leaf).time_ms,
        "treeSize": head.size,
        "root": head.root.hex(),
    }
    words = f"PASSED: {_TYPES[kind]} {jsn} is in the log of {head.size} leaves"
    return answer, words


def _proof(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    found = journalproof.verify(
        options.file.read_bytes(), options.ledger, options.strand, options.payload.read_bytes()
    )
    answer = {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        "jsn": found.journal.jsn,
        "kind": found.journal.header.kind,
        "timeMs": found.journal.leaf.time_ms,
        "signers": [kid.hex() for kid in found.signers],
        "contentType": found.content_type,
        "clues": found.clues,
        "payloadBytes": found.payload_bytes,
        "heads": [[head.size, head.root.hex()] for head in found.heads],
    }
    words = (
        f"PASSED: this document of {found.payload_bytes} bytes is journal {found.journal.jsn}, "
        f"of {iso(found.journal.leaf.time_ms)}, signed by {', '.join(answer['signers'])}, "
        f"in the log of {found.heads[-1].size} leaves; that they were members is NOT CHECKED"
    )
    return answer, words


def _keys(options: argparse.Namespace, genesis: ledger.Genesis) -> ServiceKeys:
    """The service's keys of every size."""
    chain = options.key_chain.read_bytes() if options.key_chain else keychain.EMPTY
    return keychain.verify(genesis, options.strand, chain).service


def _by(options: argparse.Namespace, genesis: ledger.Genesis, statement: Any) -> ledger.Service:
    """The keys by which a head statement is judged."""
    size = head.stated_size(cbor.byte_string(statement, "head"))
    return _keys(options, genesis).at(size)


def _trusted(options: argparse.Namespace, genesis: ledger.Genesis) -> receipt.Head | None:
    """The head of --head, if it is given."""
    if not options.head:
        return None
    statement = options.head.read_bytes()
    return head.verify(_by(options, genesis, statement), options.strand, statement)


def _certificate(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    found = removal.verify(options.file.read_bytes(), options.ledger, options.strand)
    said = found.statement
    answer = {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        "removal": found.removal.jsn,
        "kind": found.removal.header.kind,
        "timeMs": found.removal.leaf.time_ms,
        "signers": [[signer.key.kid.hex(), signer.role] for signer in found.signers],
        "doneMs": said.done_ms,
        "first": said.first,
        "count": said.count,
        "targets": [target.jsn for target in found.targets],
        "timeJournal": None if found.time is None else found.time.jsn,
        "heads": [[head.size, head.root.hex()] for head in found.heads],
    }
    words = (
        f"PASSED: removal {found.removal.jsn}, signed by {len(found.signers)}; "
        f"the service says that {said.count} from {said.first} on were erased at {iso(said.done_ms)}"
    )
    return answer, words


def _evidence(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    genesis = ledger.pinned(_genesis_params(options.genesis), options.ledger)
    misconduct.confirm(genesis, options.strand, options.file.read_bytes(), _judge(options))
    return {"result": "passed", "ledgerId": options.ledger.hex()}, "CONFIRMED: it convicts the service"


def _range(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    encoded = options.file.read_bytes()
    items = cbor.array(cbor.decode(encoded), "a range receipt", 7)
    first, count = cbor.uint(items[1], "firstJsn"), cbor.uint(items[2], "count")
    genesis = ledger.pinned(_genesis_params(options.log), options.ledger)
    with open(options.log, "rb") as file:
        log = LogCopy(file)
        entries = enumerate(log.entries(), log.first)
        leaves = [e.leaf for jsn, e in entries if first <= jsn < first + count]
    head, _ = receipt.verify_range(genesis, options.strand, encoded, leaves)
    answer = {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        "firstJsn": first,
        "count": count,
        "treeSize": head.size,
        "root": head.root.hex(),
    }
    words = f"PASSED: leaves {first} to {first + count - 1} are in the log of {head.size} leaves"
    return answer, words


def _lineage(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    genesis = ledger.pinned(_genesis_params(options.genesis), options.ledger)
    wanted = options.clue_id or request.clue_id(options.ledger, options.clue)
    run = _run(genesis, options, wanted, options.file.read_bytes())
    if run.clue.clue_id != wanted:
        raise Rejected("WRONG_CLUE", f"the file is about {run.clue.clue_id.hex()}")
    if options.as_of_size is not None:
        jsns = run.as_of(options.as_of_size)
    else:
        jsns = run.jsns if options.page else run.whole()
    _replay_log(options, run.clue.head)
    value = run.clue.value
    answer = {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        "clueId": wanted.hex(),
        "count": value.count if value else 0,
        "deletedJsn": value.deleted_jsn if value else 0,
        "first": run.first,
        "jsns": list(jsns),
        "treeSize": run.clue.head.size,
        "root": run.clue.head.root.hex(),
        "logReplayed": options.log is not None,
    }
    if value is None:
        return answer, f"PASSED: never used in the log of {run.clue.head.size} leaves"
    words = f"PASSED: journals {list(jsns)}, from {run.first} on of {value.count}"
    return answer, f"{words} in the log of {run.clue.head.size} leaves"


def _run(
    genesis: ledger.Genesis, options: argparse.Namespace, wanted: bytes, encoded: bytes
) -> lineage.Run:
    trusted = _trusted(options, genesis)
    items = cbor.array(cbor.decode(encoded), "what is about a clue")
    if items[:1] == [lineage.LINEAGE_FILE]:
        by = _by(options, genesis, cbor.array(items, "a lineage file", 4)[2])
        run = lineage.verify_file(by, options.strand, encoded)
        if trusted:
            head.same(trusted, run.clue.head)
        return run
    if trusted is None:
        raise Rejected("MISSING", "a bare proof needs its head: --head")
    return lineage.verify(genesis.ledger_id, options.strand, trusted, wanted, encoded)


def _replay_log(options: argparse.Namespace, trusted: receipt.Head) -> None:
    """The log of --log, if it is given, must continue the head."""
    if options.log:
        with open(options.log, "rb") as file:
            audit(file, options.ledger, options.strand, trusted)


def _state(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    genesis = ledger.pinned(_genesis_params(options.genesis), options.ledger)
    ends = options.range or options.range_hex
    if ends is not None:
        return _state_range(genesis, options, ends[0], ends[1] or None)
    wanted = options.key or options.key_hex
    encoded = options.file.read_bytes()
    if cbor.array(cbor.decode(encoded), "what is about keys")[:1] == [statefile.SEVERAL_FILE]:
        return _several(genesis, options, wanted, encoded)
    if len(wanted) > 1:
        raise Rejected("WRONG_KEY", "the file is about one key alone")
    reading = _reading(genesis, options, wanted[0], encoded)
    if reading.key != wanted[0]:
        raise Rejected("WRONG_KEY", f"the file is about {reading.key.hex()}")
    _replay_log(options, reading.head)
    row, words = _held(wanted[0], reading.answer, reading.value)
    answer = _passed(options, row | {"height": reading.answer.height}, reading.head)
    return answer, f"PASSED: {words}, {_as_of(reading.answer.height, reading.head)}"


def _several(
    genesis: ledger.Genesis, options: argparse.Namespace, wanted: list[bytes], encoded: bytes
) -> tuple[dict[str, Any], str]:
    items = cbor.array(cbor.decode(encoded), "a file of several keys", 4)
    found = statefile.verify_several(_by(options, genesis, items[1]), options.strand, encoded)
    trusted = _trusted(options, genesis)
    if trusted:
        head.same(trusted, found.head)
    missing = [key.hex() for key in wanted if key not in found.keys]
    if missing:
        raise Rejected("WRONG_KEY", f"the file is not about {missing[0]}")
    _replay_log(options, found.head)
    shown = zip(found.keys, found.answers, found.values, strict=True)
    held = [_held(*each) for each in shown if each[0] in wanted]
    keys: list[dict[str, Any]] = [row for row, _ in held]
    answer = _passed(options, {"keys": keys, "height": found.height}, found.head)
    words = "; ".join(words for _, words in held)
    return answer, f"PASSED: {words}, {_as_of(found.height, found.head)}"


def _held(
    key: bytes, found: stateproof.Answer, value: bytes | None
) -> tuple[dict[str, Any], str]:
    """What a key holds, as an object and in words."""
    row: dict[str, Any] = {"keyHex": key.hex(), "answer": found.what}
    words = found.what
    if found.entry:
        row["jsn"] = found.entry.jsn
        words += f" by journal {found.entry.jsn}"
    if found.entry and found.entry.value_commit:
        row["valueBytes"] = found.entry.value_size
        row["valueCommit"] = found.entry.value_commit.hex()
        words += f", {found.entry.value_size} bytes"
    if value is not None:
        row["valueHex"] = value.hex()
        words += f" {value!r}"
    return row, words


def _passed(
    options: argparse.Namespace, row: dict[str, Any], trusted: receipt.Head
) -> dict[str, Any]:
    return {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        **row,
        "treeSize": trusted.size,
        "root": trusted.root.hex(),
        "logReplayed": options.log is not None,
    }


def _as_of(height: int, trusted: receipt.Head) -> str:
    return f"as of block {height}, the log's first {trusted.size} leaves"


def _reading(
    genesis: ledger.Genesis, options: argparse.Namespace, wanted: bytes, encoded: bytes
) -> statefile.Reading:
    trusted = _trusted(options, genesis)
    items = cbor.array(cbor.decode(encoded), "what is about a key")
    if items[:1] != [stateproof.LOOKUP]:
        by = _by(options, genesis, cbor.array(items, "a proof file", 4)[1])
        reading = statefile.verify(by, options.strand, encoded)
        if trusted:
            head.same(trusted, reading.head)
        return reading
    if trusted is None:
        raise Rejected("MISSING", "a bare proof needs its head: --head")
    answer = stateproof.verify_lookup(trusted, wanted, encoded)
    return statefile.Reading(wanted, trusted, answer, None)


def _state_range(
    genesis: ledger.Genesis, options: argparse.Namespace, start: bytes, to: bytes | None
) -> tuple[dict[str, Any], str]:
    encoded = options.file.read_bytes()
    items = cbor.array(cbor.decode(encoded), "a range file", 4)
    found = statefile.verify_range(_by(options, genesis, items[1]), options.strand, encoded)
    trusted = _trusted(options, genesis)
    if trusted:
        head.same(trusted, found.head)
    behind = to is not None and (found.to is None or found.to > to)
    if found.start != start or behind:
        ends = f"{found.start.hex()} to {found.to.hex() if found.to else 'the end'}"
        raise Rejected("WRONG_KEY", f"the file is about the keys from {ends}")
    _replay_log(options, found.head)
    keys = []
    for entry, value in zip(found.entries, found.values, strict=True):
        row = {"keyHex": entry.key.hex(), "jsn": entry.jsn, "valueBytes": entry.value_size}
        keys.append(row if value is None else row | {"valueHex": value.hex()})
    complete = found.to == to
    answer = {
        "result": "passed",
        "ledgerId": options.ledger.hex(),
        "keys": keys,
        "complete": complete,
        "height": found.height,
        "treeSize": found.head.size,
        "root": found.head.root.hex(),
        "logReplayed": options.log is not None,
    }
    if not complete and found.to is not None:
        answer["nextHex"] = found.to.hex()
    words = f"PASSED: {len(keys)} keys" + ("" if complete else ", and not the whole range")
    return answer, f"{words}, as of block {found.height}, the log's first {found.head.size} leaves"


def _genesis_params(path: Path) -> bytes:
    """GenesisParams from whatever holds them; who uses them compares their hash."""
    with open(path, "rb") as file:
        if file.read(8) == b"TALLYLOG":
            file.seek(0)
            log = LogCopy(file)
            if log.beginning:
                return log.beginning.snapshot().params
            for entry in log.entries():
                return _params_of_leaf(entry.leaf)
            raise Malformed("a log without leaves")
    encoded = path.read_bytes()
    items = cbor.array(cbor.decode(encoded), "what holds GenesisParams")
    if len(items) == 12:
        return encoded
    if len(items) == 3:
        encoded = receipt.read_file(encoded)[0]
    return _params_of_leaf(encoded)


def _params_of_leaf(encoded: bytes) -> bytes:
    items = cbor.array(cbor.decode(encoded), "the leaf", 6)
    cbor.exactly(items[0], GENESIS, "the leaf's type")
    return cbor.byte_string(items[4], "GenesisParams")


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
