package io.tallystick.storage.stream;

/// The fixed first bytes of every frame; all numbers big-endian. Source: ENGINE, "Commit frame";
/// docs/formats/frame.md.
///
/// ```
///  0       4        6       8        16       24          28           32       36         40         44
///  +-------+--------+-------+--------+--------+-----------+------------+--------+----------+----------+
///  | magic | format | flags | epoch  | number | infoBytes | payloadBy. | infoCrc| payloadC.| headerCrc| zeros to 64
///  +-------+--------+-------+--------+--------+-----------+------------+--------+----------+----------+
/// ```
public final class FrameHeader {
  /// Bytes of the header.
  public static final int BYTES = 64;

  private FrameHeader() {}
}
