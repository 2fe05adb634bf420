package io.tallystick.storage.framing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a frame is written, read, checked and erased alike, whatever stores it. Method: frames
/// laid into memory and cut into pieces, which a source puts together again as it is read.
class FramingTest {
  private static final long NONCE = 0x0123456789abcdefL;
  private static final long EPOCH = 7;
  private static final long NUMBER = 41;
  private static final int BEFORE = 128;
  private static final byte[] INFOS = "what is hashed, but for bodies".repeat(4).getBytes(US_ASCII);
  private static final byte[] PAYLOADS = "a body".repeat(50).getBytes(US_ASCII);
  private static final byte[] NOTES = "a note".repeat(9).getBytes(US_ASCII);
  private static final int PAYLOADS_FROM = FrameHeader.BYTES + INFOS.length;

  /// A segment of one frame, which begins at {@link #BEFORE}.
  private static byte[] segment() {
    FrameBuffer frame = new FrameBuffer();
    frame.infos().put(INFOS);
    frame.payloads().put(PAYLOADS);
    frame.notes().put(NOTES);
    ByteBuffer into = ByteBuffer.allocate(BEFORE + frame.frameBytes()).position(BEFORE);
    FrameHeader header = frame.layInto(into, NONCE, EPOCH, NUMBER);
    assertThat(into.hasRemaining()).isFalse();
    assertThat(header)
        .isEqualTo(
            FrameHeader.stamp(
                NONCE,
                EPOCH,
                NUMBER,
                ByteBuffer.wrap(INFOS),
                ByteBuffer.wrap(PAYLOADS),
                ByteBuffer.wrap(NOTES)));
    return into.array();
  }

  /// Reads up to the end of a piece, again and again.
  private static FrameScan.Source pieces(byte[] segment, int pieceBytes) {
    return (position, into) -> {
      int at = (int) position;
      while (at < segment.length && into.hasRemaining()) {
        int inPiece = Math.min(pieceBytes - at % pieceBytes, segment.length - at);
        int count = Math.min(inPiece, into.remaining());
        into.put(segment, at, count);
        at += count;
      }
      return at - (int) position;
    };
  }

  private static FrameHeader readWhole(FrameScan.Source source)
      throws IOException, MalformedException {
    FrameScan scan = new FrameScan();
    FrameHeader header = scan.header(source, BEFORE);
    FrameScan.checkFollows(header, NONCE, NUMBER, EPOCH);
    assertThat(scan.infos(source, header, BEFORE)).isEqualTo(ByteBuffer.wrap(INFOS));
    FrameScan.checkPayloads(source, header, BEFORE);
    assertThat(scan.notes(source, header, BEFORE)).isEqualTo(ByteBuffer.wrap(NOTES));
    return header;
  }

  @Test
  void readsAFrameOfPiecesOfAnySize() throws Exception {
    byte[] segment = segment();
    for (int pieceBytes : new int[] {1, 64, 100, segment.length}) {
      FrameSections sections =
          FrameSections.read(
              pieces(segment, pieceBytes), readWhole(pieces(segment, pieceBytes)), BEFORE);
      sections.check();
    }
  }

  @Test
  void refusesEveryChangedOrMissingByte() throws Exception {
    byte[] good = segment();
    readWhole(pieces(good, 100));
    for (int at = BEFORE; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 1;
      assertThatThrownBy(() -> readWhole(pieces(bad, 100)))
          .as("byte %d changed", at)
          .isInstanceOf(MalformedException.class);
      byte[] cut = Arrays.copyOf(good, at);
      assertThatThrownBy(() -> readWhole(pieces(cut, 100)))
          .as("cut at byte %d", at)
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void refusesAGoodFrameThatStandsElsewhere() throws Exception {
    FrameHeader frame = readWhole(pieces(segment(), 100));
    FrameScan.checkFollows(frame, NONCE, NUMBER, -1);
    assertThatThrownBy(() -> FrameScan.checkFollows(frame, NONCE + 1, NUMBER, EPOCH))
        .isInstanceOf(MalformedException.class)
        .hasMessage("holds a frame of another segment, want frame 41");
    assertThatThrownBy(() -> FrameScan.checkFollows(frame, NONCE, NUMBER + 1, EPOCH))
        .hasMessage("holds frame 41, want 42");
    assertThatThrownBy(() -> FrameScan.checkFollows(frame, NONCE, NUMBER, EPOCH + 1))
        .isInstanceOf(MalformedException.class)
        .hasMessage("epoch 7 after epoch 8");
  }

  @Test
  void erasesUnderAHeaderThatFits() throws Exception {
    byte[] segment = segment();
    FrameScan.Source source = pieces(segment, 100);
    FrameHeader header = readWhole(source);
    FrameSections sections = FrameSections.read(source, header, BEFORE);
    FrameEdits beyond =
        FrameEdits.zeros(List.of(new FrameEdits.Range(PAYLOADS_FROM, PAYLOADS.length + 1)));
    assertThatThrownBy(() -> sections.erase(5, beyond))
        .isInstanceOf(IllegalArgumentException.class);
    sections.check();
    FrameEdits edits =
        FrameEdits.zeros(List.of(new FrameEdits.Range(PAYLOADS_FROM + 10, 20)))
            .marked(List.of(new FrameEdits.Mark(FrameHeader.BYTES, (byte) '!')));
    ErasedFrame erased = sections.erase(5, edits);
    assertThatThrownBy(sections::check).isInstanceOf(MalformedException.class);

    int payloads = BEFORE + PAYLOADS_FROM;
    Arrays.fill(segment, payloads + 10, payloads + 30, (byte) 0);
    segment[BEFORE + FrameHeader.BYTES] = '!';
    FrameSections.read(source, erased.header(), BEFORE).check();
    assertThat(erased)
        .isEqualTo(
            new ErasedFrame(
                5,
                FrameHeader.stamp(
                    NONCE,
                    EPOCH,
                    NUMBER,
                    ByteBuffer.wrap(segment, BEFORE + FrameHeader.BYTES, INFOS.length),
                    ByteBuffer.wrap(segment, payloads, PAYLOADS.length),
                    ByteBuffer.wrap(NOTES)),
                edits));
  }

  @Test
  void locationsGrowWithSegmentAndPlace() {
    long before = 0;
    for (int segment : new int[] {0, 1, Integer.MAX_VALUE}) {
      for (long place : new long[] {1, 64, 1L << 31, (1L << 32) - 64}) {
        long frame = FrameLocations.of(segment, place);
        assertThat(FrameLocations.segment(frame)).isEqualTo(segment);
        assertThat(FrameLocations.place(frame)).isEqualTo(place);
        assertThat(Long.compareUnsigned(frame, before)).isPositive();
        before = frame;
      }
    }
  }
}
