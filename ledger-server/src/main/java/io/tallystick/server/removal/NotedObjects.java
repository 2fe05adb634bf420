package io.tallystick.server.removal;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.storage.object.KeptObject;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.ObjectWriter;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects that notes name, as one opening of a shard makes and deletes them. Whoever makes one
/// for a note begins a {@link Making} before it reads what goes in. Once the note is durable or
/// refused, what no row names then is deleted, also if nobody waits for the note any more: the
/// thread that erases looks, too. Thread-safe.
public final class NotedObjects {
  private static final Logger LOG = LoggerFactory.getLogger(NotedObjects.class);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ObjectStore store;
  private final Stillness still;
  private final Set<Making> begun = ConcurrentHashMap.newKeySet();

  /// Held while an object gets its name and while one is deleted: the same bytes may have the same
  /// name.
  private final Object naming = new Object();

  private volatile long failedNanos = System.nanoTime() - AGAIN_NANOS;

  /// Tells whether a row names an object.
  public interface Naming {
    boolean names(KeptObject object) throws IOException, CorruptStreamException;
  }

  /// An object that a note has taken out of a row, or that was made for one.
  ///
  /// @param rows that may name it all the same
  public record Unnamed(KeptObject object, Naming rows) {}

  /// @param still while it is held nothing is deleted
  public NotedObjects(ObjectStore store, Stillness still) {
    this.store = store;
    this.still = still;
  }

  public ObjectStore store() {
    return store;
  }

  /// What one note names.
  public final class Making implements AutoCloseable {
    private final Object of;
    private final Naming rows;
    private final Queue<Unnamed> left = new ConcurrentLinkedQueue<>();
    private boolean isNoted;
    private volatile boolean ended;

    private Making(Object of, Naming rows) {
      this.of = of;
      this.rows = rows;
    }

    /// The object is durable on return.
    public KeptObject finish(ObjectWriter writer) throws IOException {
      synchronized (naming) {
        KeptObject object = writer.finish();
        left.add(new Unnamed(object, rows));
        return object;
      }
    }

    /// The note is under way.
    ///
    /// @param unnamed gives, of its answer, what it takes out of rows
    /// @return completes when that is known, too
    public <R> CompletableFuture<R> noted(
        CompletableFuture<R> note, Function<R, List<Unnamed>> unnamed) {
      isNoted = true;
      return note.whenComplete((answer, failure) -> {
        if (failure == null) {
          end(unnamed.apply(answer));
        } else if (failure instanceof RequestRejectedException) {
          end(List.of());
        } // else it may be durable: the next opening knows
      });
    }

    private void end(List<Unnamed> unnamed) {
      left.addAll(unnamed);
      ended = true;
    }

    private void deleteUnnamed() throws IOException, CorruptStreamException {
      synchronized (naming) {
        for (Unnamed each = left.peek(); each != null; each = left.peek()) {
          if (!isMade(each.object()) && !each.rows().names(each.object())) {
            store.delete(each.object());
          }
          left.remove();
        }
        begun.remove(this);
      }
    }

    /// Without a note all that was made goes.
    @Override
    public void close() {
      if (!isNoted) {
        end(List.of());
      }
    }
  }

  /// @param of what its objects hold
  /// @param rows that may come to name them
  public Making begin(Object of, Naming rows) {
    Making making = new Making(of, rows);
    begun.add(making);
    return making;
  }

  /// Those of which something may be there that no row names.
  Set<Making> begun(Object of) {
    Set<Making> its = new HashSet<>();
    for (Making each : begun) {
      if (each.of.equals(of)) {
        its.add(each);
      }
    }
    return its;
  }

  /// Whether nothing is there of these that no row names.
  boolean areEnded(Set<Making> makings) {
    return Collections.disjoint(begun, makings);
  }

  /// Whether a note may come to name it.
  private boolean isMade(KeptObject object) {
    return begun.stream()
        .filter(each -> !each.ended)
        .flatMap(each -> each.left.stream())
        .anyMatch(each -> each.object().equals(object));
  }

  /// Deletes what no row names, of the notes that are decided. What cannot be deleted now is left
  /// to a later call.
  public void deleteUnnamed() {
    if (System.nanoTime() - failedNanos < AGAIN_NANOS || !still.beginChange()) {
      return;
    }
    try {
      for (Making each : begun) {
        if (each.ended) {
          deleteUnnamed(each);
        }
      }
    } finally {
      still.endChange();
    }
  }

  private void deleteUnnamed(Making of) {
    try {
      of.deleteUnnamed();
    } catch (IOException | CorruptStreamException e) {
      failedNanos = System.nanoTime();
      LOG.warn("objects that nothing names cannot be deleted now: {}", e.toString());
    }
  }
}
