package io.tallystick.client;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.append.SubmittedLeaves;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.model.Jsn;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Promises not verified yet, and how far the verified ones go. Holds the headers of what was
/// promised, to rebuild its leaves. Thread-safe.
final class PromiseBook {
  /// One promise and the leaves it is about.
  record Entry(Promise promise, SubmittedLeaves leaves) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Jsn, Entry> open = new TreeMap<>();
  private @Nullable Jsn last;

  /// The promise itself.
  Promise added(Promise promise, SubmittedLeaves submitted) {
    SubmittedLeaves leaves = submitted.marked(promise.delegated());
    lock.lock();
    try {
      open.put(promise.firstJsn(), new Entry(promise, leaves));
      return promise;
    } finally {
      lock.unlock();
    }
  }

  /// Ascending by jsn.
  private List<Entry> open() {
    lock.lock();
    try {
      return List.copyOf(open.values());
    } finally {
      lock.unlock();
    }
  }

  boolean isOpen() {
    return !open().isEmpty();
  }

  /// Checks every open promise, under one head.
  void verify(LedgerReader reader) throws TallyException {
    List<Entry> all = open();
    if (!all.isEmpty()) {
      reader.covering(all.getLast().promise().lastJsn());
    }
    for (Entry entry : all) {
      Promise promise = entry.promise();
      reader.verifyRun(
          promise.firstJsn(), entry.leaves().hashes(promise.firstJsn().value(), promise.timeMs()));
      verified(entry);
    }
  }

  private void verified(Entry entry) {
    lock.lock();
    try {
      open.remove(entry.promise().firstJsn(), entry);
      Jsn end = entry.promise().lastJsn();
      last = last == null || end.compareTo(last) > 0 ? end : last;
    } finally {
      lock.unlock();
    }
  }

  /// Every promise up to this jsn is verified; empty if none is.
  Optional<Jsn> verifiedUpTo() {
    lock.lock();
    try {
      if (last == null) {
        return Optional.empty();
      }
      long before = open.keySet().stream().findFirst().map(Jsn::value).orElse(Long.MAX_VALUE) - 1;
      return before < 0 ? Optional.empty() : Optional.of(new Jsn(Math.min(before, last.value())));
    } finally {
      lock.unlock();
    }
  }
}
