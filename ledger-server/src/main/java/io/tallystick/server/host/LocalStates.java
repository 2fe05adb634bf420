package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.NodeFolders;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.StateAsOf;
import io.tallystick.server.state.RebuiltState;
import io.tallystick.server.state.RebuiltStateMaker;
import io.tallystick.storage.disk.DataDirectoryLock;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.disk.ReadOnlyDisk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// States of ledgers as of earlier blocks, each in a folder of its own, made from the log of a data
/// directory that no service has open.
public final class LocalStates {
  private LocalStates() {}

  /// See {@link StateAsOf#make}.
  ///
  /// @param only null: of the one ledger that has a state
  /// @param folder not there, or empty. One that is not finished holds no state
  /// @throws IOException also when a service holds the directory, or it is none, or `folder` is not
  ///   empty
  /// @throws ServiceKeysException if the service's keys are missing or not its own
  public static RebuiltStateMaker.Made make(
      NodeFolders folders,
      @Nullable LedgerId only,
      long height,
      Path folder,
      Signatures signatures,
      BatchHasher hasher,
      RebuiltStateMaker.Progress progress)
      throws IOException, ServiceKeysException, CorruptStreamException, RequestRejectedException {
    Nested.refuse(folder, folders.data());
    checkEmpty(folder);
    RebuiltStateMaker.Made made =
        StoppedDirectory.run(
            folders,
            signatures,
            hasher,
            (storage, hashing, signer) ->
                new StateAsOf(storage, hashing, signer)
                    .make(only, height, () -> empty(folder), progress));
    Files.deleteIfExists(folder.resolve(DataDirectoryLock.FILE_NAME));
    return made;
  }

  private static void checkEmpty(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    if (!Files.isDirectory(folder)) {
      throw new NotDirectoryException(folder.toString());
    }
    try (Stream<Path> entries = Files.list(folder)) {
      if (entries.findAny().isPresent()) {
        throw notEmpty(folder);
      }
    }
  }

  /// Held alone from now on.
  private static Disk empty(Path folder) throws IOException {
    Disk disk = LocalDisk.open(folder);
    if (disk.list("").isEmpty()) {
      return disk;
    }
    disk.close();
    throw notEmpty(folder);
  }

  private static FileSystemException notEmpty(Path folder) {
    return new FileSystemException(folder.toString(), null, "is not empty");
  }

  /// Opens a folder in which a state was made. Others may read it at the same time.
  ///
  /// @throws IOException also if it holds no state that was finished
  /// @throws CorruptStreamException as {@link RebuiltState#open}
  public static RebuiltState open(Path folder) throws IOException, CorruptStreamException {
    Disk disk = new ReadOnlyDisk(folder);
    if (!RebuiltState.isIn(disk)) {
      throw new FileSystemException(
          folder.toString(), null, "holds no state that `tally rebuild` has finished");
    }
    return RebuiltState.open(disk);
  }
}
