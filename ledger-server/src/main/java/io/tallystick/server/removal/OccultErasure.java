package io.tallystick.server.removal;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Occult;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamEraser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PrimitiveIterator;
import java.util.TreeMap;

/// Plans the erasing of an occult: of each journal the payload item, whole.
final class OccultErasure {
  /// Of one plan, which a note has to hold.
  static final int JOURNALS_MAX = 4096;

  private final StreamEraser stream;
  private final LogReader log;
  private final DeadSegments segments;

  OccultErasure(StreamEraser stream, LogReader log, DeadSegments segments) {
    this.stream = stream;
    this.log = log;
    this.segments = segments;
  }

  /// The next frames that have bodies to erase, of those that a purge has not dropped.
  ///
  /// @param from the lowest jsn that is neither erased nor planned
  PendingErasureRow plan(StrandIndex strand, Occult occult, long from)
      throws IOException, CorruptStreamException, RequestRejectedException {
    NavigableMap<Long, List<FrameEdits.Range>> frames = new TreeMap<>();
    long first = strand.block(segments.firstHeight(strand)).firstJsn();
    PrimitiveIterator.OfLong jsns = occult.journals().from(Math.max(from, first));
    long next = PendingErasureRow.ALL;
    int journals = 0;
    while (jsns.hasNext()) {
      long jsn = jsns.nextLong();
      LogReader.ErasablePart part = log.erasable(strand, jsn);
      Location at = part.at();
      boolean full =
          frames.size() == PendingErasureRow.FRAMES_MAX && !frames.containsKey(at.frame());
      if (full || journals == JOURNALS_MAX) {
        next = jsn;
        break;
      }
      journals++;
      frames
          .computeIfAbsent(at.frame(), _ -> new ArrayList<>())
          .add(new FrameEdits.Range(at.offset(), part.bytes()));
    }
    List<ErasedFrame> planned = new ArrayList<>(frames.size());
    for (Map.Entry<Long, List<FrameEdits.Range>> frame : frames.entrySet()) {
      planned.add(stream.plan(frame.getKey(), FrameEdits.zeros(frame.getValue())));
    }
    return new PendingErasureRow(next, planned);
  }
}
