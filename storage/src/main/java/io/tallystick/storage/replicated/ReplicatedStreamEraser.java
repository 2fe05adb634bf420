package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.framing.FrameScan;
import io.tallystick.storage.framing.FrameSections;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Erases frames of a replicated stream by replacing the logs of the segments that they lie in. A
/// failure whose outcome is not known ends the writer too: what the list holds then, and which logs
/// are left over, is found out by the next takeover.
final class ReplicatedStreamEraser implements StreamEraser {
  /// Segments dropped in one change.
  private static final int DROPS = 64;

  private final ReplicatedStreamWriter writer;
  private final SegmentLogs logs;
  private final SegmentUpkeep upkeep;
  private boolean dead;

  ReplicatedStreamEraser(ReplicatedStreamWriter writer, SegmentLogs logs, SegmentUpkeep upkeep) {
    this.writer = writer;
    this.logs = logs;
    this.upkeep = upkeep;
  }

  @Override
  public ErasedFrame plan(long frame, FrameEdits edits) throws IOException, CorruptStreamException {
    int number = FrameLocations.segment(frame);
    long entry = FrameLocations.place(frame);
    try {
      ListedSegment segment = logs.segment(number);
      PieceSource source = logs.source(segment).at(entry, logs.limit(number));
      FrameHeader header = new FrameScan().header(source, 0);
      FrameScan.checkPlace(header, segment.record().frames(), header.number());
      if (header.number() + 1 >= logs.list().durable().number()) {
        throw new IllegalStateException(
            String.format(
                Locale.ROOT, "frame %d is the newest or not durable yet", header.number()));
      }
      FrameSections sections = FrameSections.read(source, header, 0);
      sections.check();
      return sections.erase(frame, edits);
    } catch (SegmentGoneException | MalformedException e) {
      throw logs.table().corrupt(number, entry, e);
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
    dead = true;
    try {
      for (var each : bySegment.entrySet()) {
        writer.rollPast(each.getKey());
        upkeep.erase(each.getKey(), each.getValue());
      }
      dead = false;
    } catch (CorruptStreamException e) {
      dead = false; // nothing is wrong with the machines
      throw e;
    }
  }

  /// Segments are taken off the list first, the newest last, then their logs are deleted.
  @Override
  public void dropBefore(long frame) throws IOException {
    requireAlive();
    int segment = FrameLocations.segment(frame);
    if (segment > FrameLocations.segment(logs.list().durable().frame())) {
      throw new IllegalArgumentException("segment " + segment + " has not been begun");
    }
    dead = true;
    while (canDropBefore(frame)) {
      upkeep.drop(
          logs.list().listed().stream()
              .filter(each -> each.number() < segment)
              .limit(DROPS)
              .toList());
    }
    dead = false;
  }

  @Override
  public boolean canDropBefore(long frame) {
    return logs.list().first() < FrameLocations.segment(frame);
  }

  @Override
  public boolean isDropped(long frame) {
    return FrameLocations.segment(frame) < logs.list().first();
  }

  private void requireAlive() throws IOException {
    if (dead) {
      throw new StreamUnavailableException(
          String.format(
              Locale.ROOT, "the eraser of shard %d is dead", writer.stream().id().shard()));
    }
  }

  @Override
  public void close() {}
}
