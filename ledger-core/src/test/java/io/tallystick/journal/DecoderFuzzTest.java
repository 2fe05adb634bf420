package io.tallystick.journal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.nio.charset.StandardCharsets;

/// Goal: no input makes a decoder of what is hashed or signed do anything but accept the one
/// encoding or throw {@link MalformedException}. Method: Jazzer; `docs/testing.md`.
class DecoderFuzzTest extends FuzzContract {
  @FuzzTest
  void header(byte[] input) {
    decoder(input, bytes -> RequestHeader.decode(bytes).encode());
  }

  @FuzzTest
  void body(byte[] input) {
    decoder(input, bytes -> Body.decode(bytes).encode());
  }

  @FuzzTest
  void operation(byte[] input) {
    decoder(input, bytes -> Op.decode(bytes).encode());
  }

  @FuzzTest
  void leaf(byte[] input) {
    decoder(input, bytes -> Leaf.decode(bytes).encode());
  }

  @FuzzTest
  void genesis(byte[] input) {
    decoder(input, bytes -> GenesisParams.decode(bytes).encode());
  }

  @FuzzTest
  void attestation(byte[] input) {
    decoder(input, bytes -> Attestation.decode(bytes).encode());
  }

  @FuzzTest
  void message(byte[] input) {
    decoder(input, bytes -> CoseSign1.decode(bytes).encode());
  }

  @FuzzTest
  void protectedHeader(byte[] input) {
    decoder(input, bytes -> ProtectedHeader.decode(bytes).encode());
  }

  @FuzzTest
  void inclusionProof(byte[] input) {
    decoder(input, bytes -> InclusionProofBytes.encode(InclusionProofBytes.decode(bytes)));
  }

  @FuzzTest
  void publicKey(byte[] input) {
    decoder(input, bytes -> PublicKey.ofSpki(bytes).spki());
  }

  @FuzzTest
  void authority(byte[] input) {
    // One byte is one character, so that no two inputs are the same text.
    String text = new String(input, StandardCharsets.ISO_8859_1);
    decoder(
        input,
        unused ->
            Bytes.wrap(Authority.parse(text).toString().getBytes(StandardCharsets.ISO_8859_1)));
  }

  @FuzzTest
  void text(byte[] input) {
    decoder(
        input,
        bytes -> {
          CborReader in = new CborReader(bytes);
          String text = in.text();
          in.end();
          return new CborWriter().text(text).toBytes();
        });
  }

  /// Any deterministic CBOR of at most eight levels.
  @FuzzTest
  void cbor(byte[] input) {
    decoder(
        input,
        bytes -> {
          CborReader in = new CborReader(bytes);
          CborWriter out = new CborWriter();
          copyItem(in, out, 8);
          in.end();
          return out.toBytes();
        });
  }

  private static void copyItem(CborReader in, CborWriter out, int depth) throws MalformedException {
    if (depth == 0) {
      throw new MalformedException("nested too deeply");
    }
    switch (in.major()) {
      case 0, 1 -> out.integer(in.integer());
      case 2 -> out.bytes(in.bytes());
      case 3 -> out.text(in.text());
      case 4 -> {
        int count = in.array();
        out.array(count);
        copyItems(in, out, count, depth - 1);
      }
      case 5 -> {
        int pairs = in.map();
        out.map(pairs);
        copyItems(in, out, 2 * pairs, depth - 1);
      }
      case 6 -> {
        in.tag(18);
        out.tag(18);
        copyItem(in, out, depth - 1);
      }
      default -> {
        if (in.nil()) {
          out.nil();
        } else {
          out.bool(in.bool());
        }
      }
    }
  }

  private static void copyItems(CborReader in, CborWriter out, int count, int depth)
      throws MalformedException {
    for (int i = 0; i < count; i++) {
      copyItem(in, out, depth);
    }
  }
}
