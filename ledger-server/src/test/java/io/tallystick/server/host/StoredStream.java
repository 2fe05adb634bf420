package io.tallystick.server.host;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The frames of a shard's stored stream, for tests that damage one.
final class StoredStream {
  /// A frame and where it lies.
  record Frame(String segment, int position, FrameHeader header) {
    int infos() {
      return position + FrameHeader.BYTES;
    }

    int payloads() {
      return infos() + header.infoBytes();
    }
  }

  private final InMemoryDisk disk;

  StoredStream(InMemoryDisk disk) {
    this.disk = disk;
  }

  List<Frame> frames() throws IOException {
    List<Frame> frames = new ArrayList<>();
    for (String segment : disk.names().stream().filter(name -> name.endsWith(".seg")).toList()) {
      byte[] content = disk.content(segment);
      for (int at = FrameHeader.BYTES;
          at + FrameHeader.BYTES <= content.length;
          at += FrameHeader.ALIGNMENT) {
        try {
          frames.add(new Frame(segment, at, FrameHeader.decode(slice(content, at, 64))));
        } catch (MalformedException _) {
          // Not the beginning of a frame.
        }
      }
    }
    return frames;
  }

  byte[] infos(Frame frame) throws IOException {
    return Arrays.copyOfRange(disk.content(frame.segment), frame.infos(), frame.payloads());
  }

  /// Writes another info section of the same length and repairs all checksums.
  void replaceInfos(Frame frame, byte[] infos) throws IOException {
    byte[] content = disk.content(frame.segment);
    FrameHeader header = frame.header;
    ByteBuffer payloads = slice(content, frame.payloads(), header.payloadBytes());
    int notesAt = frame.payloads() + header.payloadBytes();
    FrameHeader stamped =
        FrameHeader.stamp(
            header.nonce(),
            header.epoch(),
            header.number(),
            ByteBuffer.wrap(infos),
            payloads,
            slice(content, notesAt, header.notesBytes()));
    byte[] bytes = new byte[FrameHeader.BYTES];
    stamped.encode().get(0, bytes);
    disk.overwrite(frame.segment, frame.position, bytes);
    disk.overwrite(frame.segment, frame.infos(), infos);
  }

  private static ByteBuffer slice(byte[] content, int at, int count) {
    return ByteBuffer.wrap(content).slice(at, count);
  }
}
