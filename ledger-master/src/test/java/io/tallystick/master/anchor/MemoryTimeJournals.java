package io.tallystick.master.anchor;

import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.NewestHead;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Ledgers that count what a time journal does not cover, and keep what they are given.
final class MemoryTimeJournals implements TimeJournals {
  private final Map<LedgerId, UnanchoredHead> waiting = new TreeMap<>();
  private final List<TimeAnchor> anchors = new ArrayList<>();
  private final Map<LedgerId, StampedHead> stamped = new TreeMap<>();
  private final AtomicInteger calls = new AtomicInteger();
  private @Nullable LedgerId refused;
  private boolean broken;
  private long jsn;

  static LedgerId ledger(int number) {
    byte[] bytes = new byte[Digest.BYTES];
    bytes[0] = (byte) (number >> 8);
    bytes[1] = (byte) number;
    return new LedgerId(Digest.of(bytes));
  }

  /// A ledger has journals that nothing covers.
  synchronized void write(int number, boolean first, long journals, long sinceMs) {
    LedgerId id = ledger(number);
    StrandId strand = new StrandId(id, 0);
    long size = ++jsn + 2;
    JournalRoot root = new JournalRoot(Sha256.hash(new byte[] {(byte) number, (byte) size}));
    Checkpoint head =
        new Checkpoint(new Authority("localhost").origin(strand), new TreeSize(size), root);
    waiting.put(id, new UnanchoredHead(strand, head, first, journals, sinceMs));
  }

  synchronized void refuse(int number) {
    refused = ledger(number);
  }

  synchronized void breakDown(boolean now) {
    broken = now;
  }

  synchronized List<TimeAnchor> anchors() {
    return List.copyOf(anchors);
  }

  /// Calls that are under way.
  int calls() {
    return calls.get();
  }

  @Override
  public Optional<ProvenTime> lastAt(StrandId strand, long timeMs) {
    throw new UnsupportedOperationException("not asked for here");
  }

  @Override
  public synchronized NewestHead newest(StrandId strand) throws RequestRejectedException {
    UnanchoredHead head = waiting.get(strand.ledger());
    if (head != null) {
      return new NewestHead(head.head(), Optional.empty());
    }
    StampedHead covering = stamped.get(strand.ledger());
    if (covering == null) {
      throw new RequestRejectedException(RejectionCode.UNKNOWN_LEDGER, "no " + strand);
    }
    return new NewestHead(covering.head(), Optional.of(covering));
  }

  @Override
  public synchronized Optional<StampedHead> stamped(StrandId strand, long size) {
    return Optional.ofNullable(stamped.get(strand.ledger()))
        .filter(newest -> newest.head().size().value() >= size);
  }

  @Override
  public List<UnanchoredHead> unanchored(@Nullable StrandId after, int limit) {
    calls.incrementAndGet();
    try {
      synchronized (this) {
        if (broken) {
          throw new IllegalStateException("broken as the test says");
        }
        return waiting.values().stream()
            .filter(each -> after == null || each.strand().ledger().compareTo(after.ledger()) > 0)
            .limit(limit)
            .toList();
      }
    } finally {
      calls.decrementAndGet();
    }
  }

  @Override
  public AnchoredAt append(TimeAnchor anchor) throws RequestRejectedException {
    calls.incrementAndGet();
    try {
      synchronized (this) {
        if (anchor.strand().ledger().equals(refused)) {
          throw new RequestRejectedException(RejectionCode.STORAGE_FULL, "as the test says");
        }
        LedgerId id = anchor.strand().ledger();
        StampedHead before = stamped.get(id);
        if (before != null && anchor.head().size().value() <= before.jsn()) {
          throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "another came first");
        }
        anchors.add(anchor);
        UnanchoredHead head = waiting.get(id);
        if (head != null && head.head().equals(anchor.head())) {
          waiting.remove(id);
        }
        AnchoredAt landed = new AnchoredAt(++jsn + 2, System.currentTimeMillis());
        stamped.put(
            id, new StampedHead(landed.jsn(), landed.timeMs(), anchor.provenMs(), anchor.head()));
        return landed;
      }
    } finally {
      calls.decrementAndGet();
    }
  }
}
