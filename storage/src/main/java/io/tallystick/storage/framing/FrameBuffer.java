package io.tallystick.storage.framing;

import java.nio.ByteBuffer;

/// A reusable buffer in which one commit frame is assembled: header room, info section, payload
/// section, notes section. The sections grow apart; the writer stamps the header and writes them
/// one after the other. Not thread-safe; owned by the writer while a frame is in flight.
public final class FrameBuffer {
  private final SectionBuffer infos = new SectionBuffer(FrameHeader.BYTES);
  private final SectionBuffer payloads = new SectionBuffer(0);
  private final SectionBuffer notes = new SectionBuffer(0);

  /// Empties all sections.
  public FrameBuffer reset() {
    infos.reset();
    payloads.reset();
    notes.reset();
    return this;
  }

  /// The info section; what is hashed into the log but for bodies.
  public SectionBuffer infos() {
    return infos;
  }

  /// The payload section; offsets within it are counted from its first byte.
  public SectionBuffer payloads() {
    return payloads;
  }

  /// The notes section; in no proof.
  public SectionBuffer notes() {
    return notes;
  }

  public int infoBytes() {
    return infos.length();
  }

  public int payloadBytes() {
    return payloads.length();
  }

  public int frameBytes() {
    return FrameHeader.BYTES + infos.length() + payloads.length() + notes.length();
  }

  /// Lays the whole frame, header stamped, into `into` from its position on, which moves behind it.
  ///
  /// @param nonce of the segment
  /// @param number of the frame
  /// @return its header
  public FrameHeader layInto(ByteBuffer into, long nonce, long epoch, long number) {
    int start = into.position();
    into.put(infos.array(), 0, FrameHeader.BYTES + infos.length());
    into.put(payloads.array(), 0, payloads.length());
    into.put(notes.array(), 0, notes.length());
    int infosStart = start + FrameHeader.BYTES;
    int payloadsStart = infosStart + infos.length();
    FrameHeader header =
        FrameHeader.stamp(
            nonce,
            epoch,
            number,
            into.slice(infosStart, infos.length()),
            into.slice(payloadsStart, payloads.length()),
            into.slice(payloadsStart + payloads.length(), notes.length()));
    into.put(start, header.encode(), 0, FrameHeader.BYTES);
    return header;
  }
}
