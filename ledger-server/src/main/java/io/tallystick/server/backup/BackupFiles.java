package io.tallystick.server.backup;

import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.object.LocalObjects;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/// Which files of a data directory a backup has beside the stream: those that cannot be made again
/// from it. Pages of clue tries and states, and cells of clues, are made again. Source:
/// docs/formats/backup.md.
final class BackupFiles {
  private static final String STREAM = "stream";
  private static final String IMAGES = "images";
  private static final String T_LEDGER = "t-ledger";
  private static final String T_LEDGER_GENESIS = T_LEDGER + "/genesis";

  /// The ending of a file that is being written.
  private static final String UNFINISHED = ".new";

  /// Never in a backup: the writer's key of a T-Ledger.
  private static final String KEY_SUFFIX = ".pem";

  private static final List<String> FOLDERS =
      List.of(ArrayStore.FOLDER, IMAGES, LocalObjects.FOLDER, T_LEDGER);
  private static final int DEPTH_MAX = 2;

  private BackupFiles() {}

  /// The name of a segment of a stream.
  static String segment(StreamId stream, int segment) {
    HexFormat hex = HexFormat.of();
    return STREAM + "/" + hex.toHexDigits(stream.shard()) + "/" + hex.toHexDigits(segment) + ".seg";
  }

  /// Whether a backup may have a file of this name.
  static boolean isOne(String name) {
    return (name.startsWith(STREAM + "/")
            || FOLDERS.stream().anyMatch(folder -> name.startsWith(folder + "/")))
        && isKept(name);
  }

  private static boolean isKept(String name) {
    return !name.endsWith(UNFINISHED)
        && !name.endsWith(KEY_SUFFIX)
        && !name.endsWith("/" + ClueIndex.cellsFile());
  }

  /// The folders that some files are in, each before those below it.
  static NavigableSet<String> foldersOf(List<String> files) {
    NavigableSet<String> folders = new TreeSet<>();
    for (String name : files) {
      for (int end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
        folders.add(name.substring(0, end));
      }
    }
    return folders;
  }

  /// Those that there are now, without the stream's.
  static List<String> in(Disk disk) throws IOException {
    List<String> files = new ArrayList<>();
    for (String folder : FOLDERS) {
      add(disk, folder, DEPTH_MAX, files);
    }
    files.removeIf(name -> !isKept(name));
    return files;
  }

  /// Deletes those, and what is unfinished or in no backup.
  static void deleteIn(Disk disk) throws IOException {
    for (String folder : FOLDERS) {
      List<String> files = new ArrayList<>();
      add(disk, folder, DEPTH_MAX, files);
      for (String name : files) {
        disk.delete(name);
      }
    }
  }

  private static void add(Disk disk, String folder, int depth, List<String> files)
      throws IOException {
    for (String entry : disk.list(folder)) {
      String name = folder + "/" + entry;
      boolean isFile =
          entry.indexOf('.') > 0 || name.equals(T_LEDGER_GENESIS) || LocalObjects.isFile(name);
      if (isFile) {
        files.add(name);
      } else if (depth > 1) {
        add(disk, name, depth - 1, files);
      }
    }
  }
}
