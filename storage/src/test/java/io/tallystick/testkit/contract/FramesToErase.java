package io.tallystick.testkit.contract;

import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Frames that are written, and what is to be erased of each: of even ones a part of the payload,
/// of odd ones all of it and the end of the infos.
public final class FramesToErase {
  private static final int PAYLOAD_BYTES = 700;
  private static final int INFO_GONE_FROM = 20;

  private FramesToErase() {}

  private static String infos(int frame) {
    return String.format(Locale.ROOT, "infos of frame %02d, to be kept or to go", frame);
  }

  private static String payload(int frame) {
    return String.format(Locale.ROOT, "payload %02d;", frame).repeat(PAYLOAD_BYTES / 11);
  }

  /// Offset of a frame's payload section.
  public static int payloadOffset(int frame) {
    return FrameHeader.BYTES + infos(frame).length();
  }

  /// Offset of a frame's notes section.
  public static int notesOffset(int frame) {
    return payloadOffset(frame) + payload(frame).length();
  }

  /// Appends the frames `[0, count)`, each durable before the next.
  ///
  /// @param positions gets where they lie, each as soon as it is durable
  public static void write(StreamWriter writer, int count, List<StreamPosition> positions)
      throws IOException {
    for (int i = 0; i < count; i++) {
      positions.add(Frames.append(writer, infos(i), payload(i)).position());
    }
  }

  /// What goes of a frame.
  public static FrameEdits edits(int frame) {
    int payload = payloadOffset(frame);
    if (frame % 2 == 0) {
      return FrameEdits.zeros(
          List.of(
              new FrameEdits.Range(payload + 200, 50), new FrameEdits.Range(payload + 100, 100)));
    }
    int gone = FrameHeader.BYTES + INFO_GONE_FROM;
    int end = payload + payload(frame).length();
    return new FrameEdits(
        List.of(new FrameEdits.Range(gone, end - gone)),
        List.of(new FrameEdits.Mark(FrameHeader.BYTES, (byte) '!')));
  }

  private static Frames.Frame erased(int frame, StreamPosition position) {
    StringBuilder infos = new StringBuilder(infos(frame));
    StringBuilder payload = new StringBuilder(payload(frame));
    if (frame % 2 == 0) {
      payload.replace(100, 250, "\0".repeat(150));
    } else {
      infos.replace(INFO_GONE_FROM, infos.length(), "\0".repeat(infos.length() - INFO_GONE_FROM));
      infos.setCharAt(0, '!');
      payload.replace(0, payload.length(), "\0".repeat(payload.length()));
    }
    return new Frames.Frame(
        position, 1, infos.toString(), payload.toString(), Frames.notesOf(infos(frame)));
  }

  /// The frames at these positions, the first of them erased.
  public static List<Frames.Frame> expected(List<StreamPosition> positions, int erased) {
    List<Frames.Frame> all = new ArrayList<>();
    for (int i = 0; i < positions.size(); i++) {
      all.add(
          i < erased
              ? erased(i, positions.get(i))
              : new Frames.Frame(
                  positions.get(i), 1, infos(i), payload(i), Frames.notesOf(infos(i))));
    }
    return all;
  }
}
