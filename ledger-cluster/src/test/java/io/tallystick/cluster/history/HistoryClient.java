package io.tallystick.cluster.history;

import io.tallystick.client.Promise;
import io.tallystick.client.failure.TallyException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// One client that asks one thing after another until it is told to stop: appends of all styles,
/// the newest head, proofs between heads, journals that were erased; a governor also proposes,
/// anchors and erases.
public final class HistoryClient implements AutoCloseable {
  private static final int BATCH_MAX = 8;
  private static final int HEADS_MAX = 16;
  private static final int PROPOSALS_MAX = 60;
  private static final long END_MILLIS = 180_000;

  private final String name;
  private final LedgerDoor door;
  private final History history;
  private final RandomGenerator random;
  private final long pauseMillis;
  private final boolean governor;
  private final Deque<Told.Stated> heads = new ArrayDeque<>();
  private final List<Long> own = new ArrayList<>();
  private final AtomicLong receipts = new AtomicLong();
  private final AtomicLong newest = new AtomicLong();
  private final AtomicLong joins = new AtomicLong();
  private final Thread thread;
  private long turn;
  private int proposals;
  private volatile boolean stopped;

  /// How many of its questions were answered.
  record Answered(long receipts, long newest, long joins) {
    /// Whether there is one more of each.
    boolean isAfter(Answered before) {
      return receipts > before.receipts && newest > before.newest && joins > before.joins;
    }
  }

  /// Starts at once.
  ///
  /// @param name of which there are no two alike
  /// @param governor whether its door may propose, anchor and erase
  /// @param pauseMillis between two calls
  public HistoryClient(
      String name,
      LedgerDoor door,
      History history,
      RandomGenerator random,
      boolean governor,
      long pauseMillis) {
    this.name = name;
    this.door = door;
    this.history = history;
    this.random = random;
    this.governor = governor;
    this.pauseMillis = pauseMillis;
    this.thread = Thread.ofPlatform().name("history-" + name).daemon().start(this::work);
  }

  private void work() {
    try {
      askUntilStopped();
      door.alarm().ifPresent(alarm -> history.fault(name + ": " + alarm));
    } catch (Throwable e) { // else nobody hears of it
      history.fault(name + ": " + e);
    }
  }

  private void askUntilStopped() {
    try {
      while (!stopped) {
        step();
        Thread.sleep(pauseMillis);
      }
      door.keepPromises();
    } catch (InterruptedException _) {
      history.fault(name + " was interrupted");
    } catch (TallyException e) {
      history.fault(name + " has promises that are not kept: " + e);
    }
  }

  String name() {
    return name;
  }

  /// What it has got until now.
  Answered answered() {
    return new Answered(receipts.get(), newest.get(), joins.get());
  }

  private void step() {
    int drawn = random.nextInt(100);
    if (governor && drawn < 12) {
      govern(drawn);
    } else if (drawn < 25) {
      newest();
    } else if (drawn < 35) {
      join();
    } else if (drawn < 38) {
      history.someErased(random).ifPresent(this::body);
    } else if (drawn < 75) {
      append(texts(1));
    } else if (drawn < 88) {
      append(texts(random.nextInt(2, BATCH_MAX)));
    } else {
      promise(texts(random.nextInt(1, BATCH_MAX)));
    }
  }

  private List<String> texts(int count) {
    String prefix = name + " " + turn++;
    return IntStream.range(0, count).mapToObj(i -> prefix + "." + i).toList();
  }

  private void append(List<String> texts) {
    history.append(
        texts,
        () -> {
          LedgerDoor.Evidence evidence = door.append(texts);
          keep(evidence.head());
          own.add(evidence.journals().getFirst().jsn());
          receipts.incrementAndGet();
          return span -> new Told.Receipted(span, evidence.journals(), evidence.head());
        });
  }

  private void promise(List<String> texts) {
    history.append(
        texts,
        () -> {
          Promise promise = door.promise(texts);
          return span -> new Told.Promised(span, texts, promise.firstJsn().value());
        });
  }

  private void keep(Told.Stated head) {
    heads.addLast(head);
    if (heads.size() > HEADS_MAX) {
      heads.removeFirst();
    }
  }

  private void newest() {
    history.read(
        0,
        () -> {
          Told.Stated head = door.newest();
          keep(head);
          newest.incrementAndGet();
          return span -> new Told.Newest(span, head);
        });
  }

  private void join() {
    if (heads.size() < 2) {
      return;
    }
    List<Told.Stated> known =
        heads.stream().sorted((a, b) -> Long.compare(a.size(), b.size())).toList();
    history.read(
        known.getLast().size(),
        () -> {
          door.join(known.getFirst(), known.getLast());
          joins.incrementAndGet();
          return Told.Joined::new;
        });
  }

  private void govern(int drawn) {
    if (drawn < 4 && proposals < PROPOSALS_MAX) {
      proposals++;
      history.read(
          0,
          () -> {
            var hash = door.propose();
            return span -> new Told.Proposed(span, hash);
          });
    } else if (drawn < 8) {
      history.read(
          0,
          () -> {
            long size = door.anchor();
            return span -> new Told.Anchored(span, size);
          });
    } else if (!own.isEmpty()) {
      long jsn = own.remove(random.nextInt(own.size()));
      history.change(
          () -> {
            door.erase(jsn);
            return span -> new Told.Erased(span, jsn);
          },
          span -> new Told.MayBeErased(span, jsn));
      body(jsn);
    }
  }

  private void body(long jsn) {
    history.read(
        0,
        () -> {
          boolean present = door.body(jsn);
          return span -> new Told.Body(span, jsn, present);
        });
  }

  /// Lets it end what it has begun. Whoever has no answer after three minutes is a fault.
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(END_MILLIS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      history.fault(name + " waits for an answer");
      thread.interrupt();
    }
  }
}
