package io.tallystick.proxy.rest;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/// A disk whose writes stand still, or are refused, while a test says so: an ext4 file system of
/// its own where one may be mounted, and else a twin that says it itself.
abstract class TroubledDisk implements AutoCloseable {
  final Path root;

  private TroubledDisk(Path root) {
    this.root = root;
  }

  abstract void freeze() throws IOException;

  abstract void thaw() throws IOException;

  abstract void turnReadOnly() throws IOException;

  @Override
  public abstract void close() throws IOException;

  /// Stands around the disk of the data directory.
  abstract Disk around(Disk disk);

  /// @param real an ext4 file system, if one may be mounted here
  static TroubledDisk create(Path home, boolean real) throws IOException {
    if (!real) {
      return new Twin(home.resolve("data"));
    }
    Path image = home.resolve("image");
    Path root = home.resolve("mounted");
    boolean mounted =
        run("truncate", "-s", "1G", image.toString())
            && run("mkfs.ext4", "-q", image.toString())
            && run("mkdir", root.toString())
            && run("mount", "-o", "loop,errors=remount-ro", image.toString(), root.toString());
    if (!mounted) {
      System.err.println("no ext4 file system may be mounted here; simulated");
      return new Twin(home.resolve("data"));
    }
    return new Mounted(root);
  }

  private static boolean run(String... command) throws IOException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false; // no such command
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void must(String... command) throws IOException {
    if (!run(command)) {
      throw new IOException(String.join(" ", command) + " failed");
    }
  }

  private static final class Mounted extends TroubledDisk {
    private boolean frozen;

    Mounted(Path root) {
      super(root);
    }

    @Override
    void freeze() throws IOException {
      frozen = true;
      must("fsfreeze", "-f", root.toString());
    }

    @Override
    void thaw() throws IOException {
      must("fsfreeze", "-u", root.toString());
      frozen = false;
    }

    /// As the kernel does when it meets an error in the file system.
    @Override
    void turnReadOnly() throws IOException {
      must(
          "sh",
          "-c",
          "echo 1 > /sys/fs/ext4/$(basename $(findmnt -no SOURCE " + root + "))/trigger_fs_error");
    }

    @Override
    Disk around(Disk disk) {
      return disk;
    }

    @Override
    public void close() throws IOException {
      if (frozen) {
        thaw();
      }
      must("umount", root.toString());
    }
  }

  private static final class Twin extends TroubledDisk {
    private boolean frozen;
    private boolean readOnly;

    Twin(Path root) {
      super(root);
    }

    @Override
    synchronized void freeze() {
      frozen = true;
    }

    @Override
    synchronized void thaw() {
      frozen = false;
      notifyAll();
    }

    @Override
    synchronized void turnReadOnly() {
      readOnly = true;
    }

    private synchronized void change() throws IOException {
      try {
        while (frozen) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      if (readOnly) {
        throw new IOException("Read-only file system (injected)");
      }
    }

    @Override
    Disk around(Disk disk) {
      return new TwinDisk(disk);
    }

    @Override
    public void close() {
      thaw();
    }

    private final class TwinDisk extends ForwardingDisk {
      TwinDisk(Disk disk) {
        super(disk);
      }

      @Override
      public DiskFile open(String name) throws IOException {
        return new TwinFile(super.open(name));
      }

      @Override
      public void rename(String from, String to) throws IOException {
        change();
        super.rename(from, to);
      }

      @Override
      public void delete(String name) throws IOException {
        change();
        super.delete(name);
      }

      @Override
      public void probe() throws IOException {
        change();
      }
    }

    private final class TwinFile extends ForwardingFile {
      TwinFile(DiskFile file) {
        super(file);
      }

      @Override
      public void write(long position, ByteBuffer from) throws IOException {
        change();
        super.write(position, from);
      }

      @Override
      public void force() throws IOException {
        change();
        super.force();
      }

      @Override
      public void allocate(long size) throws IOException {
        change();
        super.allocate(size);
      }
    }
  }
}
