package io.tallystick.audit.statement;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.audit.Logs;
import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.history.HeadComparison;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.history.SignatureWindow;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.JournalRef;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Goal: whatever becomes of an auditor's statement, it goes on from one that it signed, in its one
/// encoding, or says why not. Method: Jazzer; `docs/testing.md`.
class StatementFuzzTest extends FuzzContract {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final Signer AUDITOR = auditor();
  private static final int SUFFIX_BYTES = Digest.BYTES + 64;
  private static final int OPEN_MAX = 1_000;

  /// The last byte of the version.
  private static final int VERSION_AT = 11;

  /// The table of open signatures, and what it takes to sign.
  private static final long RESUMED_BYTES = 512 << 10;

  private static final List<Bytes> OWN =
      List.of(
          StatementCodec.encode(statement(5, true), AUDITOR),
          StatementCodec.encode(statement(9, false), AUDITOR));
  private static final Edits FILES =
      new Edits(
          List.of(
              List.of(OWN.get(0)),
              List.of(OWN.get(1)),
              List.of(StatementCodec.encode(statement(5, false), Fixtures.BOB))));

  /// Carol, signing fast: every input is signed.
  private static Signer auditor() {
    try {
      return SIGNATURES.importPkcs8(Fixtures.CAROL.exportPkcs8());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// @param plain of an audit that found nothing and was not told what to compare with
  private static AuditStatement statement(int journals, boolean plain) {
    ReferenceLedger ledger = ReferenceLedger.found(Logs.FIXTURES);
    for (int i = 0; i < journals; i++) {
      ledger.append(Logs.FIXTURES.single(i));
    }
    ledger.seal();
    CompactRange range = new CompactRange();
    Digest seal = Digest.ZERO;
    for (ReferenceEntry entry : ledger.entries()) {
      seal = TreeHasher.leafHash(entry.leaf());
      range.append(seal.toArray(), 0);
    }
    long size = ledger.size();
    return new AuditStatement(
        ledger.strand(),
        new AuditStatement.Checks(true, !plain),
        Logs.FIXTURES.params().encode(),
        new AuditStatement.Head(
            size, range.subtrees(), range.root(), seal, 700, 2, Fixtures.TIME_MS + 10, plain),
        members(plain),
        new AuditCounts(
            size,
            2,
            journals,
            0,
            journals,
            journals,
            0,
            0,
            0,
            5_000,
            plain ? 0 : 4,
            plain ? 0 : 9,
            plain ? 0 : 1,
            plain ? 0 : 6),
        plain ? 0 : 2,
        plain ? List.of() : List.of(new AuditFault(3, FaultKind.BODY_DAMAGED, "größer")),
        plain ? Optional.empty() : Optional.of(new AuditStatement.Compared(2, ledger.root(2))),
        plain ? -1 : 4,
        plain ? Optional.empty() : Optional.of(ledger.root(2)),
        Fixtures.TIME_MS + 1_000,
        plain ? Bytes.EMPTY : Bytes.fromHex("d0".repeat(16) + "0000000000000002000001a0c4515660"),
        plain ? AuditStatement.Trust.NONE : trust(),
        plain ? AuditStatement.Removals.NONE : removals());
  }

  private static AuditStatement.Removals removals() {
    return new AuditStatement.Removals(
        List.of(
            new AuditedRemovals.Occult(
                6,
                Fixtures.TIME_MS,
                "lösch",
                Optional.of(Digest.fromHex("12".repeat(32))),
                List.of(new AuditedRemovals.Signer(Fixtures.BOB.publicKey().kid(), Role.REGULATOR)),
                2,
                List.of(new AuditedRemovals.Range(2, 3)))),
        1,
        2,
        1,
        0,
        Optional.of(Digest.fromHex("e1".repeat(32))));
  }

  private static AuditStatement.Trust trust() {
    return new AuditStatement.Trust(
        7,
        List.of(
            new ServiceKeys.Term(
                new TreeSize(6),
                Fixtures.NEXT_NOTE.publicKey(),
                Fixtures.NEXT_RECEIPT.publicKey())),
        new TimeState(
            Optional.of(new JournalRef(new Jsn(2), Digest.fromHex("f0".repeat(32)))),
            List.of(new TimeHeads.Head(4, Digest.fromHex("a0".repeat(32)), 1)),
            0,
            1,
            0,
            new TimeState.Windows(
                1,
                1_790_000_000_800L,
                1_790_000_000_900L,
                0,
                250,
                List.of(new TimeState.Segment(2, 0, 1_790_000_000_900L)),
                Map.of(250, 1L))));
  }

  private static List<AuditStatement.Member> members(boolean plain) {
    return (plain ? owners() : changed())
        .sorted(Comparator.comparing(member -> member.key().kid()))
        .toList();
  }

  private static Stream<AuditStatement.Member> owners() {
    long createdMs = Logs.FIXTURES.params().createdMs();
    return Logs.FIXTURES.params().owners().stream()
        .map(key ->
            new AuditStatement.Member(
                key, Role.OWNER, -1, -1, false, 0, createdMs, Optional.empty()));
  }

  private static Stream<AuditStatement.Member> changed() {
    return Stream.of(
        new AuditStatement.Member(Fixtures.ALICE.publicKey(), Role.OWNER, -1),
        new AuditStatement.Member(Fixtures.BOB.publicKey(), Role.OWNER, -1),
        new AuditStatement.Member(
            Fixtures.CAROL.publicKey(),
            Role.NORMAL,
            4,
            Fixtures.TIME_MS,
            true,
            2,
            Fixtures.TIME_MS,
            Optional.of(Fixtures.BOB.publicKey().kid())));
  }

  @Override
  protected long allocatedBytesMax() {
    return RESUMED_BYTES;
  }

  /// The file without its key and signature, which are made right first, or nothing behind them
  /// would ever be reached.
  @FuzzTest
  void state(byte[] input) {
    decoder(
        input,
        bytes -> {
          AuditStatement read = read(StatementCodec.signed(bytes, AUDITOR));
          Bytes encoded = StatementCodec.encode(read, AUDITOR);
          Bytes state = encoded.slice(0, encoded.size() - SUFFIX_BYTES);
          // Versions 1 to 5 are not written any more.
          return bytes.toArray()[VERSION_AT] <= 5 && read(encoded).equals(read) ? bytes : state;
        },
        StatementException.class);
  }

  @FuzzTest
  void file(byte[] program) {
    attempt(
        () -> {
          Bytes file = FILES.apply(program).getFirst();
          read(file);
          if (!OWN.contains(file)) {
            throw new AssertionError("went on from what the auditor did not sign: " + file.hex());
          }
        },
        StatementException.class);
  }

  /// As an audit that goes on does, which stands then where the statement says.
  private static AuditStatement read(Bytes file) throws Exception {
    AuditStatement read = StatementCodec.decode(file, AUDITOR.publicKey(), SIGNATURES);
    AuditContext context = read.context(SIGNATURES);
    Replay replay =
        new Replay(
            context,
            HeadComparison.of(Optional.empty(), List.of()),
            HeadComparison.ofAnchor(Optional.empty()),
            new SignatureWindow(OPEN_MAX),
            new Findings(!read.checks().allFaults()),
            AuditOptions.defaults(),
            null);
    replay.restore(read);
    AuditStatement now = replay.statement(context, read.checks(), 0, read.madeMs());
    if (!now.members().equals(read.members())
        || !now.trust().equals(read.trust())
        || !now.counts().equals(read.counts())
        || !now.faults().equals(read.faults())
        || now.faultCount() != read.faultCount()
        || now.head().size() != read.head().size()
        || !now.head().root().equals(read.head().root())) {
      throw new AssertionError("read " + read + ", goes on from " + now);
    }
    return read;
  }
}
