package io.tallystick.storage.stream;

import java.io.IOException;

/// A frame handed over and on its way to the disk.
public interface PendingFrame {
  /// Where the frame lies once durable.
  StreamPosition position();

  boolean isDone();

  /// Waits until the frame is on the disk.
  ///
  /// @throws IOException if its write or force failed; the writer is then dead. A {@link
  ///   io.tallystick.storage.disk.DiskFullException} means that nothing of the frame was kept and
  ///   the writer is still good
  void awaitDurable() throws IOException;
}
