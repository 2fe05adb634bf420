package io.tallystick.audit;

import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A log in memory, as a source would tell it.
public record MemoryLog(StrandId strand, List<LogEntry> entries, LogEnd end) implements LoneLog {
  public MemoryLog {
    entries = List.copyOf(entries);
  }

  public static MemoryLog of(ReferenceLedger ledger) {
    return new MemoryLog(
        ledger.strand(),
        ledger.entries().stream().map(MemoryLog::entry).toList(),
        new LogEnd(ledger.checkpoint(), ledger.headReceipt()));
  }

  private static LogEntry entry(ReferenceEntry entry) {
    Optional<SignedRequest> request = entry.request();
    return new LogEntry(
        entry.leaf(),
        entry.attestation(),
        request.map(SignedRequest::ops).orElse(Bytes.EMPTY),
        request.isPresent() ? BodyState.PRESENT : BodyState.NONE,
        request.map(SignedRequest::salt).orElse(Bytes.EMPTY),
        request.map(SignedRequest::body).orElse(Bytes.EMPTY));
  }

  public MemoryLog with(int index, UnaryOperator<LogEntry> change) {
    List<LogEntry> changed = new ArrayList<>(entries);
    changed.set(index, change.apply(changed.get(index)));
    return withEntries(changed);
  }

  public MemoryLog withEntries(List<LogEntry> newEntries) {
    return new MemoryLog(strand, newEntries, end);
  }

  public MemoryLog withEnd(Bytes checkpoint, Bytes headReceipt) {
    return new MemoryLog(strand, entries, new LogEnd(checkpoint, headReceipt));
  }

  /// The same entry with other operations.
  public static LogEntry withOps(LogEntry entry, Bytes ops) {
    return new LogEntry(
        entry.leaf(), entry.attestation(), ops, entry.bodyState(), entry.salt(), entry.body());
  }

  /// The same entry without its body.
  public static LogEntry bodiless(LogEntry entry, BodyState state) {
    return new LogEntry(
        entry.leaf(), entry.attestation(), entry.ops(), state, Bytes.EMPTY, Bytes.EMPTY);
  }

  @Override
  public LogReader open() {
    Iterator<LogEntry> rest = entries.iterator();
    return new LogReader() {
      @Override
      public StrandId strand() {
        return strand;
      }

      @Override
      public long size() {
        return entries.size();
      }

      @Override
      public @Nullable LogEntry next() {
        return rest.hasNext() ? rest.next() : null;
      }

      @Override
      public LogEnd end() {
        return end;
      }

      @Override
      public void close() {}
    };
  }
}
