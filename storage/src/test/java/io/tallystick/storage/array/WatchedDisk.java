package io.tallystick.storage.array;

import io.tallystick.storage.disk.DiskFile;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A disk in memory that tells how many files are open and what was done to them, and whose forces
/// fail when asked to.
final class WatchedDisk extends ForwardingDisk {
  private final AtomicInteger open = new AtomicInteger();

  /// `force NAME` and `close NAME`, in order.
  final List<String> events = new ArrayList<>();

  boolean forcesFail;

  WatchedDisk() {
    super(new InMemoryDisk());
  }

  int openCount() {
    return open.get();
  }

  @Override
  public DiskFile open(String name) throws IOException {
    open.incrementAndGet();
    return new WatchedFile(super.open(name));
  }

  private final class WatchedFile extends ForwardingFile {
    WatchedFile(DiskFile file) {
      super(file);
    }

    @Override
    public void force() throws IOException {
      if (forcesFail) {
        throw new IOException("the force fails");
      }
      events.add("force " + name());
      super.force();
    }

    @Override
    public void close() throws IOException {
      open.decrementAndGet();
      events.add("close " + name());
      super.close();
    }
  }
}
