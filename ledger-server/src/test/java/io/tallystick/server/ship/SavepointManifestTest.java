package io.tallystick.server.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.ship.SavepointManifest.Software;
import io.tallystick.server.ship.SavepointRefusedException.Reason;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/// The bytes of manifests and of what a pointer names.
class SavepointManifestTest {
  private static final Bytes PART = Bytes.fromHex("0000000000000007");
  private static final ShippedPiece PIECE =
      new ShippedPiece(Sha256.hash("hello".getBytes(StandardCharsets.UTF_8)), 5, PART, 3);
  private static final SavepointManifest SAMPLE = sample("meta/CURRENT");

  private static SavepointManifest sample(String file) {
    return new SavepointManifest(
        new StreamId(2),
        new StreamPosition(0x1_0000_1000L, 6),
        4,
        1_790_000_000_000L,
        new Software("0.1.0", 2),
        Map.of(PART, 5L),
        List.of(new ShippedFile(file, List.of(PIECE))));
  }

  @Test
  void isWhatItWas() throws Exception {
    assertThat(SavepointManifest.decode(SAMPLE.encode().toArray())).isEqualTo(SAMPLE);
    SavepointManifest empty = sample("index/a/b.arr");
    assertThat(SavepointManifest.decode(empty.encode().toArray()).bytes()).isEqualTo(5);
  }

  @Test
  void hasTheDocumentedBytes() throws Exception {
    Matcher block =
        Pattern.compile("^```hex manifest\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/formats/shipped-savepoint.md")));
    assertThat(block.find()).isTrue();
    assertThat(SAMPLE.encode().hex()).isEqualTo(block.group(1).replaceAll("\\s", ""));
  }

  @Test
  void everyChangedBitIsRefused() {
    byte[] bytes = SAMPLE.encode().toArray();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] changed = bytes.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertRefused(changed, Reason.DAMAGED);
    }
    assertRefused(new byte[3], Reason.DAMAGED);
    assertRefused(new byte[0], Reason.DAMAGED);
  }

  @Test
  void aNewerFormatIsTold() {
    byte[] bytes = SAMPLE.encode().toArray();
    bytes[1] = 2;
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) crc.getValue());
    assertRefused(bytes, Reason.NEWER_FORMAT);
  }

  @Test
  void aFileOutsideOfTheShardIsRefused() {
    for (String name : List.of("meta/../../x", "keys/note.pem", "meta", "/meta/x", "stream/0/1")) {
      assertRefused(sample(name).encode().toArray(), Reason.DAMAGED);
    }
  }

  private static void assertRefused(byte[] bytes, Reason reason) {
    Throwable refusal = catchThrowable(() -> SavepointManifest.decode(bytes));
    assertThat(refusal)
        .isInstanceOfSatisfying(
            SavepointRefusedException.class, is -> assertThat(is.reason()).isEqualTo(reason));
  }

  @Test
  void aPointersValueIsWhatItWas() throws Exception {
    PublishedSavepoint one = new PublishedSavepoint(new StreamPosition(9, 8), 7, 6, PIECE);
    List<PublishedSavepoint> two = List.of(one, one.at(99));
    Bytes encoded = PublishedSavepoint.encode(two);
    assertThat(PublishedSavepoint.decode(encoded)).isEqualTo(two);
    assertThat(PublishedSavepoint.decode(PublishedSavepoint.encode(List.of()))).isEmpty();
    assertThatThrownBy(() -> PublishedSavepoint.decode(encoded.slice(0, encoded.size() - 1)))
        .isInstanceOf(MalformedException.class);
    byte[] newer = encoded.toArray();
    newer[1] = 2;
    assertThatThrownBy(() -> PublishedSavepoint.decode(Bytes.wrap(newer)))
        .isInstanceOf(MalformedException.class);
  }
}
