package io.tallystick.storage.disk;

/// Names on a {@link Disk}: relative, `/`-separated, never leaving the data directory.
public final class DiskName {
  private DiskName() {}

  /// A file's name: at least one element, none of them empty, `.` or `..`.
  ///
  /// @throws IllegalArgumentException if it is anything else
  public static String checkFile(String name) {
    int start = 0;
    while (start <= name.length()) {
      int slash = name.indexOf('/', start);
      int end = slash < 0 ? name.length() : slash;
      if (isNoElement(name, start, end - start)) {
        throw new IllegalArgumentException("not a name within the data directory: '" + name + "'");
      }
      start = end + 1;
    }
    if (name.indexOf('\\') >= 0 || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("not a portable file name: '" + name + "'");
    }
    return name;
  }

  /// Empty, `.` or `..`.
  private static boolean isNoElement(String name, int start, int length) {
    return length == 0 || (length <= 2 && name.startsWith("..".substring(0, length), start));
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
