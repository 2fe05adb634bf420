package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Says which older versions of a strand's state the next savepoint drops. Any thread asks; the
/// owner does the rest.
final class Retention {
  private final StrandId strand;
  private final AtomicLong pruneTo = new AtomicLong();
  private final AtomicLong dropBelow = new AtomicLong();

  /// Limits that no savepoint has yet; null: nothing has changed.
  private final AtomicReference<@Nullable OwnLimits> unsaved = new AtomicReference<>();

  private @Nullable OwnLimits inBatch;

  private volatile OwnLimits own;

  private Retention(StrandId strand, OwnLimits own) {
    this.strand = strand;
    this.own = own;
  }

  /// As the last savepoint left it.
  ///
  /// @throws CorruptStreamException if the strand's own limits cannot be read
  static Retention saved(MetaStore meta, StrandId strand)
      throws IOException, CorruptStreamException {
    return new Retention(strand, OwnLimits.read(meta, strand));
  }

  /// Of a state that is filled again. Own limits that cannot be read are lost: the shard's hold.
  static Retention again(MetaStore meta, StrandId strand) throws IOException {
    OwnLimits own;
    try {
      own = OwnLimits.read(meta, strand);
    } catch (CorruptStreamException _) {
      own = OwnLimits.NONE;
    }
    Retention retention = new Retention(strand, own);
    retention.unsaved.set(own);
    return retention;
  }

  void prune(long height) {
    pruneTo.accumulateAndGet(height, Math::max);
  }

  /// @return whether it was asked for the first time
  boolean dropBelow(long height) {
    return dropBelow.getAndAccumulate(height, Math::max) < height;
  }

  void limit(OwnLimits limits) {
    own = limits;
    unsaved.set(limits);
  }

  OwnLimits own() {
    return own;
  }

  /// Drops what was asked for, and what the limits leave no room for.
  ///
  /// @param limits of the shard
  /// @param fileBytes of the newest version's files
  void drop(SavedVersions saved, VersionLimits limits, long fileBytes)
      throws IOException, CorruptStreamException {
    SavedList.Saved floor = saved.floor(pruneTo.get());
    saved.dropBelow(Math.max(dropBelow.get(), floor == null ? 0 : floor.height()));
    saved.thin(limits, own, fileBytes);
  }

  /// Puts changed limits into the batch of a savepoint.
  void write(MetaBatch batch) {
    OwnLimits changed = unsaved.get();
    inBatch = changed;
    if (changed == null) {
      return;
    }
    if (changed.equals(OwnLimits.NONE)) {
      batch.delete(SavedKeys.limits(strand));
    } else {
      batch.put(SavedKeys.limits(strand), changed.encode(strand));
    }
  }

  /// The batch of the last savepoint was written.
  void written() {
    unsaved.compareAndSet(inBatch, null); // unless other limits came meanwhile
  }
}
