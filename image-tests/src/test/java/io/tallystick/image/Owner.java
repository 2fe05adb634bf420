package io.tallystick.image;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Gives files of this machine to root and a group, as a kubelet does. Only root can.
final class Owner {
  private static final int ROOT = 0;

  private Owner() {}

  /// @param mode with the bits for a group's inheritance and for deletion by owners
  static void give(Path path, int group, int mode) throws IOException {
    try {
      Files.setAttribute(path, "unix:uid", ROOT);
      Files.setAttribute(path, "unix:gid", group);
    } catch (FileSystemException e) {
      throw new IOException("this test needs to be root, to give files to a pod's group", e);
    }
    Files.setAttribute(path, "unix:mode", mode);
  }
}
