package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Backups;
import io.tallystick.node.witnessed.WitnessedLedgers;
import io.tallystick.server.backup.BackupManifest;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import io.tallystick.server.backup.ShardRestore;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.DataDirectoryLock;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Restores a backup into an empty directory, which a service can then be started on. A restore
/// that was cut short leaves a directory that no service starts on; done again, it begins anew.
/// Source: docs/formats/backup.md.
public final class LocalRestore {
  /// Entries of a data directory that count as none: a file system puts them into an empty one.
  private static final Set<String> IGNORED = Set.of("lost+found", DataDirectoryLock.FILE_NAME);

  /// Entries that a service leaves which was refused here: a restore was killed before its folder
  /// was there.
  private static final Set<String> LEFT_BY_A_START = Set.of("native", "http");

  private static final int NAMED_MAX = 50;

  private final Path backup;
  private final Path data;
  private final Path keys;
  private final Signatures signatures;
  private final BatchHasher hasher;

  /// Hears how far it has come.
  public interface Watch extends Backups.Progress, IndexRebuild.Watch {
    /// The folder has changed: it or its mark was made, or taken away.
    default void stepped() {}
  }

  /// @param keys a folder with the service's keys, as `keys` in a data directory has them
  public LocalRestore(
      Path backup, Path data, Path keys, Signatures signatures, BatchHasher hasher) {
    this.backup = backup;
    this.data = data.toAbsolutePath().normalize();
    this.keys = keys;
    this.signatures = signatures;
    this.hasher = hasher;
  }

  /// @param acceptRollback whether heads above the backup's sizes may be signed a second time, as
  ///   other heads
  /// @return what was restored
  /// @throws BackupRefusedException naming what is wrong; the directory is as before
  /// @throws CorruptStreamException if the log of the backup contradicts itself
  public BackupManifest run(boolean acceptRollback, Watch watch)
      throws IOException, BackupRefusedException, CorruptStreamException {
    BackupManifest manifest = BackupManifest.read(backup);
    checkKeys(manifest);
    Nested.refuse(backup, data);
    Nested.refuse(keys, data);
    checkEmpty();
    checkRollback(manifest, acceptRollback);
    String why = "A backup is being restored from " + backup;
    boolean isNew = !Files.exists(data);
    if (isNew) {
      DirectoryMarks.create(data, DirectoryMarks.UNFINISHED, why, watch::stepped);
    } else {
      DirectoryMarks.set(data, DirectoryMarks.UNFINISHED, why);
    }
    watch.stepped();
    try {
      empty();
      watch.stepped();
      restore(manifest, watch);
      DirectoryMarks.dropAside(data, DirectoryMarks.UNFINISHED);
      DirectoryMarks.clear(data, DirectoryMarks.UNFINISHED);
      return manifest;
    } catch (IOException | BackupRefusedException | CorruptStreamException | RuntimeException e) {
      try {
        empty();
        Files.deleteIfExists(data.resolve(DataDirectoryLock.FILE_NAME));
        if (isNew) {
          DirectoryMarks.delete(data, DirectoryMarks.UNFINISHED, watch::stepped);
        } else {
          DirectoryMarks.clear(data, DirectoryMarks.UNFINISHED);
        }
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
    }
  }

  private void restore(BackupManifest manifest, Watch watch)
      throws IOException, BackupRefusedException, CorruptStreamException {
    Path ownKeys = data.resolve(LocalNode.KEYS_DIRECTORY);
    manifest.keys().copy(keys, ownKeys);
    Set<LedgerId> witnessed =
        manifest.heads().stream()
            .filter(Backups.Head::witnessed)
            .map(Backups.Head::ledger)
            .collect(Collectors.toSet());
    WitnessedLedgers.add(data, witnessed);
    ShardRestore shard = new ShardRestore(backup, manifest);
    try (NodeParts parts = NodeParts.unchecked(data, hasher)) {
      shard.copy(parts.disk(), parts.meta(), watch);
      HeadSigner signer =
          new HeadSigner(
              new ServiceKeyStore(ownKeys, parts.meta(), signatures)
                  .open(manifest.keys().authority()));
      shard.settle(
          parts.storage(InstantSource.system()),
          ShardConfig.defaults(),
          parts.hasher(),
          signer,
          watch);
    } catch (ServiceKeysException e) {
      throw keysRefused(e);
    }
  }

  private void checkKeys(BackupManifest manifest) throws IOException, BackupRefusedException {
    try {
      manifest.keys().checkAllIn(keys, signatures);
    } catch (ServiceKeysException e) {
      throw keysRefused(e);
    }
  }

  private static BackupRefusedException keysRefused(ServiceKeysException e) {
    return new BackupRefusedException(Reason.KEYS, String.valueOf(e.getMessage()), e);
  }

  private void checkEmpty() throws IOException, BackupRefusedException {
    if (!Files.exists(data) || Files.exists(data.resolve(DirectoryMarks.UNFINISHED))) {
      return;
    }
    if (!Files.isDirectory(data)) {
      throw new NotDirectoryException(data.toString());
    }
    List<Path> entries =
        entries().stream()
            .filter(each -> !LEFT_BY_A_START.contains(each.getFileName().toString()))
            .toList();
    if (!entries.isEmpty()) {
      throw new BackupRefusedException(
          Reason.NOT_EMPTY,
          String.format(
              Locale.ROOT, "%s is not empty: it has %s", data, entries.getFirst().getFileName()));
    }
  }

  private List<Path> entries() throws IOException {
    try (Stream<Path> all = Files.list(data)) {
      return all.filter(each -> !IGNORED.contains(each.getFileName().toString())).sorted().toList();
    }
  }

  /// Removes all but the mark, unless another process is restoring into it.
  private void empty() throws IOException {
    try (DataDirectoryLock _ = DataDirectoryLock.acquire(data)) {
      for (Path entry : entries()) {
        if (!entry.getFileName().toString().equals(DirectoryMarks.UNFINISHED)) {
          delete(entry);
        }
      }
    }
  }

  private static void delete(Path entry) throws IOException {
    try (Stream<Path> below = Files.walk(entry)) {
      for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  /// Unless the service stopped for good with this backup, it may have signed more since.
  private static void checkRollback(BackupManifest manifest, boolean accepted)
      throws BackupRefusedException {
    if (manifest.last()) {
      return;
    }
    List<Backups.Head> witnessed =
        manifest.heads().stream().filter(Backups.Head::witnessed).toList();
    if (!witnessed.isEmpty()) {
      throw new BackupRefusedException(
          Reason.WITNESSED,
          "witnesses have cosigned heads of ledgers of this backup, and would see that it is older: "
              + sizes(witnessed));
    }
    if (!accepted && !manifest.heads().isEmpty()) {
      throw new BackupRefusedException(
          Reason.ROLLBACK,
          "the service went on after this backup: whoever holds a head above these sizes will see that it is older: "
              + sizes(manifest.heads()));
    }
  }

  private static String sizes(List<Backups.Head> heads) {
    String named =
        heads.stream()
            .limit(NAMED_MAX)
            .map(head -> String.format(Locale.ROOT, "%s at %,d leaves", head.ledger(), head.size()))
            .collect(Collectors.joining(", "));
    return heads.size() <= NAMED_MAX
        ? named
        : String.format(
            Locale.ROOT,
            "%s, and %,d more (%s)",
            named,
            heads.size() - NAMED_MAX,
            BackupManifest.FILE);
  }
}
