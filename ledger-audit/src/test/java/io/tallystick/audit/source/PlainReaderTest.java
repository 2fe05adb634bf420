package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cbor.CborReader;
import io.tallystick.model.MalformedException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: the reader in place takes exactly the encodings the strict decoder takes. Method: both on
/// every head byte with random bytes behind it, near every width's smallest and largest number.
class PlainReaderTest {
  private static final long SEED = 11;

  @FunctionalInterface
  private interface Decode {
    long read(CborReader in) throws MalformedException;
  }

  @Test
  void agreesWithTheStrictDecoderOnEveryHead() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int head = 0; head < 256; head++) {
      for (int round = 0; round < 200; round++) {
        byte[] input = new byte[random.nextInt(1, 60)];
        random.nextBytes(input);
        input[0] = (byte) head;
        // Small numbers in wide heads are what must be refused.
        for (int i = 1; i < Math.min(input.length, 1 + random.nextInt(9)); i++) {
          input[i] = (byte) (random.nextBoolean() ? 0 : random.nextInt(40));
        }
        assertAgrees(input);
      }
    }
  }

  private static void assertAgrees(byte[] input) {
    PlainReader in = new PlainReader();
    in.set(input, 0, input.length);
    assertThat(in.uint()).isEqualTo(want(input, CborReader::uint));
    in.set(input, 0, input.length);
    assertThat((long) in.byteString(100)).isEqualTo(want(input, CborReader::skipBytes));
    in.set(input, 0, input.length);
    int digest = in.digest();
    boolean isDigest = want(input, reader -> reader.digest().firstWord() & 1) != PlainReader.BAD;
    assertThat(digest >= 0).isEqualTo(isDigest);
    in.set(input, 0, input.length);
    int text = in.asciiText(100);
    if (text != PlainReader.BAD) {
      assertThat((long) text).isEqualTo(want(input, reader -> reader.text().length()));
    }
  }

  private static long want(byte[] input, Decode decode) {
    try {
      return decode.read(new CborReader(input));
    } catch (MalformedException e) {
      return PlainReader.BAD;
    }
  }
}
