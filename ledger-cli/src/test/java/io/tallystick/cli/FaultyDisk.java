package io.tallystick.cli;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// A disk on which a force fails when the controls say so, and which has no room for growth while
/// they say that.
final class FaultyDisk extends ForwardingDisk {
  private final Controls controls;

  /// @param disk the real one
  FaultyDisk(Disk disk, Controls controls) {
    super(disk);
    this.controls = controls;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    return new FaultyFile(super.open(name));
  }

  @Override
  public long freeBytes() throws IOException {
    return controls.hasSpace() ? super.freeBytes() : 0;
  }

  private final class FaultyFile extends ForwardingFile {
    FaultyFile(DiskFile file) {
      super(file);
    }

    @Override
    public void write(long position, ByteBuffer from) throws IOException {
      requireSpace(position + from.remaining());
      super.write(position, from);
    }

    @Override
    public void force() throws IOException {
      if (name().endsWith(".seg") && controls.takeForceFailure()) {
        throw new IOException("Input/output error (injected)");
      }
      super.force();
    }

    @Override
    public void allocate(long size) throws IOException {
      requireSpace(size);
      super.allocate(size);
    }

    private void requireSpace(long end) throws IOException {
      if (end > size() && !controls.hasSpace()) {
        throw new DiskFullException("no room for " + name() + " (injected)");
      }
    }
  }
}
