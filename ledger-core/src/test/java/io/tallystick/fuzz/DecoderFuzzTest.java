package io.tallystick.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cbor.CborReader;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Body;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;

/// Goal: no input makes a decoder do anything but accept the one encoding or throw {@link
/// MalformedException}. Method: Jazzer with `JAZZER_FUZZ=1`; without it the corpus in
/// `src/test/resources`, which are valid encodings to start from.
class DecoderFuzzTest {
  @FunctionalInterface
  private interface Codec {
    Bytes reencode(Bytes input) throws MalformedException;
  }

  @FuzzTest
  void header(byte[] input) {
    check(input, bytes -> RequestHeader.decode(bytes).encode());
  }

  @FuzzTest
  void body(byte[] input) {
    check(input, bytes -> Body.decode(bytes).encode());
  }

  @FuzzTest
  void operation(byte[] input) {
    check(input, bytes -> Op.decode(bytes).encode());
  }

  @FuzzTest
  void leaf(byte[] input) {
    check(input, bytes -> Leaf.decode(bytes).encode());
  }

  @FuzzTest
  void genesis(byte[] input) {
    check(input, bytes -> GenesisParams.decode(bytes).encode());
  }

  @FuzzTest
  void attestation(byte[] input) {
    check(input, bytes -> Attestation.decode(bytes).encode());
  }

  @FuzzTest
  void message(byte[] input) {
    check(input, bytes -> CoseSign1.decode(bytes).encode());
  }

  @FuzzTest
  void protectedHeader(byte[] input) {
    check(input, bytes -> ProtectedHeader.decode(bytes).encode());
  }

  @FuzzTest
  void inclusionProof(byte[] input) {
    check(input, bytes -> InclusionProofBytes.encode(InclusionProofBytes.decode(bytes)));
  }

  @FuzzTest
  void text(byte[] input) {
    check(
        input,
        bytes -> {
          CborReader in = new CborReader(bytes);
          String text = in.text();
          in.end();
          return new io.tallystick.cbor.CborWriter().text(text).toBytes();
        });
  }

  private static void check(byte[] input, Codec codec) {
    Bytes bytes = Bytes.copyOf(input);
    try {
      assertThat(codec.reencode(bytes)).isEqualTo(bytes);
    } catch (MalformedException e) {
      assertThat(e).hasMessageNotContaining("null");
    }
  }
}
