package io.tallystick.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;

/// A volume of a Secret or ConfigMap on this machine, laid out as a kubelet does: the files are in
/// a folder of their own, the link `..data` leads there, and each name is a link through that. All
/// belongs to root, and to the pod's `fsGroup`.
final class MountedFiles {
  private static final int FOLDER = 02755;
  private static final int ROOT = 03777;

  private final Path root;
  private final int mode;
  private final int group;
  private int versions;

  /// @param mode of the files
  MountedFiles(Path root, int mode, int group) throws IOException {
    this.root = Files.createDirectories(root);
    this.mode = mode;
    this.group = group;
    Owner.give(root, group, ROOT);
  }

  String folder() {
    return root.toString();
  }

  /// Replaces all files at once, by another target of `..data`.
  void write(Map<String, String> files) throws IOException {
    Path data = root.resolve("..data");
    Path before = Files.exists(data) ? data.toRealPath() : null;
    Path version = Files.createDirectory(root.resolve("..version_" + ++versions));
    Owner.give(version, group, FOLDER);
    for (Map.Entry<String, String> each : files.entrySet()) {
      Path file = Files.writeString(version.resolve(each.getKey()), each.getValue());
      Owner.give(file, group, mode);
    }
    Path link = Files.createSymbolicLink(root.resolve("..data_tmp"), version.getFileName());
    Files.move(link, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    for (String name : files.keySet()) {
      if (!Files.isSymbolicLink(root.resolve(name))) {
        Files.createSymbolicLink(root.resolve(name), Path.of("..data", name));
      }
    }
    if (before != null) {
      delete(before);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
