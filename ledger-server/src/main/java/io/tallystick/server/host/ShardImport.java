package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Authority;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.SavedHeads;
import io.tallystick.server.backup.SettledShard;
import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.keys.RecordedKeys;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.removal.ImageFiles;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.SavedCopies;
import io.tallystick.server.shard.SavedCopy;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.ship.SavepointPointer;
import io.tallystick.server.ship.SavepointShipper;
import io.tallystick.server.ship.SharedObjects;
import io.tallystick.server.ship.ShippedEnd;
import io.tallystick.server.ship.ShippedPiece;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.object.ObjectMove;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.replicated.ShardNotEmptyException;
import io.tallystick.storage.replicated.StreamImport;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.FrameCursor;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Makes a shard of a cluster of a data directory that no service has open: its frames become the
/// shard's stream, byte for byte, its objects and images the shard's objects, and the rest a
/// shipped savepoint. From the moment that the stream is listed no service starts on the directory.
/// Cut short, it is done again. One thread's. Source: `docs/operations/cluster.md`.
public final class ShardImport {
  private static final Pattern WHY =
      Pattern.compile("as shard ([0-9]{1,9}) of cluster ([a-z0-9-]+)\\.");

  private final Path data;
  private final Path keys;
  private final Signatures signatures;
  private final BatchHasher hasher;
  private final Target target;

  /// Where it goes.
  ///
  /// @param cluster its name
  /// @param shard that nobody has claimed
  /// @param shipping under the claims that `stream` makes
  public record Target(
      String cluster, StreamId shard, StreamImport stream, ShippingPlaces shipping) {}

  /// Says whether the cluster takes what the directory has.
  @FunctionalInterface
  public interface Admission {
    /// @param ledgers all of them
    void check(RecordedKeys keys, List<LedgerId> ledgers)
        throws ImportRefusedException, IOException, CorruptStreamException;
  }

  /// @param keys folder of the service's keys, never written
  public ShardImport(
      Path data, Path keys, Signatures signatures, BatchHasher hasher, Target target) {
    this.data = data.toAbsolutePath().normalize();
    this.keys = keys;
    this.signatures = signatures;
    this.hasher = hasher;
    this.target = target;
  }

  /// The shard has all when this returns; nobody was told of it.
  ///
  /// @param admission asked before anything is changed
  /// @return the newest head of each ledger that the shard has
  /// @throws ServiceKeysException if the keys are not those of the directory
  /// @throws CorruptStreamException if what is stored is damaged
  public List<Backups.Head> run(Admission admission, Backups.Progress progress)
      throws IOException, ServiceKeysException, CorruptStreamException, ImportRefusedException {
    if (!Files.isDirectory(data.resolve(NodeParts.META_DIRECTORY))) {
      throw new ImportRefusedException(data + " is no data directory");
    }
    boolean begun = DirectoryMarks.isSet(data, DirectoryMarks.SUPERSEDED, why());
    LocalNode.loadLibraries(data);
    try (NodeParts parts =
        begun ? NodeParts.unchecked(data, hasher) : NodeParts.local(data, hasher)) {
      if (parts.meta().get(SavepointRow.KEY) == null) {
        throw new ImportRefusedException(data + " holds no ledgers");
      }
      RecordedKeys recorded = RecordedKeys.of(parts.meta());
      recorded.checkAllIn(keys, signatures);
      admission.check(recorded, ledgers(parts.meta()));
      ShardStorage storage = parts.storage(InstantSource.system());
      if (!begun) {
        HeadSigner signer =
            new HeadSigner(
                ServiceKeyStore.given(keys, parts.meta(), signatures)
                    .open(new Authority("localhost")));
        SettledShard.run(storage, ShardConfig.defaults(), hasher, signer);
      }
      admission.check(recorded, ledgers(parts.meta())); // replay may have found more
      put(storage, begun, progress);
      return SavedHeads.of(parts.meta());
    } catch (ShardNotEmptyException e) {
      throw new ImportRefusedException(String.valueOf(e.getMessage()), e);
    }
  }

  /// The shard that an earlier call has begun to make of a directory.
  public static OptionalInt begun(Path data, String cluster) throws IOException {
    Path mark = data.resolve(DirectoryMarks.SUPERSEDED);
    if (!Files.exists(mark)) {
      return OptionalInt.empty();
    }
    Matcher said = WHY.matcher(Files.readString(mark));
    return said.find() && said.group(2).equals(cluster)
        ? OptionalInt.of(Integer.parseInt(said.group(1)))
        : OptionalInt.empty();
  }

  private String why() {
    return String.format(
        Locale.ROOT,
        "The service of this directory goes on as shard %d of cluster %s. Delete this file only if that shard is never served.",
        target.shard().shard(),
        target.cluster());
  }

  private static List<LedgerId> ledgers(MetaStore meta) throws IOException, CorruptStreamException {
    return SavedWorld.ledgers(meta).stream().map(saved -> saved.ledger().id()).toList();
  }

  private void put(ShardStorage storage, boolean begun, Backups.Progress progress)
      throws IOException, CorruptStreamException, ShardNotEmptyException, ImportRefusedException {
    SavepointPointer pointer = target.shipping().pointers().apply(target.shard());
    try (StreamReader stream = storage.streams().openReader(storage.stream())) {
      if (begun && target.stream().isOfAnother(stream)) {
        DirectoryMarks.clear(data, DirectoryMarks.SUPERSEDED);
        throw new ImportRefusedException(
            String.format(
                Locale.ROOT,
                "another import took shard %d; nothing of %s was listed there: import it again",
                target.shard().shard(),
                data));
      }
      if (!pointer.read().isEmpty()) {
        if (begun && target.stream().holdsAllOf(stream)) {
          return; // an earlier call did all of this
        }
        throw new ShardNotEmptyException(target.shard());
      }
      SavepointRow saved = SavepointRow.of(storage.meta());
      try (FrameCursor behind = stream.tail(saved.position())) {
        if (behind.next()) {
          throw new IOException(
              String.format(
                  Locale.ROOT, "frame %d is in no savepoint", behind.position().number()));
        }
      }
      long epoch = Math.max(saved.epoch(), storage.streams().epochOf(storage.stream()));
      ShardClaim claim = target.stream().claim(epoch);
      target.stream().put(claim, stream, watch(stream, progress));
      ship(storage, claim, pointer);
    }
  }

  private StreamImport.Watch watch(StreamReader stream, Backups.Progress progress)
      throws IOException {
    long all = stream.segments().stream().mapToLong(StreamReader.Segment::bytes).sum();
    long[] done = {0};
    return new StreamImport.Watch() {
      @Override
      public void copied(long bytes) throws IOException {
        done[0] += bytes;
        progress.isAt(done[0], all);
      }

      @Override
      public void listing() throws IOException {
        DirectoryMarks.set(data, DirectoryMarks.SUPERSEDED, why());
      }
    };
  }

  /// Of rows that name objects where the cluster has them.
  private void ship(ShardStorage storage, ShardClaim claim, SavepointPointer pointer)
      throws IOException, CorruptStreamException {
    ObjectStore objects =
        new SharedObjects(target.shipping().objects().apply(target.shard()), claim::epoch);
    try (RowsCopy rows = RowsCopy.of(storage.meta(), data.resolve("import"))) {
      MetaBatch batch = new MetaBatch();
      ObjectMove move = ObjectMove.between(LocalObjects.open(storage.disk()), objects);
      ChainTable.place(rows.store(), move, batch);
      SnapshotRows.place(rows.store(), move, batch);
      ImageFiles.place(storage.disk(), objects, batch);
      rows.store().write(batch);
      ShardStorage placed =
          new ShardStorage(
              storage.disk(),
              rows.store(),
              storage.streams(),
              storage.stream(),
              storage.epochs(),
              storage.clock(),
              storage.ownership(),
              Optional.of(objects));
      SavedCopies copies = SavedCopies.ofStopped(placed);
      try (SavedCopy copy = copies.stopped();
          SavepointShipper shipper =
              new SavepointShipper(
                  target.shard(),
                  copies,
                  target.shipping().stores().apply(target.shard()),
                  pointer,
                  new SavepointShipper.Settings(
                      ShardConfig.defaults().shipping(),
                      target.shipping().software(),
                      ShippedPiece.BYTES),
                  storage.clock(),
                  new ShippedEnd(() -> {}))) {
        if (!shipper.ship(copy)) {
          throw new IOException("a newer savepoint was shipped meanwhile");
        }
      }
    }
  }
}
