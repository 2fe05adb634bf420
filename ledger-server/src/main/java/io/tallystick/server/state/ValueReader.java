package io.tallystick.server.state;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Ops;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ReadValue;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.read.StoredWrites;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Removals;
import io.tallystick.state.StateValue;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads values where they were committed, in the body of their journal, or where a purge has left
/// them: {@link StateImages}. Each is compared with the size and commitment of its entry; one that
/// does not fit is damaged, and says nothing of others. Thread-safe.
final class ValueReader {
  private static final Logger LOG = LoggerFactory.getLogger(ValueReader.class);

  /// The values of a page end before the one that passes it.
  private static final long VALUE_BYTES_WANTED = 768 << 10;

  /// They also end before the one for which the stream's bytes that are read pass this: a journal's
  /// operations and its body, of 1 MiB at most, are read whole for one value in it.
  private static final long READ_BYTES_WANTED = 8 << 20;

  private final LogReader log;
  private final StateImages images;

  ValueReader(LogReader log, StateImages images) {
    this.log = log;
    this.images = images;
  }

  /// Whether the body that an entry's value was committed in is gone by a purge, or will be.
  private static boolean isPurged(StrandIndex strand, long jsn) {
    Removals removals = strand.head().governance().removals();
    return jsn < removals.firstKept() && !removals.isOcculted(jsn);
  }

  /// Those of a strand's entries.
  Values of(StrandIndex strand) {
    return new Values() {
      @Override
      public int countOfPage(List<HeldEntry> entries) throws IOException {
        return ValueReader.this.countOfPage(strand, entries);
      }

      @Override
      public List<ReadValue> read(List<HeldEntry> entries) throws IOException {
        return ValueReader.this.read(strand, entries);
      }
    };
  }

  /// As {@link Values#countOfPage}.
  int countOfPage(StrandIndex strand, List<HeldEntry> entries) throws IOException {
    Set<Long> journals = new HashSet<>();
    long valueBytes = 0;
    long readBytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      StateEntry entry = entries.get(i).entry();
      valueBytes += entry.valueSizeBytes();
      readBytes += journals.add(entry.jsn().value()) ? bytesRead(strand, entry) : 0;
      if (i > 0 && (valueBytes > VALUE_BYTES_WANTED || readBytes > READ_BYTES_WANTED)) {
        return i;
      }
    }
    return entries.size();
  }

  /// Bytes read of the stream for the value of an entry.
  private long bytesRead(StrandIndex strand, StateEntry entry) throws IOException {
    if (isPurged(strand, entry.jsn().value())) {
      return entry.valueSizeBytes();
    }
    try {
      return log.writesBytes(strand, entry.jsn().value());
    } catch (RequestRejectedException e) {
      var _ = missing(e);
      return 0; // its values are damaged, not the page
    }
  }

  private static BodyState missing(RequestRejectedException e) {
    return switch (e.code()) {
      case DAMAGED -> BodyState.DAMAGED;
      case ERASED, PURGED -> BodyState.ERASED;
      default -> throw new AssertionError("a stored journal is good, erased or damaged", e);
    };
  }

  /// The values of entries, in their order. Each journal is read once.
  List<ReadValue> read(StrandIndex strand, List<HeldEntry> entries) throws IOException {
    Map<Long, List<Integer>> byJournal = new LinkedHashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      long jsn = entries.get(i).entry().jsn().value();
      byJournal.computeIfAbsent(jsn, _ -> new ArrayList<>()).add(i);
    }
    List<ReadValue> values = new ArrayList<>(Collections.nCopies(entries.size(), ReadValue.NONE));
    List<Integer> copied = new ArrayList<>();
    for (Map.Entry<Long, List<Integer>> journal : byJournal.entrySet()) {
      Source source = journal(strand, journal.getKey());
      if (source instanceof Copied) {
        copied.addAll(journal.getValue());
        continue;
      }
      for (int i : journal.getValue()) {
        values.set(i, value(source, entries.get(i)));
      }
    }
    if (!copied.isEmpty()) {
      readCopies(strand, entries, copied, values);
    }
    return values;
  }

  private void readCopies(
      StrandIndex strand, List<HeldEntry> entries, List<Integer> copied, List<ReadValue> values)
      throws IOException {
    copied.forEach(i -> values.set(i, ReadValue.missing(BodyState.DAMAGED)));
    try (ValueCopies copies = images.copies(strand)) {
      for (int i : copied) {
        values.set(i, copy(strand, copies, entries.get(i).entry()));
      }
    } catch (CorruptStreamException e) {
      LOG.error("values that a purge left cannot be read", e);
    }
  }

  /// One that is not there was replaced before the purge was prepared.
  private static ReadValue copy(StrandIndex strand, ValueCopies copies, StateEntry entry)
      throws IOException, CorruptStreamException {
    long jsn = entry.jsn().value();
    Optional<StateValue> found = copies.find(entry.key(), jsn);
    if (found.isEmpty()) {
      return ReadValue.missing(BodyState.ERASED);
    }
    ReadValue read = checked(found.get(), entry);
    boolean occulted = strand.head().governance().removals().isOcculted(jsn);
    return occulted ? ReadValue.missing(BodyState.ERASED) : read;
  }

  static ReadValue checked(StateValue opened, StateEntry entry) {
    try {
      opened.verify(entry);
      return ReadValue.of(opened);
    } catch (ProofRejectedException _) {
      return ReadValue.missing(BodyState.DAMAGED);
    }
  }

  private sealed interface Source {}

  /// @param indexes of its operations, by key
  private record Journal(StoredWrites writes, Bytes salt, Map<Bytes, Integer> indexes)
      implements Source {}

  private record Missing(BodyState why) implements Source {}

  /// The body is gone by a purge, which has left copies of values.
  private record Copied() implements Source {}

  private Source journal(StrandIndex strand, long jsn) throws IOException {
    if (isPurged(strand, jsn)) {
      return new Copied();
    }
    try {
      StoredWrites writes = log.writes(strand, jsn);
      Ops ops = Ops.decode(writes.ops());
      Map<Bytes, Integer> indexes = new HashMap<>();
      for (int i = 0; i < ops.size(); i++) {
        indexes.put(ops.values().get(i).key(), i);
      }
      return new Journal(writes, writes.salt(), indexes);
    } catch (MalformedException e) {
      return new Missing(BodyState.DAMAGED);
    } catch (RequestRejectedException e) {
      if (isPurged(strand, jsn)) {
        return new Copied(); // it may come meanwhile
      }
      BodyState why = missing(e);
      if (why == BodyState.DAMAGED) {
        log.faults().damaged(strand.strand(), e);
      }
      return new Missing(why);
    }
  }

  private static ReadValue value(Source source, HeldEntry held) {
    return switch (source) {
      case Missing(BodyState why) -> ReadValue.missing(why);
      case Copied _ -> throw new AssertionError("a copy is no part of a journal");
      case Journal journal -> value(journal, held);
    };
  }

  private static ReadValue value(Journal journal, HeldEntry held) {
    Location at = held.value();
    Integer index = journal.indexes.get(held.key());
    if (at == null || index == null) {
      return ReadValue.missing(BodyState.DAMAGED);
    }
    Location item = journal.writes.at();
    long from = (long) at.offset() - item.offset();
    long end = from + held.entry().valueSizeBytes();
    if (at.frame() != item.frame()
        || from < PayloadItem.SALT_BYTES
        || end > PayloadItem.contentBytes(journal.writes.item().size())) {
      return ReadValue.missing(BodyState.DAMAGED);
    }
    Bytes value = journal.writes.item().slice((int) from, (int) (end - from));
    return checked(
        new StateValue(Commitments.valueOpening(journal.salt, index), value), held.entry());
  }
}
