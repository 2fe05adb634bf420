package io.tallystick.storage.framing;

import java.nio.ByteBuffer;

/// A reusable buffer in which one commit frame is assembled: header room, info section, payload
/// section. The two sections grow apart; the writer stamps the header and writes them one after the
/// other. Not thread-safe; owned by the writer while a frame is in flight.
public final class FrameBuffer {
  private final SectionBuffer infos = new SectionBuffer(FrameHeader.BYTES);
  private final SectionBuffer payloads = new SectionBuffer(0);

  /// Empties both sections.
  public FrameBuffer reset() {
    infos.reset();
    payloads.reset();
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

  public int infoBytes() {
    return infos.length();
  }

  public int payloadBytes() {
    return payloads.length();
  }

  public int frameBytes() {
    return FrameHeader.BYTES + infos.length() + payloads.length();
  }

  /// Header room and info section, for the writer to stamp and write.
  public ByteBuffer headerAndInfos() {
    return ByteBuffer.wrap(infos.array(), 0, FrameHeader.BYTES + infos.length());
  }

  /// The payload section, for the writer to write.
  public ByteBuffer payloadSection() {
    return ByteBuffer.wrap(payloads.array(), 0, payloads.length());
  }
}
