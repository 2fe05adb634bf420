package io.tallystick.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.driver.JCudaDriver;

/// JCuda's native library. JCuda takes a file of a known name in the temporary folder for it, and
/// loads it unseen. So the library of this jar is put into a folder that only this user can write,
/// which JCuda is told is the temporary folder until it has loaded it.
final class JCudaLibrary {
  private static final String TEMPORARY = "java.io.tmpdir";
  private static final String UID = "unix:uid";

  private static boolean isLoaded;

  private JCudaLibrary() {}

  /// Loads it, unless this process did before. There must be a driver.
  ///
  /// @param folder made with mode 0700 if it is not there; nothing of this is left in it
  /// @throws LinkageError if it cannot be loaded; then it never can be in this process
  static synchronized void load(Path folder) throws DeviceUnavailableException {
    if (isLoaded) {
      return;
    }
    String name =
        LibUtils.createLibraryFileName(
            LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
    try (InputStream library = JCudaLibrary.class.getResourceAsStream("native/" + name)) {
      if (library == null) {
        throw new DeviceUnavailableException("JCuda has no library for this system: " + name);
      }
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      // Another process may do the same in the folder at the same time.
      Path own = Files.createTempDirectory(folder, "jcuda-");
      Path file = own.resolve(name);
      try {
        checkPrivate(folder, own);
        Files.copy(library, file);
        initialise(own);
        isLoaded = true;
      } finally {
        Files.deleteIfExists(file);
        Files.deleteIfExists(own);
      }
    } catch (IOException | UnsupportedOperationException e) {
      throw new DeviceUnavailableException(
          "JCuda's library could not be unpacked: " + reason(e), e);
    }
  }

  /// Without a path: it is shown to whoever may see the service's health.
  private static String reason(Exception e) {
    String reason = e instanceof FileSystemException file ? file.getReason() : null;
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

  /// @param own a folder in it that this process made
  private static void checkPrivate(Path folder, Path own)
      throws IOException, DeviceUnavailableException {
    if (Files.isSymbolicLink(folder)) {
      throw new DeviceUnavailableException("the folder for native libraries is a link");
    }
    Set<PosixFilePermission> permissions =
        Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
    boolean isOpen =
        permissions.contains(PosixFilePermission.GROUP_WRITE)
            || permissions.contains(PosixFilePermission.OTHERS_WRITE);
    boolean isOwn =
        Objects.equals(
            Files.getAttribute(folder, UID, LinkOption.NOFOLLOW_LINKS),
            Files.getAttribute(own, UID, LinkOption.NOFOLLOW_LINKS));
    if (isOpen || !isOwn) {
      throw new DeviceUnavailableException(
          "others may write the folder for native libraries ("
              + PosixFilePermissions.toString(permissions)
              + ")");
    }
  }

  private static void initialise(Path folder) {
    String before = System.getProperty(TEMPORARY);
    System.setProperty(TEMPORARY, folder.toAbsolutePath().toString());
    try {
      JCudaDriver.setExceptionsEnabled(false);
    } finally {
      System.setProperty(TEMPORARY, before);
    }
  }
}
