package io.tallystick.server.ship;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.server.shard.SavedCopies;
import io.tallystick.server.shard.SavedCopy;
import io.tallystick.server.shard.SavedFile;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ships the savepoints of a shard that this process owns: what the store lacks is put into a part
/// of its own, then the pointer names the savepoint, then what no savepoint needs any more is
/// deleted. Two are kept, but only the newest while an older one would replay frames that a removal
/// erases. Commits go on beside it. One thread's. Source: docs/formats/shipped-savepoint.md.
public final class SavepointShipper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SavepointShipper.class);
  private static final int KEPT = 2;
  private static final long UNKNOWN = -1;

  /// Pins go away without notice, and to look costs a listing of the store.
  private static final long PINNED_LOOK_MILLIS = 5_000;

  private final StreamId shard;
  private final SavedCopies copies;
  private final SavepointStore store;
  private final SavepointPointer pointer;
  private final Settings settings;
  private final InstantSource clock;
  private final ShippedEnd shippedTo;
  private final KeptSavepoints kept;
  private final ShippingCounts counts = new ShippingCounts();
  private @Nullable CompletableFuture<SavedCopy> asked;
  private boolean known; // what the pointer names
  private boolean pinned; // something that it does not name
  private long collectedMs;
  private long endMs = Long.MAX_VALUE; // no piece is put behind it
  private long seenFrames; // what came up to here was looked at
  private long seenJournals;
  private long shippedJournals;
  private long shippedRemovals = UNKNOWN;
  private long shippedMs;

  /// @param pieceBytes at which files are cut; lower only in tests
  public record Settings(
      ShardConfig.Shipping pace, SavepointManifest.Software software, int pieceBytes) {}

  /// @param copies of the shard's savepoints
  /// @param shippedTo told how far nothing is needed of the stream any more
  public SavepointShipper(
      StreamId shard,
      SavedCopies copies,
      SavepointStore store,
      SavepointPointer pointer,
      Settings settings,
      InstantSource clock,
      ShippedEnd shippedTo) {
    this.shard = shard;
    this.copies = copies;
    this.store = store;
    this.pointer = pointer;
    this.settings = settings;
    this.clock = clock;
    this.shippedTo = shippedTo;
    this.kept = new KeptSavepoints(store, pointer);
    this.shippedMs = clock.millis();
  }

  public ShippingCounts counts() {
    return counts;
  }

  /// Ships the newest savepoint if it is time; asks for it first, so that it takes two turns.
  ///
  /// @return whether one was published
  /// @throws io.tallystick.storage.stream.StreamFencedException if another owns the shard
  /// @throws IOException this turn did not come to its end; the next one begins again
  public boolean turn() throws IOException, CorruptStreamException {
    begin();
    if (pinned && clock.millis() - collectedMs >= PINNED_LOOK_MILLIS) {
      collect(pointer.epoch(), store.list());
    }
    CompletableFuture<SavedCopy> pending = asked;
    if (pending == null) {
      if (isDue()) {
        seenFrames = copies.indexedFrames();
        seenJournals = copies.journals();
        asked = copies.ask();
      }
      return false;
    }
    if (!pending.isDone()) {
      return false;
    }
    asked = null;
    try (SavedCopy copy = taken(pending)) {
      return ship(copy);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      seenFrames = 0; // it is asked for again
      throw e;
    }
  }

  private void begin() throws IOException, CorruptStreamException {
    if (!known) {
      kept.read();
      tellEnd(kept.all(clock.millis()));
      kept.named().stream().findFirst().ifPresent(newest -> counts.found(newest.timeMs()));
      known = true;
    }
  }

  /// Ships what came since the last savepoint, if that is soon done. To be called in place of the
  /// last turn.
  ///
  /// @param millis after which it is given up
  /// @return whether it was published
  /// @throws IOException also if it was given up
  public boolean last(long millis)
      throws IOException, CorruptStreamException, InterruptedException {
    begin();
    CompletableFuture<SavedCopy> pending = asked;
    if (pending == null) {
      if (copies.indexedFrames() <= shippedFrames()) {
        return false;
      }
      pending = copies.ask();
      asked = pending;
    }
    endMs = clock.millis() + millis;
    try {
      var _ = pending.get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no savepoint was to be had in " + millis + " ms", e);
    } catch (ExecutionException _) {
      // Told below.
    }
    asked = null;
    try (SavedCopy copy = taken(pending)) {
      return ship(copy);
    }
  }

  private boolean isDue() {
    return copies.indexedFrames() > seenFrames
        && (copies.journals() - shippedJournals >= settings.pace().journals()
            || clock.millis() - shippedMs >= settings.pace().restMillis());
  }

  private static SavedCopy taken(CompletableFuture<SavedCopy> done) throws IOException {
    if (done.isCompletedExceptionally()) {
      Throwable cause = done.exceptionNow();
      throw new IOException("no savepoint can be copied: " + cause.getMessage(), cause);
    }
    return done.resultNow();
  }

  /// Ships a savepoint, whether or not it is time.
  ///
  /// @return whether it was published: not so if it is no newer than the last one
  public boolean ship(SavedCopy copy) throws IOException, CorruptStreamException {
    begin();
    SavedCopy.Head head = copy.head();
    if (head.position().number() <= shippedFrames()) {
      return false; // the frames behind it change nothing
    }
    long epoch = pointer.epoch();
    List<SavepointStore.Part> parts = store.list();
    Sent sent = new Sent(epoch, kept.reusable());
    SavepointManifest manifest;
    PublishedSavepoint published;
    try {
      manifest = sent.manifest(copy);
      published =
          new PublishedSavepoint(
              head.position(), head.epoch(), clock.millis(), sent.finish(manifest));
    } finally {
      sent.close();
    }
    if (!copy.isWhole()) {
      throw new IOException("the shard was opened again while a savepoint was copied");
    }
    List<PublishedSavepoint> newestFirst = new ArrayList<>(List.of(published));
    if (head.removals() == shippedRemovals) {
      kept.named().stream().limit(KEPT - 1).forEach(newestFirst::add);
    }
    known = false; // until the pointer has answered
    pointer.publish(epoch, newestFirst);
    known = true;
    kept.published(newestFirst, manifest);
    shippedJournals = seenJournals;
    shippedRemovals = head.removals();
    shippedMs = clock.millis();
    counts.published(published.timeMs());
    collect(epoch, parts);
    return true;
  }

  private long shippedFrames() {
    return kept.named().isEmpty() ? 0 : kept.named().getFirst().position().number();
  }

  /// Deletes the parts that no savepoint needs. Only those that were there before the pointer was
  /// changed, and of no later owner.
  private void collect(long epoch, List<SavepointStore.Part> there)
      throws IOException, CorruptStreamException {
    collectedMs = clock.millis();
    List<PublishedSavepoint> all = kept.all(collectedMs);
    tellEnd(all);
    try {
      Set<Bytes> needed = kept.parts(all);
      for (SavepointStore.Part part : there) {
        if (part.epoch() <= epoch && !needed.contains(part.id())) {
          store.delete(part.id());
        }
      }
    } catch (SavepointRefusedException e) {
      LOG.error("shipped savepoints are not deleted: {}", e.toString());
    }
  }

  /// None of these replays a frame before the oldest one.
  private void tellEnd(List<PublishedSavepoint> all) {
    pinned = all.size() > kept.named().size();
    shippedTo.set(
        all.stream()
            .mapToLong(savepoint -> savepoint.position().frame())
            .reduce((a, b) -> Long.compareUnsigned(a, b) < 0 ? a : b)
            .orElse(0));
  }

  @Override
  public void close() {
    CompletableFuture<SavedCopy> pending = asked;
    asked = null;
    if (pending != null) {
      var _ = pending.thenAccept(SavepointShipper::letGo);
    }
  }

  private static void letGo(SavedCopy copy) {
    try {
      copy.close();
    } catch (IOException e) {
      LOG.warn("closing a copied savepoint: {}", e.toString());
    }
  }

  /// What is sent of one savepoint.
  private final class Sent {
    private final long epoch;
    private final Map<Digest, ShippedPiece> reusable;
    private final Map<Bytes, Long> partBytes = new HashMap<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(settings.pieceBytes());
    private SavepointStore.@Nullable Upload upload;

    Sent(long epoch, Map<Digest, ShippedPiece> reusable) {
      this.epoch = epoch;
      this.reusable = reusable;
    }

    SavepointManifest manifest(SavedCopy copy) throws IOException {
      List<ShippedFile> files = new ArrayList<>();
      for (SavedFile file : copy.files()) {
        List<ShippedPiece> pieces = new ArrayList<>();
        if (file.read(buffer, bytes -> pieces.add(piece(bytes))) >= 0) {
          files.add(new ShippedFile(file.name(), pieces));
        }
      }
      return new SavepointManifest(
          shard,
          copy.head().position(),
          copy.head().epoch(),
          copy.head().timeMs(),
          settings.software(),
          parts(files),
          files);
    }

    private ShippedPiece piece(ByteBuffer bytes) throws IOException {
      if (clock.millis() > endMs) {
        throw new IOException("the last savepoint takes too long");
      }
      Digest name = ShippedPiece.nameOf(bytes);
      ShippedPiece piece = reusable.get(name);
      if (piece == null || piece.bytes() != bytes.limit()) {
        piece = upload().put(name, bytes);
        partBytes.merge(piece.part(), (long) piece.bytes(), Long::sum);
        reusable.put(name, piece);
        counts.put(piece.bytes());
      } else {
        counts.reuse();
      }
      return piece;
    }

    private SavepointStore.Upload upload() throws IOException {
      SavepointStore.Upload open = upload;
      if (open == null) {
        open = store.begin(epoch);
        upload = open;
      }
      return open;
    }

    private Map<Bytes, Long> parts(List<ShippedFile> files) {
      Map<Bytes, Long> parts = new HashMap<>();
      for (ShippedFile file : files) {
        for (ShippedPiece piece : file.pieces()) {
          parts.computeIfAbsent(
              piece.part(), part -> partBytes.getOrDefault(part, kept.partBytes(part)));
        }
      }
      return parts;
    }

    /// @return the piece that the manifest is
    ShippedPiece finish(SavepointManifest manifest) throws IOException {
      byte[] encoded = manifest.encode().toArray();
      ShippedPiece piece = upload().put(Sha256.hash(encoded), ByteBuffer.wrap(encoded));
      upload().finish();
      return piece;
    }

    void close() throws IOException {
      if (upload != null) {
        upload.close();
      }
    }
  }
}
