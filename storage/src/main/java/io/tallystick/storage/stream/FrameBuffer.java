package io.tallystick.storage.stream;

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

  /// Header room and info section, for the writer to stamp and write.
  ByteBuffer headerAndInfos() {
    return ByteBuffer.wrap(infos.array(), 0, FrameHeader.BYTES + infos.length());
  }

  ByteBuffer payloadSection() {
    return ByteBuffer.wrap(payloads.array(), 0, payloads.length());
  }

  ByteBuffer notesSection() {
    return ByteBuffer.wrap(notes.array(), 0, notes.length());
  }
}
