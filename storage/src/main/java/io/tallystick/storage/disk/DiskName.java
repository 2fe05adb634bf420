package io.tallystick.storage.disk;

/// Names on a {@link Disk}: relative, `/`-separated, never leaving the data directory.
public final class DiskName {
  private DiskName() {}

  /// A file's name: at least one element, none of them empty, `.` or `..`.
  ///
  /// @throws IllegalArgumentException if it is anything else
  public static String checkFile(String name) {
    for (String element : name.split("/", -1)) {
      if (element.isEmpty() || element.equals(".") || element.equals("..")) {
        throw new IllegalArgumentException("not a name within the data directory: '" + name + "'");
      }
    }
    if (name.indexOf('\\') >= 0 || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("not a portable file name: '" + name + "'");
    }
    return name;
  }

  /// A directory's name: as a file's, or empty for the root.
  public static String checkDirectory(String name) {
    return name.isEmpty() ? name : checkFile(name);
  }

  /// The directory that holds `name`; empty for the root.
  public static String directoryOf(String name) {
    int slash = name.lastIndexOf('/');
    return slash < 0 ? "" : name.substring(0, slash);
  }
}
