package io.tallystick.cli;

import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import java.io.InputStream;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A log made without a service, to be saved and audited.
record ReferenceLog(ReferenceLedger ledger) implements LogSource {
  @Override
  public LogReader open() {
    return new Reader(ledger, ledger.entries().iterator());
  }

  @Override
  public Optional<Bytes> keyChain() {
    return Optional.empty();
  }

  @Override
  public Optional<Bytes> cosigned() {
    return Optional.empty();
  }

  @Override
  public Optional<PurgedStart> purged() {
    return Optional.empty();
  }

  @Override
  public Optional<InputStream> purgedClues() {
    return Optional.empty();
  }

  @Override
  public Optional<InputStream> purgedState() {
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

  private record Reader(ReferenceLedger ledger, Iterator<ReferenceEntry> rest)
      implements LogReader {
    @Override
    public StrandId strand() {
      return ledger.strand();
    }

    @Override
    public long size() {
      return ledger.size();
    }

    @Override
    public @Nullable LogEntry next() {
      return rest.hasNext() ? entry(rest.next()) : null;
    }

    private static LogEntry entry(ReferenceEntry entry) {
      Optional<SignedRequest> request = entry.request();
      return new LogEntry(
          entry.leaf(),
          entry.attestation(),
          request.isPresent() ? BodyState.PRESENT : BodyState.NONE,
          request.map(SignedRequest::salt).orElse(Bytes.EMPTY),
          request.map(SignedRequest::body).orElse(Bytes.EMPTY));
    }

    @Override
    public LogEnd end() {
      return new LogEnd(ledger.checkpoint(), ledger.headReceipt());
    }

    @Override
    public void close() {}
  }
}
