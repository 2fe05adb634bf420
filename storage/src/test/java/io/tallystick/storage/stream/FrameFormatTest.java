package io.tallystick.storage.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Pins the bytes shown in docs/formats/frame.md, and refuses whatever is not one of them.
class FrameFormatTest {
  private static final Path PAGE = Path.of("../docs/formats/frame.md");
  private static final long NONCE = 0x0123456789abcdefL;

  private static final SegmentHeader SEGMENT = new SegmentHeader(3, 2, 41, 8192, NONCE);
  private static final ByteBuffer INFOS = ByteBuffer.wrap("infos".getBytes(US_ASCII));
  private static final ByteBuffer PAYLOADS = ByteBuffer.wrap("payload".getBytes(US_ASCII));
  private static final ByteBuffer NOTES = ByteBuffer.wrap("notes".getBytes(US_ASCII));

  @Test
  void matchesTheDocumentedExamples() throws IOException {
    String page = Files.readString(PAGE).replaceAll("[ \\n]", "");
    FrameHeader frame = FrameHeader.stamp(NONCE, 7, 41, INFOS, PAYLOADS, NOTES);
    assertThat(page).contains(hex(SEGMENT.encode()));
    assertThat(page).contains(hex(frame.encode()) + "696e666f73" + "7061796c6f6164" + "6e6f746573");
    assertThat(page).contains(hex(EpochFile.encode(3, 7)));
  }

  @Test
  void readsBackWhatItWrote() throws MalformedException {
    FrameHeader frame = FrameHeader.stamp(NONCE, 7, 41, INFOS, PAYLOADS, NOTES);
    assertThat(FrameHeader.decode(frame.encode())).isEqualTo(frame);
    frame.checkInfos(INFOS);
    frame.checkPayloads(PAYLOADS);
    frame.checkNotes(NOTES);
    assertThatThrownBy(() -> frame.checkNotes(INFOS)).isInstanceOf(MalformedException.class);
    assertThat(frame.frameBytes()).isEqualTo(64 + 5 + 7 + 5);
    assertThat(frame.alignedBytes()).isEqualTo(128);
    assertThat(SegmentHeader.decode(SEGMENT.encode(), 3, 2)).isEqualTo(SEGMENT);
  }

  @Test
  void refusesEveryFlippedBitOfAHeader() {
    byte[] frame = array(FrameHeader.stamp(NONCE, 7, 41, INFOS, PAYLOADS, NOTES).encode());
    byte[] segment = array(SEGMENT.encode());
    for (int bit = 0; bit < 64 * 8; bit++) {
      ByteBuffer badFrame = ByteBuffer.wrap(flipped(frame, bit));
      assertThatThrownBy(() -> FrameHeader.decode(badFrame)).isInstanceOf(MalformedException.class);
      ByteBuffer badSegment = ByteBuffer.wrap(flipped(segment, bit));
      assertThatThrownBy(() -> SegmentHeader.decode(badSegment, 3, 2))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void coversTheFrameNumberByBothSectionChecksums() {
    FrameHeader frame = FrameHeader.stamp(NONCE, 7, 41, INFOS, PAYLOADS, NOTES);
    FrameHeader next = FrameHeader.stamp(NONCE, 7, 42, INFOS, PAYLOADS, NOTES);
    assertThat(next.infoCrc()).isNotEqualTo(frame.infoCrc());
    assertThat(next.payloadCrc()).isNotEqualTo(frame.payloadCrc());
    assertThat(next.notesCrc()).isNotEqualTo(frame.notesCrc());
  }

  @Test
  void keepsTheInfoChecksumWhenThePayloadIsReplaced() throws MalformedException {
    FrameHeader frame = FrameHeader.stamp(NONCE, 7, 41, INFOS, PAYLOADS, NOTES);
    FrameHeader erased = frame.withPayloads(ByteBuffer.allocate(7));
    erased.checkInfos(INFOS);
    erased.checkPayloads(ByteBuffer.allocate(7));
    assertThatThrownBy(() -> erased.checkPayloads(PAYLOADS)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> frame.withPayloads(ByteBuffer.allocate(8)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesLengthsBeyondTheBoundEvenWithAGoodChecksum() {
    int room = FrameHeader.MAX_FRAME_BYTES - FrameHeader.BYTES;
    int max = Integer.MAX_VALUE;
    int[][] all = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {room, 1, 0}, {0, room, 1}, {max, max, 2}};
    for (int[] lengths : all) {
      ByteBuffer header =
          new FrameHeader(2, NONCE, 7, 41, lengths[0], lengths[1], lengths[2], 0, 0, 0).encode();
      assertThatThrownBy(() -> FrameHeader.decode(header))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("at most");
    }
  }

  /// Frames that an earlier version wrote, which had no notes.
  @Test
  void readsAndErasesFramesOfFormat1() throws Exception {
    String page = Files.readString(PAGE).replaceAll("[ \\n]", "");
    String hex = "545346520001";
    byte[] old = HexFormat.of().parseHex(page.substring(page.indexOf(hex)).substring(0, 128));
    FrameHeader frame = FrameHeader.decode(ByteBuffer.wrap(old));
    frame.checkInfos(INFOS);
    frame.checkPayloads(PAYLOADS);
    frame.checkNotes(ByteBuffer.allocate(0));
    assertThat(array(frame.encode())).isEqualTo(old);
    FrameHeader erased = frame.withSections(ByteBuffer.allocate(5), ByteBuffer.allocate(7));
    assertThat(erased.format()).isEqualTo(1);
    assertThat(FrameHeader.decode(erased.encode())).isEqualTo(erased);
    for (int bit = 0; bit < 64 * 8; bit++) {
      ByteBuffer bad = ByteBuffer.wrap(flipped(old, bit));
      assertThatThrownBy(() -> FrameHeader.decode(bad)).isInstanceOf(MalformedException.class);
    }
  }

  private static byte[] flipped(byte[] bytes, int bit) {
    byte[] flipped = bytes.clone();
    flipped[bit / 8] ^= (byte) (1 << bit % 8);
    return flipped;
  }

  private static String hex(ByteBuffer bytes) {
    return HexFormat.of().formatHex(array(bytes));
  }

  private static byte[] array(ByteBuffer bytes) {
    byte[] array = new byte[bytes.remaining()];
    bytes.get(array);
    return array;
  }
}
