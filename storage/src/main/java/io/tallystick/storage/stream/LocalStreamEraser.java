package io.tallystick.storage.stream;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import io.tallystick.storage.framing.FrameSections;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Erases frames of a local stream in place. Writes through descriptors of its own, so that no
/// failed force of one side is reported to the other.
final class LocalStreamEraser implements StreamEraser {
  private final StreamFiles files;
  private final StreamState state;
  private final SegmentCache cache;
  private boolean dead;

  LocalStreamEraser(StreamFiles files, StreamState state, SegmentCache cache) {
    this.files = files;
    this.state = state;
    this.cache = cache;
  }

  @Override
  public ErasedFrame plan(long frame, FrameEdits edits) throws IOException, CorruptStreamException {
    int segment = FrameLocations.segment(frame);
    long position = StreamFiles.position(frame);
    SegmentHeader owner = state.segment(segment);
    if (owner == null) {
      throw new CorruptStreamException(
          files.segment(segment), position, "there is no such segment");
    }
    try (DiskFile file = files.disk().open(files.segment(segment))) {
      FrameHeader header = new FrameScan().header(file::read, position);
      FrameScan.checkPlace(header, owner.nonce(), header.number());
      if (header.number() + 1 >= state.durable().number()) {
        throw new IllegalStateException(
            String.format(
                Locale.ROOT, "frame %d is the newest or not durable yet", header.number()));
      }
      FrameSections sections = FrameSections.read(file::read, header, position);
      sections.check();
      return sections.erase(frame, edits);
    } catch (MalformedException e) {
      throw files.corrupt(segment, position, e);
    }
  }

  @Override
  public void erase(Collection<ErasedFrame> planned) throws IOException, CorruptStreamException {
    requireAlive();
    TreeMap<Integer, List<ErasedFrame>> bySegment =
        planned.stream()
            .filter(each -> !isDropped(each.frame()))
            .collect(
                Collectors.groupingBy(
                    each -> FrameLocations.segment(each.frame()),
                    TreeMap::new,
                    Collectors.toList()));
    boolean done = false;
    try {
      for (var each : bySegment.entrySet()) {
        try (DiskFile file = files.disk().open(files.segment(each.getKey()))) {
          erase(file, each.getKey(), each.getValue());
        }
      }
      done = true;
    } catch (CorruptStreamException e) {
      done = true; // nothing is wrong with the disk
      throw e;
    } finally {
      dead = !done;
    }
  }

  private void erase(DiskFile file, int segment, List<ErasedFrame> frames)
      throws IOException, CorruptStreamException {
    for (ErasedFrame frame : frames) {
      write(file, frame);
      check(file, segment, frame);
      file.write(StreamFiles.position(frame.frame()), frame.header().encode());
    }
    file.force();
    boolean punched = false;
    for (ErasedFrame frame : frames) {
      punched |= punch(file, frame);
    }
    if (punched) {
      file.force();
    }
  }

  private static void write(DiskFile file, ErasedFrame frame) throws IOException {
    long position = StreamFiles.position(frame.frame());
    for (FrameEdits.Range zeros : frame.edits().zeros()) {
      file.write(position + zeros.offset(), ByteBuffer.allocate(zeros.bytes()));
    }
    for (FrameEdits.Mark mark : frame.edits().marks()) {
      file.write(position + mark.offset(), ByteBuffer.wrap(new byte[] {mark.value()}));
    }
  }

  /// @throws CorruptStreamException unless the sections are what was planned
  private void check(DiskFile file, int segment, ErasedFrame frame)
      throws IOException, CorruptStreamException {
    long position = StreamFiles.position(frame.frame());
    try {
      FrameSections.read(file::read, frame.header(), position).check();
    } catch (MalformedException e) {
      throw files.corrupt(segment, position, e);
    }
  }

  /// Whole pages of the ranges that are zeros now.
  private static boolean punch(DiskFile file, ErasedFrame frame) throws IOException {
    boolean punched = false;
    long position = StreamFiles.position(frame.frame());
    for (FrameEdits.Range zeros : frame.edits().zeros()) {
      long from = Math.ceilDiv(position + zeros.offset(), DiskFile.PAGE_BYTES);
      long to = (position + zeros.end()) / DiskFile.PAGE_BYTES;
      if (from < to) {
        file.punch(from * DiskFile.PAGE_BYTES, (to - from) * DiskFile.PAGE_BYTES);
        punched = true;
      }
    }
    return punched;
  }

  /// Each deletion is durable before the next, so that what a crash leaves has no gap. A segment
  /// counts until then, so that one whose deletion failed is deleted by the next eraser.
  @Override
  public void dropBefore(long frame) throws IOException {
    requireAlive();
    int segment = FrameLocations.segment(frame);
    if (segment > FrameLocations.segment(state.durable().frame())) {
      throw new IllegalArgumentException("segment " + segment + " has not been begun");
    }
    while (canDropBefore(frame)) {
      int first = state.firstSegment();
      cache.delete(files.segment(first));
      files.disk().forceDirectory(files.directory());
      state.drop(first);
    }
  }

  @Override
  public boolean canDropBefore(long frame) {
    return state.firstSegment() < FrameLocations.segment(frame);
  }

  @Override
  public boolean isDropped(long frame) {
    return FrameLocations.segment(frame) < state.firstSegment();
  }

  private void requireAlive() throws IOException {
    if (dead) {
      throw new IOException(
          String.format(Locale.ROOT, "the eraser of shard %d is dead", files.id().shard()));
    }
  }

  @Override
  public void close() {}
}
