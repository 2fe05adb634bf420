package io.tallystick.server.shard;

import io.tallystick.storage.framing.FrameBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/// A few frame buffers to be used again, the newest first. A buffer never shrinks, and with 256
/// frames under way there may be as many buffers: kept all, each would once carry the largest frame
/// and stay that large. Thread-safe.
final class FramePool {
  static final int IDLE_MAX = 4;

  private final Deque<FrameBuffer> idle = new ArrayDeque<>();

  synchronized FrameBuffer take() {
    FrameBuffer newest = idle.pollFirst();
    return newest == null ? new FrameBuffer() : newest;
  }

  /// Keeps the buffer, or lets it go when enough are idle.
  synchronized void recycle(FrameBuffer buffer) {
    if (idle.size() < IDLE_MAX) {
      idle.addFirst(buffer);
    }
  }
}
