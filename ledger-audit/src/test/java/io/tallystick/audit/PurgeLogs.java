package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.Role;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.reference.ReferenceTree;
import io.tallystick.tile.TilePath;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Logs with purges.
///
/// | jsn | what |
/// | --- | --- |
/// | 0, 1 | genesis, seal |
/// | 2, 3 | Carol becomes a regulator, seal |
/// | 4, 5 | Alice, seal |
/// | 6, 7 | Bob, seal |
/// | 8, 9 | Alice, seal |
public final class PurgeLogs {
  static final Fixtures FIXTURES = Fixtures.ledger();
  static final long RECALL_MS = 4_000;
  static final int SIZE = 10;

  private PurgeLogs() {}

  public static ReferenceLedger sample() {
    return ReferenceLedger.found(FIXTURES)
        .append(FIXTURES.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()))
        .seal()
        .append(FIXTURES.single(1))
        .seal()
        .append(FIXTURES.submission(FIXTURES.request(2), Fixtures.BOB))
        .seal()
        .append(FIXTURES.single(3))
        .seal();
  }

  /// Of the log, with these affected members absent.
  public static Snapshot snapshot(ReferenceLedger log, long firstKept, Signer... absent) {
    try {
      AuditedSnapshot made =
          Logs.AUDITOR.snapshot(
              log.strand(), MemoryLog.of(log), Logs.OPTIONS, Optional.empty(), firstKept);
      assertThat(made.report().firstFault()).isEmpty();
      return made.snapshot().orElseThrow().withAbsent(kids(absent));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static List<Digest> kids(Signer... signers) {
    return Stream.of(signers).map(signer -> signer.publicKey().kid()).sorted().toList();
  }

  public static Extension.Purge content(Snapshot snapshot) {
    return new Extension.Purge(
        snapshot.firstKept(), snapshot.height(), snapshot.digest(), RECALL_MS);
  }

  public static Submission purge(Extension.Purge purge, long timeMs, Signer... signers) {
    return removal(FIXTURES, Kind.PURGE, purge, timeMs, signers);
  }

  public static Submission purge(Snapshot snapshot, Signer... signers) {
    return purge(content(snapshot), Fixtures.TIME_MS, signers);
  }

  /// Of another ledger.
  public static Submission purge(Fixtures ledger, Snapshot snapshot, Signer... signers) {
    return removal(ledger, Kind.PURGE, content(snapshot), Fixtures.TIME_MS, signers);
  }

  static Submission recall(long purge, long timeMs, Signer... signers) {
    return removal(FIXTURES, Kind.RECALL, new Extension.Recall(new Jsn(purge)), timeMs, signers);
  }

  private static Submission removal(
      Fixtures ledger, Kind kind, Extension.Removal removal, long timeMs, Signer... signers) {
    return ledger.submission(
        RequestDraft.govern(
                ledger.strand(), kind, removal, timeMs, Fixtures.bytes32(removal.toString()))
            .build(),
        signers);
  }

  /// What is left of a log, with what it begins.
  ///
  /// @param clues empty if the source has none
  /// @param state likewise
  public record Purged(MemoryLog whole, PurgedStart start, long firstKept, Bytes clues, Bytes state)
      implements LogSource {
    Purged(MemoryLog whole, PurgedStart start, long firstKept) {
      this(whole, start, firstKept, Bytes.EMPTY, Bytes.EMPTY);
    }

    @Override
    public LogReader open() {
      throw new AssertionError("the first leaves are gone");
    }

    @Override
    public LogReader open(long jsn, long source) {
      assertThat(jsn).isGreaterThanOrEqualTo(firstKept / TilePath.WIDTH * TilePath.WIDTH);
      LogReader log = whole.open();
      try {
        for (long i = 0; i < jsn; i++) {
          var _ = log.next();
        }
      } catch (IOException | LogFormatException e) {
        throw new AssertionError(e);
      }
      return log;
    }

    @Override
    public Optional<Bytes> keyChain() {
      return whole.keyChain();
    }

    @Override
    public Optional<Bytes> cosigned() {
      return whole.cosigned();
    }

    @Override
    public Optional<PurgedStart> purged() {
      return Optional.of(start);
    }

    @Override
    public Optional<InputStream> purgedClues() {
      return file(clues);
    }

    @Override
    public Optional<InputStream> purgedState() {
      return file(state);
    }

    private static Optional<InputStream> file(Bytes content) {
      return content.isEmpty()
          ? Optional.empty()
          : Optional.of(new ByteArrayInputStream(content.toArray()));
    }

    @Override
    public Optional<ConsistencyProof> consistency(long from, long to) {
      List<Bytes> leaves = whole.entries().stream().map(LogEntry::leaf).toList();
      return Optional.of(
          new ConsistencyProof(
              from, to, new ReferenceTree(leaves).consistencyPath((int) from, (int) to)));
    }

    @Override
    public Optional<Bytes> leafHashes(long index, int width) {
      CborWriter hashes = new CborWriter();
      int first = (int) index * TilePath.WIDTH;
      whole.entries().subList(first, first + width).stream()
          .map(entry -> Bytes.wrap(TreeHasher.leafHash(entry.leaf()).toArray()))
          .forEach(hashes::raw);
      return Optional.of(hashes.toBytes());
    }

    Purged with(PurgedStart other) {
      return new Purged(whole, other, firstKept, clues, state);
    }

    public Purged withClues(Bytes other) {
      return new Purged(whole, start, firstKept, other, state);
    }

    Purged withState(Bytes other) {
      return new Purged(whole, start, firstKept, clues, other);
    }
  }

  /// The log without what a purge removed.
  ///
  /// @param snapshot that the purge names
  public static Purged without(ReferenceLedger log, int purge, Snapshot snapshot) {
    try {
      int size = log.size();
      ReceiptFile receipt =
          new ReceiptFile(
              log.entries().get(purge).leaf(),
              Receipt.decode(log.receipt(Fixtures.RECEIPT, size, purge)));
      PseudoGenesis file =
          new PseudoGenesis(
              snapshot.encode(), receipt.encode(), log.entries().get(purge).attestation());
      long firstKept = snapshot.firstKept().value();
      CborWriter window = new CborWriter();
      window(log, (int) firstKept).forEach(window::raw);
      return new Purged(
          MemoryLog.of(log), new PurgedStart(file.encode(), window.toBytes()), firstKept);
    } catch (MalformedException | ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  /// By the definition: all signatures are of the last 30 days.
  private static List<Bytes> window(ReferenceLedger log, int firstKept)
      throws MalformedException, ProofRejectedException {
    TreeSet<Bytes> entries = new TreeSet<>();
    for (int jsn = 2; jsn < firstKept; jsn++) {
      ReferenceEntry entry = log.entries().get(jsn);
      if (entry.request().isEmpty()) {
        continue;
      }
      Bytes encoded = entry.request().get().header();
      RequestHeader header = RequestHeader.decode(encoded);
      Attestation attestation = Attestation.decode(entry.attestation(), header.kind());
      for (AttestationVerifier.Signer signer :
          AttestationVerifier.verify(
              log.strand(),
              List.of(header),
              List.of(RequestHeader.hash(encoded)),
              attestation,
              FIXTURES.keys().withReceiptKey(Fixtures.RECEIPT.publicKey()),
              SignatureProviders.best())) {
        entries.add(
            Bytes.wrap(
                ByteBuffer.allocate(Snapshot.WINDOW_ENTRY_BYTES)
                    .put(signer.signatureId().toArray(), 0, 16)
                    .putLong(jsn)
                    .putLong(header.expiresMs())
                    .array()));
      }
    }
    return List.copyOf(entries);
  }

  /// All below 8 go, at 10: Alice and Bob sign.
  public static ReferenceLedger purged() {
    ReferenceLedger log = sample();
    return log.append(purge(snapshot(log, 8), Fixtures.ALICE, Fixtures.BOB)).seal();
  }
}
