package io.tallystick.server.state;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.ScratchForest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// States of a shard's strands as of blocks between two saved versions: each is made from the one
/// below and the operations of the blocks behind it, and has the root that its block sealed before
/// anyone reads it. One is made at a time; the last ones are kept for who asks for the same.
/// Thread-safe.
public final class PastStates implements AutoCloseable {
  /// States that are kept though nobody reads them.
  static final int KEPT_MAX = 2;

  /// Requests that may wait, of all strands and of one, with the one whose state is being made.
  static final int WAITING_MAX = 16;

  static final int WAITING_PER_STRAND_MAX = 4;

  /// A state that nobody has read for so long goes: it keeps slots of the shard's states from being
  /// written over.
  private static final long IDLE_NANOS = 10_000_000_000L;

  private static final Logger LOG = LoggerFactory.getLogger(PastStates.class);
  private static final String DIRECTORY = "past";

  private final Disk disk;
  private final BatchHasher hasher;
  private final ReentrantLock making = new ReentrantLock(true);
  private final Map<Key, Past> ready = new LinkedHashMap<>(); // guarded by this
  private final Map<StrandId, Integer> waiting = new HashMap<>(); // guarded by this
  private int waitingCount; // guarded by this
  private boolean closed; // guarded by this
  private long forgotten; // how often; guarded by this
  private long serial; // guarded by making

  private record Key(StrandId strand, long height) {}

  private static final class Past {
    private final ScratchForest state;
    private final long height;
    private int readers;
    private boolean dropped;
    private long usedAt;

    Past(ScratchForest state, long height) {
      this.state = state;
      this.height = height;
    }
  }

  /// A state that is open for reading until this is closed.
  public final class Lease implements AutoCloseable {
    private final Past past;
    private final ForestReader reader;

    private Lease(Past past) {
      this.past = past;
      this.reader = past.state.reader();
    }

    ForestReader reader() {
      return reader;
    }

    @Override
    public void close() {
      reader.close();
      release(past);
    }
  }

  private PastStates(Disk disk, BatchHasher hasher) {
    this.disk = disk;
    this.hasher = hasher;
  }

  /// Deletes what a crash has left.
  public static PastStates open(Disk disk, BatchHasher hasher) throws IOException {
    for (String name : disk.list(DIRECTORY)) {
      disk.delete(DIRECTORY + "/" + name);
    }
    return new PastStates(disk, hasher);
  }

  /// The state as of a block.
  ///
  /// @param base the newest saved version that no block above made
  /// @return empty if the base is no longer kept
  /// @throws RequestRejectedException `RATE_LIMITED` if too many wait
  /// @throws CorruptStreamException if a node or a block is damaged, or the operations do not make
  ///   the root that a block sealed
  Optional<Lease> at(StrandIndex strand, long height, ForestVersion base, LogReader log)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Key key = new Key(strand.strand(), height);
    Lease known = leased(key);
    if (known != null) {
      return Optional.of(known);
    }
    long began = begin(strand.strand());
    making.lock();
    try {
      known = leased(key); // another has made it meanwhile
      return known == null ? made(key, strand, base, log, began) : Optional.of(known);
    } finally {
      making.unlock();
      end(strand.strand());
    }
  }

  private synchronized @Nullable Lease leased(Key key) {
    Past past = ready.remove(key);
    if (past == null) {
      return null;
    }
    ready.put(key, past); // the last used is the last
    Lease lease = new Lease(past);
    past.readers++;
    return lease;
  }

  /// @return how often all was forgotten before
  private synchronized long begin(StrandId strand) throws RequestRejectedException {
    int own = waiting.getOrDefault(strand, 0);
    if (closed || waitingCount >= WAITING_MAX || own >= WAITING_PER_STRAND_MAX) {
      throw new RequestRejectedException(
          RejectionCode.RATE_LIMITED,
          String.format(
              Locale.ROOT,
              "%d requests wait for states between saved versions, %d of them for this ledger's",
              waitingCount,
              own));
    }
    waiting.put(strand, own + 1);
    waitingCount++;
    return forgotten;
  }

  private synchronized void end(StrandId strand) {
    waiting.computeIfPresent(strand, (_, count) -> count == 1 ? null : count - 1);
    waitingCount--;
  }

  private Optional<Lease> made(
      Key key, StrandIndex strand, ForestVersion base, LogReader log, long began)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Optional<Past> below = takeBelow(key, base.height());
    dropIdle(KEPT_MAX - 1);
    if (below.isPresent()) {
      return Optional.of(madeFrom(below.get().state, below.get().height, key, strand, log, began));
    }
    Optional<ScratchForest> begun =
        ScratchForest.from(
            base,
            disk,
            DIRECTORY + "/" + serial++ + ".",
            "",
            strand.strand(),
            StateStores.params(strand),
            hasher);
    if (begun.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(madeFrom(begun.get(), base.height(), key, strand, log, began));
  }

  /// A state of an earlier block that nobody reads any more: whoever reads blocks upwards has the
  /// operations between them carried out once.
  private synchronized Optional<Past> takeBelow(Key key, long baseHeight) {
    Key best = null;
    for (Map.Entry<Key, Past> each : ready.entrySet()) {
      Key other = each.getKey();
      if (each.getValue().readers == 0
          && other.strand.equals(key.strand)
          && other.height > baseHeight
          && other.height < key.height
          && (best == null || other.height > best.height)) {
        best = other;
      }
    }
    return Optional.ofNullable(best).map(ready::remove);
  }

  /// @param state as of `height`; closed if this fails
  private Lease madeFrom(
      ScratchForest state, long height, Key key, StrandIndex strand, LogReader log, long began)
      throws IOException, CorruptStreamException, RequestRejectedException {
    boolean done = false;
    try {
      StateReplay.run(state, strand, height, key.height, log, StateReplay.Check.NONE);
      done = true;
    } finally {
      if (!done) {
        state.close();
      }
    }
    return kept(key, new Past(state, key.height), began);
  }

  private synchronized Lease kept(Key key, Past past, long began) {
    Lease lease = new Lease(past);
    past.readers++;
    if (closed || forgotten != began) {
      past.dropped = true;
    } else {
      ready.put(key, past);
    }
    return lease;
  }

  private void release(Past past) {
    boolean last;
    synchronized (this) {
      past.readers--;
      past.usedAt = System.nanoTime();
      last = past.readers == 0 && past.dropped;
    }
    if (last) {
      close(past);
    }
  }

  /// Drops states that nobody reads until so many are kept at most, the least used first.
  ///
  /// @param most that stay
  public void dropIdle(int most) {
    while (true) {
      Past oldest = null;
      synchronized (this) {
        Iterator<Past> all = ready.values().iterator();
        while (oldest == null && ready.size() > most && all.hasNext()) {
          Past past = all.next();
          if (past.readers == 0) {
            all.remove();
            oldest = past;
          }
        }
      }
      if (oldest == null) {
        return;
      }
      close(oldest);
    }
  }

  /// Drops the states that nobody has read for a while. To be called from time to time.
  public void dropUnused() {
    long now = System.nanoTime();
    dropIf((_, past) -> past.readers == 0 && now - past.usedAt > IDLE_NANOS);
  }

  /// Forgets the states of a strand below a height. Who reads one goes on.
  void dropBelow(StrandId strand, long height) {
    dropIf((key, _) -> key.strand.equals(strand) && key.height < height);
  }

  private interface Which {
    boolean goes(Key key, Past past);
  }

  private void dropIf(Which which) {
    Map<Key, Past> going = new HashMap<>();
    synchronized (this) {
      ready.forEach((key, past) -> {
        if (which.goes(key, past)) {
          going.put(key, past);
          past.dropped = true;
        }
      });
      ready.keySet().removeAll(going.keySet());
      going.values().removeIf(past -> past.readers > 0);
    }
    going.values().forEach(PastStates::close);
  }

  private static void close(Past past) {
    try {
      past.state.close();
    } catch (IOException e) {
      LOG.warn(
          "files of a state between saved versions stay until the next start: {}", e.toString());
    }
  }

  /// Forgets all. Who reads one goes on.
  public void forget() {
    synchronized (this) {
      forgotten++;
    }
    dropIf((_, _) -> true);
  }

  /// Forgets all. No more are made. Who reads one goes on.
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    forget();
  }
}
