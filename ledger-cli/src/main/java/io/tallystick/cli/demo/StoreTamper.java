package io.tallystick.cli.demo;

import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.storage.framing.FrameHeader;
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

  /// The byte that was changed.
  ///
  /// @param offset of the changed byte in `file`
  record Tampering(Path file, long offset, int before, int after) {}

  /// Changes a byte in the middle of what a journal stored.
  ///
  /// @throws IOException if the journal is not in the store
  static Tampering flip(Path streamDirectory, StrandId strand, long jsn) throws IOException {
    List<Path> segments;
    try (Stream<Path> files = Files.walk(streamDirectory)) {
      segments = files.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path segment : segments) {
      Tampering done = flipIn(segment, Files.readAllBytes(segment), strand, jsn);
      if (done != null) {
        return done;
      }
    }
    throw new IOException("journal " + jsn + " is not in " + streamDirectory);
  }

  private static @Nullable Tampering flipIn(Path segment, byte[] content, StrandId strand, long jsn)
      throws IOException {
    int at = 0;
    while (at + FrameHeader.BYTES <= content.length) {
      FrameHeader header = headerAt(content, at);
      if (header == null) {
        at += FrameHeader.ALIGNMENT;
        continue;
      }
      for (BlockInfo block : new CommitFrame(content, at + FrameHeader.BYTES).blocks()) {
        if (block.strand().equals(strand) && block.firstJsn() <= jsn && jsn < block.sealJsn()) {
          return tamper(
              segment, content, at, header, block, Math.toIntExact(jsn - block.firstJsn()));
        }
      }
      at += header.alignedBytes();
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
      Path segment, byte[] content, int frame, FrameHeader header, BlockInfo block, int journal)
      throws IOException {
    int payloads = frame + FrameHeader.BYTES + header.infoBytes();
    int start = payloads + block.payloadOffset(journal);
    int end = start + block.payloadBytes(journal);
    int body = start + PayloadItem.SALT_BYTES;
    int target = body + (end - Integer.BYTES - body) / 2;
    int before = content[target] & 0xff;
    content[target] ^= 1;
    byte[] item = Arrays.copyOfRange(content, start, end);
    int checksum = PayloadItem.checksum(item, header.number(), block.payloadOffset(journal));
    ByteBuffer.wrap(content).putInt(end - Integer.BYTES, checksum);
    ByteBuffer section = ByteBuffer.wrap(content, payloads, header.payloadBytes());
    header.withPayloads(section.slice()).encode().get(0, content, frame, FrameHeader.BYTES);
    Files.write(segment, content, StandardOpenOption.WRITE);
    return new Tampering(segment, target, before, content[target] & 0xff);
  }
}
