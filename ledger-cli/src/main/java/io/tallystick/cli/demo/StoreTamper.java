package io.tallystick.cli.demo;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.storage.stream.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Plays the dishonest operator: changes one byte of a stored payload and repairs every checksum,
/// so that nothing in the store looks wrong any more.
final class StoreTamper {
  private StoreTamper() {}

  /// What was changed.
  ///
  /// @param offset of the changed byte in `file`
  record Tampering(Path file, long offset, int before, int after) {}

  /// Changes a byte in the middle of the stored `payload`.
  ///
  /// @throws IOException if the payload is not in the store
  static Tampering flip(Path streamDirectory, Bytes payload) throws IOException {
    List<Path> segments;
    try (Stream<Path> files = Files.walk(streamDirectory)) {
      segments = files.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path segment : segments) {
      byte[] content = Files.readAllBytes(segment);
      Tampering done = flipIn(segment, content, payload.toArray());
      if (done != null) {
        return done;
      }
    }
    throw new IOException("the payload is not in " + streamDirectory);
  }

  private static @Nullable Tampering flipIn(Path segment, byte[] content, byte[] wanted)
      throws IOException {
    int at = 0;
    while (at + FrameHeader.BYTES <= content.length) {
      FrameHeader header = headerAt(content, at);
      if (header == null) {
        at += FrameHeader.ALIGNMENT;
        continue;
      }
      int payloads = at + FrameHeader.BYTES + header.infoBytes();
      int found = indexOf(content, payloads, payloads + header.payloadBytes(), wanted);
      if (found >= 0) {
        return tamper(segment, content, at, header, found + wanted.length / 2);
      }
      int end = payloads + header.payloadBytes();
      at = (end + FrameHeader.ALIGNMENT - 1) / FrameHeader.ALIGNMENT * FrameHeader.ALIGNMENT;
    }
    return null;
  }

  private static @Nullable FrameHeader headerAt(byte[] content, int at) {
    try {
      return FrameHeader.decode(ByteBuffer.wrap(content, at, FrameHeader.BYTES));
    } catch (MalformedException _) {
      return null;
    }
  }

  private static Tampering tamper(
      Path segment, byte[] content, int frame, FrameHeader header, int target) throws IOException {
    int before = content[target] & 0xff;
    content[target] ^= 1;
    int payloads = frame + FrameHeader.BYTES + header.infoBytes();
    repairItem(content, frame + FrameHeader.BYTES, payloads, header, target);
    ByteBuffer section = ByteBuffer.wrap(content, payloads, header.payloadBytes());
    header.withPayloads(section.slice()).encode().get(0, content, frame, FrameHeader.BYTES);
    Files.write(segment, content, StandardOpenOption.WRITE);
    return new Tampering(segment, target, before, content[target] & 0xff);
  }

  private static void repairItem(
      byte[] content, int infos, int payloads, FrameHeader header, int target) {
    for (BlockInfo block : new CommitFrame(content, infos).blocks()) {
      for (int journal = 0; journal < block.journals(); journal++) {
        int start = payloads + block.payloadOffset(journal);
        int end = start + block.payloadBytes(journal);
        if (start <= target && target < end) {
          byte[] item = Arrays.copyOfRange(content, start, end);
          int checksum = PayloadItem.checksum(item, header.number(), block.payloadOffset(journal));
          ByteBuffer.wrap(content).putInt(end - Integer.BYTES, checksum);
        }
      }
    }
  }

  private static int indexOf(byte[] content, int from, int to, byte[] wanted) {
    for (int i = from; i <= to - wanted.length; i++) {
      if (Arrays.equals(content, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    return -1;
  }
}
