package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaCheckpoint;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A savepoint to be copied while the shard goes on: what its rows name is neither written over nor
/// deleted before this is closed. One thread's.
public final class SavedCopy implements AutoCloseable {
  static final String META = "meta";
  private static final String IMAGES = "images";
  private static final String UNFINISHED = ".new";

  private final Head head;
  private final MetaCheckpoint rows;
  private final List<SavedFile> files;
  private final Disk disk;
  private final boolean objectsAreShared;
  private final List<Runnable> kept;
  private final SavedCopies copies;
  private final long opening;

  /// What a savepoint says of itself.
  ///
  /// @param position of the first frame that it has not
  /// @param epoch of the writer
  /// @param timeMs of the newest frame
  /// @param removals that savepoints had when this one was taken, as this process counts them
  public record Head(StreamPosition position, long epoch, long timeMs, long removals) {}

  SavedCopy(
      Head head,
      MetaCheckpoint rows,
      List<SavedFile> files,
      Disk disk,
      boolean objectsAreShared,
      List<Runnable> kept,
      SavedCopies copies,
      long opening) {
    this.head = head;
    this.rows = rows;
    this.files = List.copyOf(files);
    this.disk = disk;
    this.objectsAreShared = objectsAreShared;
    this.kept = List.copyOf(kept);
    this.copies = copies;
    this.opening = opening;
  }

  public Head head() {
    return head;
  }

  /// All files. Images and objects are found now: those that a row names were there before it. If
  /// other processes have them, too, they are none of the copy.
  public List<SavedFile> files() throws IOException {
    List<SavedFile> all = new ArrayList<>();
    for (MetaCheckpoint.RowFile file : rows.files()) {
      all.add(new SavedFile(META + "/" + file.name(), new SavedFile.Body.Rows(rows, file)));
    }
    all.addAll(files);
    if (objectsAreShared) {
      return all;
    }
    for (String image : disk.list(IMAGES)) {
      if (image.indexOf('.') > 0 && !image.endsWith(UNFINISHED)) {
        all.add(new SavedFile(IMAGES + "/" + image, new SavedFile.Body.Whole(disk)));
      }
    }
    for (String folder : disk.list(LocalObjects.FOLDER)) {
      for (String object : disk.list(LocalObjects.FOLDER + "/" + folder)) {
        String name = LocalObjects.FOLDER + "/" + folder + "/" + object;
        if (LocalObjects.isFile(name)) {
          all.add(new SavedFile(name, new SavedFile.Body.Whole(disk)));
        }
      }
    }
    return all;
  }

  /// Whether all that was read so far is the savepoint's: not so once the shard was opened again,
  /// which writes over what nobody keeps any more.
  public boolean isWhole() {
    return copies.isOf(opening);
  }

  @Override
  public void close() throws IOException {
    kept.forEach(Runnable::run);
    try {
      rows.close();
    } finally {
      copies.closed(); // the next one takes the place of the rows
    }
  }
}
