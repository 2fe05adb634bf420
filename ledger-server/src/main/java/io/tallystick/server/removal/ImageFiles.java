package io.tallystick.server.removal;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.object.StoredObject;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Makes objects and rows of the images of a data directory, and files of those that a cluster's
/// rows name. Nobody has the shard open.
public final class ImageFiles {
  private ImageFiles() {}

  /// Makes objects of all images of a folder, and rows that name them.
  ///
  /// @param batch gets the rows
  public static void place(Disk disk, ObjectStore objects, MetaBatch batch) throws IOException {
    for (StateImages.Snapshot each : StateImages.snapshots(disk)) {
      List<ImageRows.Image> images = new ArrayList<>();
      for (String suffix : StateImages.suffixes(disk, each.strand(), each.height())) {
        String file = StateImages.file(each.strand(), each.height(), suffix);
        images.add(new ImageRows.Image(suffix, ImageRows.upload(disk, objects, file)));
      }
      batch.put(ImageRows.key(each.strand(), each.height()), ImageRows.encode(images));
    }
  }

  /// Makes files of all images that rows name.
  ///
  /// @param to has none
  /// @throws CorruptStreamException if one is damaged
  /// @throws IOException also if one is gone
  public static void copyAll(MetaStore rows, ObjectStore objects, Disk to)
      throws IOException, CorruptStreamException {
    for (Map.Entry<Bytes, Bytes> row : rows.rows(ImageRows.PREFIX).entrySet()) {
      try {
        StrandId strand = ImageRows.strandOf(row.getKey());
        for (ImageRows.Image image : ImageRows.decode(row.getValue())) {
          copy(
              StateImages.file(strand, ImageRows.heightOf(row.getKey()), image.suffix()),
              objects
                  .open(image.object())
                  .orElseThrow(() ->
                      new IOException("image " + image.object().name() + " is gone; try again")),
              to);
        }
      } catch (MalformedException e) {
        throw new CorruptStreamException("rows of images", 0, String.valueOf(e.getMessage()), e);
      }
    }
  }

  private static void copy(String file, StoredObject object, Disk to)
      throws IOException, CorruptStreamException {
    try (object;
        DiskFile copy = to.open(file + StateImages.NEW)) {
      long[] at = {0};
      object.copyTo(bytes -> {
        int count = bytes.remaining();
        copy.write(at[0], bytes);
        at[0] += count;
      });
      copy.force();
    }
    StateImages.publish(to, file);
  }

  /// Whether a row says where images are.
  public static boolean isRow(Bytes key) {
    return key.slice(0, ImageRows.PREFIX.size()).equals(ImageRows.PREFIX);
  }
}
