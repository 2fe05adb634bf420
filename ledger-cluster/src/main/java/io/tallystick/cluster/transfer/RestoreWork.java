package io.tallystick.cluster.transfer;

import io.tallystick.durable.PrivateFile;
import io.tallystick.model.Digest;
import io.tallystick.model.Utf8;
import io.tallystick.server.backup.BackupRefusedException;
import io.tallystick.server.backup.BackupRefusedException.Reason;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The folder in which a restore makes the shards of a cluster. A file in it says of which backup
/// they are: what is left there of another one must not get into the cluster. One thread's.
final class RestoreWork {
  /// Has the SHA-256 of the backup's file {@link ClusterManifest#FILE}, in hex, and a line's end.
  static final String MARK = "restored-backup";

  private static final Pattern SHARD = Pattern.compile("shard-[0-9]{5}(\\.restore)?");

  /// A file system puts it into an empty directory.
  private static final String IGNORED = "lost+found";

  private final Path folder;
  private final byte[] mark;

  /// @param backup SHA-256 of its file {@link ClusterManifest#FILE}
  RestoreWork(Path folder, Digest backup) {
    this.folder = folder;
    this.mark = Utf8.encode(backup + "\n");
  }

  /// Changes nothing.
  ///
  /// @throws BackupRefusedException `NOT_EMPTY` if it has anything but what a restore of the same
  ///   backup has left
  void check() throws IOException, BackupRefusedException {
    Path said = folder.resolve(MARK);
    if (Files.exists(said)) {
      if (!Arrays.equals(Files.readAllBytes(said), mark)) {
        throw new BackupRefusedException(
            Reason.NOT_EMPTY,
            folder + " has what a restore of another backup left; remove it, or name another");
      }
    } else if (Files.exists(folder) && !entries().isEmpty()) {
      throw new BackupRefusedException(
          Reason.NOT_EMPTY, folder + " is not empty, and no restore has made it");
    }
  }

  private List<Path> entries() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(each -> !each.getFileName().toString().equals(IGNORED)).sorted().toList();
    }
  }

  /// Makes it, and says of which backup it is.
  void begin() throws IOException, BackupRefusedException {
    check();
    PrivateFile.createDirectory(folder);
    PrivateFile.replace(folder.resolve(MARK), mark);
    PrivateFile.force(folder);
  }

  /// The data directory that a shard is made of.
  Path shard(int number) {
    return folder.resolve(ClusterManifest.folder(number));
  }

  /// Deletes what a restore has made, and nothing else.
  void end() throws IOException {
    for (Path each : entries()) {
      if (SHARD.matcher(each.getFileName().toString()).matches()) {
        ClusterBackup.delete(each);
      }
    }
    Files.deleteIfExists(folder.resolve(MARK));
    try {
      Files.deleteIfExists(folder);
    } catch (FileSystemException _) {
      return; // it has somebody's files, or is a mount: it stays
    }
  }
}
