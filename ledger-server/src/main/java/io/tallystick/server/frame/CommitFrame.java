package io.tallystick.server.frame;

import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// A view of a frame's info section, whose checksum the stream has verified. What the sequencer
/// writes and recovery reads is seen through this one class, so that both index the same.
public final class CommitFrame {
  private final long timeMs;
  private final List<Guard> guards;
  private final List<BlockInfo> blocks;

  /// @param base position of the info section's first byte in `array`
  public CommitFrame(byte[] array, int base) {
    FrameInfos infos = new FrameInfos(array, base);
    this.timeMs = infos.u64(FrameLayout.TIME);
    int position = FrameLayout.PREAMBLE_BYTES;
    List<Guard> guardList = new ArrayList<>();
    for (int i = infos.u32(FrameLayout.GUARD_COUNT); i > 0; i--) {
      guardList.add(
          new Guard(
              infos.strand(position),
              infos.u64(position + FrameLayout.GUARD_HEIGHT),
              infos.digest(position + 44)));
      position += FrameLayout.GUARD_BYTES;
    }
    List<BlockInfo> blockList = new ArrayList<>();
    for (int i = infos.u32(FrameLayout.BLOCK_COUNT); i > 0; i--) {
      BlockInfo block = new BlockInfo(infos, timeMs, position);
      blockList.add(block);
      position += block.lengthBytes();
    }
    this.guards = List.copyOf(guardList);
    this.blocks = List.copyOf(blockList);
  }

  /// A stored info section, of which nothing is believed.
  ///
  /// @throws MalformedException if a count or offset leads out of it
  public static CommitFrame checked(byte[] infos) throws MalformedException {
    new FrameBounds(new FrameInfos(infos, 0), infos.length).checkFrame();
    return new CommitFrame(infos, 0);
  }

  public long timeMs() {
    return timeMs;
  }

  public List<Guard> guards() {
    return guards;
  }

  public List<BlockInfo> blocks() {
    return blocks;
  }
}
