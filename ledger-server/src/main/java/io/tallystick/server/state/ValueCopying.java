package io.tallystick.server.state;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.node.ReadValue;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Reads the values of a whole state in order of keys, some at a time, as memory allows.
final class ValueCopying {
  private static final int PAGE_KEYS = 4096;
  private static final long PAGE_BYTES = 4 << 20;
  private static final long VALUE_BYTES = 16 << 20;

  /// Takes the values.
  @FunctionalInterface
  interface Into {
    /// @param read never `NONE`
    void add(StateEntry entry, ReadValue read) throws IOException;
  }

  private ValueCopying() {}

  /// @param wanted which of the entries that have a value
  static void run(ForestReader reader, Predicate<HeldEntry> wanted, Values values, Into into)
      throws IOException, CorruptStreamException {
    Optional<Bytes> from = Optional.of(Bytes.EMPTY);
    while (from.isPresent()) {
      ForestReader.Page page = reader.page(from.get(), null, PAGE_KEYS, PAGE_BYTES);
      copy(page.entries().stream().filter(wanted).toList(), values, into);
      from = page.end();
    }
  }

  private static void copy(List<HeldEntry> entries, Values values, Into into) throws IOException {
    int from = 0;
    while (from < entries.size()) {
      long bytes = 0;
      int to = from;
      while (to < entries.size() && (to == from || bytes < VALUE_BYTES)) {
        bytes += entries.get(to++).entry().valueSizeBytes();
      }
      List<ReadValue> read = values.read(entries.subList(from, to));
      for (int i = 0; i < read.size(); i++) {
        into.add(entries.get(from + i).entry(), read.get(i));
      }
      from = to;
    }
  }
}
