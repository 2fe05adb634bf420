package io.tallystick.server.backup;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Backups;
import io.tallystick.server.backup.BackupManifest.Part;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.seal.JournalCheck;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.shard.IndexRepair;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// Makes a data directory of a backup, in two steps: {@link #copy} checks and copies each file,
/// {@link #settle} makes the indexes again, replays the frames behind the rows, carries out the
/// removals that the log has, and compares what came out with the manifest. Nothing is signed. One
/// thread's. Source: docs/formats/backup.md.
public final class ShardRestore {
  private static final int PIECE_BYTES = 1 << 20;
  private static final int STRAND = 0;
  private static final Set<Feature> INDEXED = Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST);

  private final Path backup;
  private final BackupManifest manifest;

  public ShardRestore(Path backup, BackupManifest manifest) {
    this.backup = backup;
    this.manifest = manifest;
  }

  /// Copies all files, each checked against the manifest on the way.
  ///
  /// @param disk of the data directory, without any of these files
  /// @param meta empty
  /// @throws BackupRefusedException `DAMAGED`, naming the file
  public void copy(Disk disk, MetaStore meta, Backups.Progress progress)
      throws IOException, BackupRefusedException {
    long moved = 0;
    for (Part part : manifest.parts()) {
      Path file = backup.resolve(part.name());
      long before = moved;
      try (InputStream in = Files.newInputStream(file)) {
        requireSame(
            file,
            part,
            part.name().equals(RowFile.NAME)
                ? rows(in, meta)
                : file(in, part, disk, at -> progress.isAt(before + at, manifest.bytes())));
      } catch (NoSuchFileException e) {
        throw missing(file, e);
      }
      moved += part.bytes();
    }
    force(disk);
  }

  /// Checks each file against the manifest, and copies nothing.
  ///
  /// @throws BackupRefusedException `DAMAGED`, naming the file
  public void check() throws IOException, BackupRefusedException {
    for (Part part : manifest.parts()) {
      Path file = backup.resolve(part.name());
      MessageDigest digest = BackupFileWriter.sha256();
      try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
        long bytes = in.transferTo(OutputStream.nullOutputStream());
        requireSame(file, part, new Part(part.name(), bytes, Digest.of(digest.digest(), 0)));
      } catch (NoSuchFileException e) {
        throw missing(file, e);
      }
    }
  }

  private static void requireSame(Path file, Part want, Part found) throws BackupRefusedException {
    if (!found.equals(want)) {
      throw refused(
          file,
          String.format(
              Locale.ROOT,
              "%d bytes with SHA-256 %s, the manifest says %d with %s",
              found.bytes(),
              found.sha256(),
              want.bytes(),
              want.sha256()));
    }
  }

  private static BackupRefusedException missing(Path file, NoSuchFileException cause) {
    return new BackupRefusedException(Reason.DAMAGED, file + " is missing", cause);
  }

  private static BackupRefusedException refused(Path file, String detail) {
    return new BackupRefusedException(Reason.DAMAGED, file + " is damaged: " + detail);
  }

  private Part rows(InputStream in, MetaStore meta) throws IOException, BackupRefusedException {
    MessageDigest digest = BackupFileWriter.sha256();
    Path file = backup.resolve(RowFile.NAME);
    try (InputStream rows = new DigestInputStream(new BufferedInputStream(in), digest)) {
      RowFile.read(rows, meta);
    } catch (MalformedException e) {
      throw new BackupRefusedException(Reason.DAMAGED, file + " is damaged: " + e.getMessage(), e);
    }
    return new Part(RowFile.NAME, Files.size(file), Digest.of(digest.digest(), 0));
  }

  private static Part file(InputStream in, Part part, Disk disk, BackupFileWriter.Meter at)
      throws IOException {
    long[] sum = {0};
    try (BackupFileWriter out =
        new BackupFileWriter(
            disk,
            part.name(),
            bytes -> {
              sum[0] += bytes;
              at.moved(sum[0]);
            })) {
      byte[] piece = new byte[PIECE_BYTES];
      for (int count = in.readNBytes(piece, 0, PIECE_BYTES);
          count > 0;
          count = in.readNBytes(piece, 0, PIECE_BYTES)) {
        out.write(ByteBuffer.wrap(piece, 0, count));
      }
      return out.finish();
    }
  }

  private void force(Disk disk) throws IOException {
    for (String folder :
        BackupFiles.foldersOf(manifest.parts().stream().map(Part::name).toList())) {
      disk.forceDirectory(folder);
    }
    disk.forceDirectory("");
  }

  /// Makes the copied directory ready to serve.
  ///
  /// @param watch hears of the indexes that are made
  /// @throws BackupRefusedException `DAMAGED` if what came out is not what the manifest says
  /// @throws CorruptStreamException if the journals do not make what was sealed
  public void settle(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      IndexRebuild.Watch watch)
      throws IOException, CorruptStreamException, BackupRefusedException {
    checkJournals(storage, hasher, watch);
    for (Feature feature : INDEXED) {
      new IndexRepair(storage, hasher, signer, feature, watch).make();
    }
    SettledShard.run(
        storage, config, hasher, signer, this::checkHeads, _ -> checkNoOthers(storage.meta()));
  }

  /// Checks the journals of ledgers without an index: those of others are checked when it is made.
  private static void checkJournals(
      ShardStorage storage, BatchHasher hasher, IndexRebuild.Watch watch)
      throws IOException, CorruptStreamException {
    List<StrandId> plain =
        SavedWorld.ledgers(storage.meta()).stream()
            .filter(saved ->
                saved.governance().features().firstHeights().keySet().stream()
                    .noneMatch(INDEXED::contains))
            .map(saved -> new StrandId(saved.ledger().id(), STRAND))
            .toList();
    try (StreamReader stream = storage.streams().openReader(storage.stream());
        ArrayStore arrays = new ArrayStore(storage.disk(), storage.meta(), ArrayLimits.DEFAULT)) {
      JournalCheck check = new JournalCheck(stream, hasher);
      for (StrandId strand : plain) {
        check.check(arrays, storage.meta(), strand, watch::isChecked);
      }
    }
  }

  private void checkHeads(Shard shard)
      throws IOException, CorruptStreamException, BackupRefusedException {
    for (Backups.Head want : manifest.heads()) {
      SealedHead head = shard.indexer().strand(new StrandId(want.ledger(), STRAND)).head();
      if (head.size() != want.size()
          || head.blocks() != want.blocks()
          || !head.root().equals(want.root())) {
        throw new BackupRefusedException(
            Reason.DAMAGED,
            String.format(
                Locale.ROOT,
                "ledger %s came out with %d leaves in %d blocks and root %s, the manifest says %d in %d and %s",
                want.ledger(),
                head.size(),
                head.blocks(),
                head.root(),
                want.size(),
                want.blocks(),
                want.root()));
      }
    }
  }

  private void checkNoOthers(MetaStore meta)
      throws IOException, CorruptStreamException, BackupRefusedException {
    Set<LedgerId> wanted =
        manifest.heads().stream().map(Backups.Head::ledger).collect(Collectors.toSet());
    for (SavedWorld.SavedLedger saved : SavedWorld.ledgers(meta)) {
      if (!wanted.contains(saved.ledger().id())) {
        throw new BackupRefusedException(
            Reason.DAMAGED,
            String.format(Locale.ROOT, "ledger %s is not in the manifest", saved.ledger().id()));
      }
    }
  }
}
