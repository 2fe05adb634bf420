package io.tallystick.storage.framing;

import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Infos and payloads of one frame in memory, for an eraser; notes are not erased. Not thread-safe.
public final class FrameSections {
  private final FrameHeader header;

  /// Index 0 is offset {@link FrameHeader#BYTES} in the frame.
  private final ByteBuffer bytes;

  private FrameSections(FrameHeader header, ByteBuffer bytes) {
    this.header = header;
    this.bytes = bytes;
  }

  /// Reads those of the frame at `position`; zeros stand for what is cut off.
  public static FrameSections read(FrameScan.Source source, FrameHeader header, long position)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(header.infoBytes() + header.payloadBytes());
    source.read(position + FrameHeader.BYTES, bytes);
    return new FrameSections(header, bytes.clear());
  }

  /// @throws MalformedException unless they are what the header says
  public void check() throws MalformedException {
    header.checkInfos(infos());
    header.checkPayloads(payloads());
  }

  /// Erases here what is to be erased in the stream.
  ///
  /// @param frame its location
  /// @return the frame as it will be
  /// @throws IllegalArgumentException if the edits reach beyond them; nothing is changed then
  public ErasedFrame erase(long frame, FrameEdits edits) {
    edits.checkWithin(header);
    for (FrameEdits.Range zeros : edits.zeros()) {
      bytes.put(zeros.offset() - FrameHeader.BYTES, new byte[zeros.bytes()]);
    }
    for (FrameEdits.Mark mark : edits.marks()) {
      bytes.put(mark.offset() - FrameHeader.BYTES, mark.value());
    }
    return new ErasedFrame(frame, header.withSections(infos(), payloads()), edits);
  }

  private ByteBuffer infos() {
    return bytes.slice(0, header.infoBytes());
  }

  private ByteBuffer payloads() {
    return bytes.slice(header.infoBytes(), header.payloadBytes());
  }
}
