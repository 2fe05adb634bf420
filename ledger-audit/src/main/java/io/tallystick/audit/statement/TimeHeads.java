package io.tallystick.audit.statement;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.model.Digest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The sealed heads that the next time journal may name: those since the newest one. The first head
/// of a log is kept until then, of the others the newest; a service names no old ones. Not
/// thread-safe.
public final class TimeHeads {
  public static final int KEPT_MAX = 1 << 16;

  private final int keptMax;
  private final Deque<Head> kept = new ArrayDeque<>();
  private @Nullable Head first;
  private long knownFrom;

  /// @param journals of the leaves below `size`
  public record Head(long size, Digest root, long journals) {}

  public TimeHeads(int keptMax) {
    this.keptMax = keptMax;
  }

  /// A block was sealed.
  public void add(Head head) {
    if (first == null) {
      first = head;
      return;
    }
    kept.add(head);
    if (kept.size() > keptMax) {
      knownFrom = kept.remove().size + 1;
    }
  }

  /// @throws AuditLimitException if there may have been one that was forgotten
  public Optional<Head> find(long size) throws AuditLimitException {
    if (first != null && first.size == size) {
      return Optional.of(first);
    }
    if (size < knownFrom) {
      throw new AuditLimitException(
          String.format(
              Locale.ROOT,
              "a time journal names the head of size %d, this auditor knows those from size %d on",
              size,
              knownFrom));
    }
    return kept.stream().filter(head -> head.size == size).findFirst();
  }

  /// A time journal was reached: the next one must name a later head.
  public void clear() {
    kept.clear();
    first = null;
    knownFrom = 0;
  }

  /// Ascending; the first may be far from the others.
  public List<Head> all() {
    List<Head> all = new ArrayList<>(kept.size() + 1);
    if (first != null) {
      all.add(first);
    }
    all.addAll(kept);
    return all;
  }

  /// From which size on none was forgotten.
  public long knownFrom() {
    return knownFrom;
  }

  public void restore(List<Head> heads, long allKnownFrom) {
    clear();
    heads.forEach(this::add);
    knownFrom = allKnownFrom;
  }
}
