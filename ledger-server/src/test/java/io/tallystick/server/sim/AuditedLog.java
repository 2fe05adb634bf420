package io.tallystick.server.sim;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.JournalView;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.server.clue.SnapshotClues;
import io.tallystick.server.read.KeyChains;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/// The log of a ledger as an auditor gets it: from the shard, beginning with what a purge has left;
/// or whole, as somebody has it who read along, without the bodies that are occulted.
///
/// @param firstJsn of the first entry
/// @param purged with what the log begins; empty if it is whole
/// @param clues of what was purged
/// @param state likewise
record AuditedLog(
    StrandId strand,
    long firstJsn,
    List<LogEntry> entries,
    LogEnd end,
    Optional<PurgedStart> purged,
    Optional<Bytes> keyChain,
    Optional<Bytes> clues,
    Optional<Bytes> state)
    implements LogSource {
  private static final Auditor AUDITOR = new Auditor(new FakeSignatures());

  /// @throws Violation if the auditor finds a fault
  static void audit(Shard shard, Disk disk, SimLedger ledger) throws IOException {
    try {
      StrandIndex strand = shard.indexer().strand(ledger.strand);
      whole(shard, strand, ledger).pass();
      Optional<Purged> purge = ledger.removed.lastPurge(strand.head().size());
      if (purge.isPresent()) {
        kept(shard, disk, strand, purge.get()).pass();
      }
    } catch (CorruptStreamException
        | RequestRejectedException
        | MalformedException
        | InterruptedException e) {
      throw new Violation("no log to audit", e);
    }
  }

  private void pass() throws IOException, InterruptedException {
    try {
      AuditReport report = AUDITOR.audit(strand, this, AuditOptions.defaults().withThreads(1));
      Violation.unless(
          report.firstFault().isEmpty() && report.size().value() == firstJsn + entries.size(),
          "the auditor finds from %s on: %s",
          firstJsn,
          report.faults());
    } catch (io.tallystick.audit.finding.AuditLimitException e) {
      throw new Violation("the auditor finds no end", e);
    }
  }

  private static LogEnd end(Shard shard, StrandIndex strand)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = strand.head();
    return new LogEnd(
        shard.evidence().checkpoint(strand, head),
        shard.evidence().receipt(strand, strand.block(head.height()), head.size() - 1));
  }

  private static AuditedLog whole(Shard shard, StrandIndex strand, SimLedger ledger)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long size = strand.head().size();
    SortedSet<Long> occulted = ledger.removed.at(size).occulted();
    List<LogEntry> entries = new ArrayList<>();
    for (long jsn = 0; jsn < size; jsn++) {
      History.Entry entry = ledger.history.entry(jsn);
      Sent sent = entry.sent();
      if (sent == null) {
        Bytes attestation = jsn == 0 ? ledger.founding.attestation() : Bytes.EMPTY;
        entries.add(
            new LogEntry(entry.leaf(), attestation, BodyState.NONE, Bytes.EMPTY, Bytes.EMPTY));
        continue;
      }
      boolean erased = occulted.contains(jsn);
      entries.add(
          new LogEntry(
              entry.leaf(),
              entry.index() == 0 ? sent.attestation : Bytes.EMPTY,
              sent.request(entry.index()).ops(),
              erased ? BodyState.ERASED : BodyState.PRESENT,
              erased ? Bytes.EMPTY : sent.request(entry.index()).salt(),
              erased ? Bytes.EMPTY : sent.request(entry.index()).body()));
    }
    return new AuditedLog(
        ledger.strand,
        0,
        entries,
        end(shard, strand),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static AuditedLog kept(Shard shard, Disk disk, StrandIndex strand, Purged purged)
      throws IOException, CorruptStreamException, RequestRejectedException, MalformedException {
    List<LogEntry> entries = new ArrayList<>();
    shard
        .log()
        .walk(
            strand,
            purged.firstKept(),
            strand.head().size(),
            true,
            (_, leaf, attestation, ops, state, salt, body) ->
                entries.add(
                    new LogEntry(
                        leaf,
                        Objects.requireNonNullElse(attestation, Bytes.EMPTY),
                        ops,
                        state,
                        Objects.requireNonNullElse(salt, Bytes.EMPTY),
                        Objects.requireNonNullElse(body, Bytes.EMPTY))));
    JournalView journal = shard.log().journal(strand, purged.jsn(), false);
    SnapshotRows.Held held =
        shard
            .tables()
            .snapshots()
            .named(
                strand.strand().ledger(),
                strand.head().governance().removals().lastPurge().orElseThrow());
    PseudoGenesis file =
        new PseudoGenesis(
            held.snapshot().encode(),
            shard.evidence().receiptFile(strand, journal),
            Objects.requireNonNull(journal.attestation()));
    long height = strand.head().governance().removals().lastPurge().orElseThrow().height();
    CborWriter window = new CborWriter();
    held.window().forEach(window::raw);
    return new AuditedLog(
        strand.strand(),
        purged.firstKept(),
        entries,
        end(shard, strand),
        Optional.of(new PurgedStart(file.encode(), window.toBytes())),
        Optional.of(new KeyChains(shard.evidence(), shard.log()).of(strand).encode()),
        content(SnapshotClues.open(disk, strand.strand(), height)),
        content(shard.removals().states().snapshot(strand.strand(), height)));
  }

  private static Optional<Bytes> content(Optional<DiskFile> found) throws IOException {
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try (DiskFile file = found.get()) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      var _ = file.read(0, bytes);
      return Optional.of(Bytes.wrap(bytes.array()));
    }
  }

  @Override
  public Optional<InputStream> purgedClues() {
    return clues.map(file -> new ByteArrayInputStream(file.toArray()));
  }

  @Override
  public Optional<InputStream> purgedState() {
    return state.map(file -> new ByteArrayInputStream(file.toArray()));
  }

  @Override
  public LogReader open() throws LogFormatException {
    return open(firstJsn, 0);
  }

  @Override
  public LogReader open(long jsn, long source) {
    Iterator<LogEntry> rest = entries.subList((int) (jsn - firstJsn), entries.size()).iterator();
    StrandId of = strand;
    LogEnd last = end;
    long size = firstJsn + entries.size();
    return new LogReader() {
      @Override
      public StrandId strand() {
        return of;
      }

      @Override
      public long size() {
        return size;
      }

      @Override
      public @Nullable LogEntry next() {
        return rest.hasNext() ? rest.next() : null;
      }

      @Override
      public LogEnd end() {
        return last;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public Optional<Bytes> cosigned() {
    return Optional.empty();
  }

  @Override
  public Optional<ConsistencyProof> consistency(long from, long to) {
    return Optional.empty();
  }

  @Override
  public Optional<Bytes> leafHashes(long index, int width) {
    return Optional.empty();
  }
}
