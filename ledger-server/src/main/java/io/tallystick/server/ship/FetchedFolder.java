package io.tallystick.server.ship;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// The folder of a shard in which a fetched savepoint takes the place of what is there. The
/// savepoint is fetched into the folder `fetched`, which is there only as a whole. Then the old
/// files are deleted, `fetched` is called `adopted`, and its files are moved out of it. A crash in
/// between is seen by those names, and {@link #settle} does the rest. One thread's.
public final class FetchedFolder {
  private static final String FETCHED = "fetched";
  private static final String ADOPTED = "adopted";

  private final Path folder;
  private final Step step;

  /// Called before each change of the folder.
  interface Step {
    void before(String what) throws IOException;
  }

  /// @param folder that this process holds alone
  public FetchedFolder(Path folder) {
    this(folder, _ -> {});
  }

  FetchedFolder(Path folder, Step step) {
    this.folder = folder;
    this.step = step;
  }

  /// Finishes a change that a crash has cut short. To be called before anything in the folder is
  /// opened.
  ///
  /// @return whether there was one
  public boolean settle() throws IOException {
    SavepointFetcher.delete(folder.resolve(FETCHED + SavepointFetcher.UNFINISHED));
    Path fetched = folder.resolve(FETCHED);
    Path adopted = folder.resolve(ADOPTED);
    boolean begun = Files.exists(fetched);
    if (begun) {
      for (String each : SavepointManifest.FOLDERS) {
        step.before("delete " + each);
        SavepointFetcher.delete(folder.resolve(each));
      }
      force();
      step.before("adopt");
      Files.move(fetched, adopted, StandardCopyOption.ATOMIC_MOVE);
      force();
    }
    if (!Files.exists(adopted)) {
      return false;
    }
    for (String each : SavepointManifest.FOLDERS) {
      if (Files.exists(adopted.resolve(each))) {
        step.before("move " + each);
        Files.move(adopted.resolve(each), folder.resolve(each), StandardCopyOption.ATOMIC_MOVE);
      }
    }
    force();
    step.before("end");
    SavepointFetcher.delete(adopted);
    return true;
  }

  /// Fetches the newest savepoint beside what is there. Nothing is replaced before {@link #settle}.
  ///
  /// @throws SavepointRefusedException if there is none, or it cannot be had
  /// @throws CorruptStreamException if the pointer is damaged
  public SavepointManifest fetch(SavepointFetcher fetcher)
      throws IOException, SavepointRefusedException, CorruptStreamException {
    return fetcher.fetch(folder.resolve(FETCHED));
  }

  private void force() throws IOException {
    try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
      entries.force(true);
    }
  }
}
