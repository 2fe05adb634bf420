package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.SeededSigner;
import org.jspecify.annotations.Nullable;

/// Makes signed messages and bytes that honest code does not make.
final class Forge {
  private Forge() {}

  /// A message correctly signed over a protected header of any bytes.
  static CoseSign1 sign(Signer signer, Bytes protectedHeader, Bytes payload) {
    CoseSign1 unsigned = new CoseSign1(protectedHeader, null, payload, Bytes.wrap(new byte[64]));
    return withSignature(unsigned, Bytes.wrap(signer.sign(unsigned.sigStructure(payload))));
  }

  static CoseSign1 withSignature(CoseSign1 message, Bytes signature) {
    return new CoseSign1(
        message.protectedHeader(), message.inclusionProof(), message.payload(), signature);
  }

  static CoseSign1 withPayload(CoseSign1 message, @Nullable Bytes payload) {
    return new CoseSign1(
        message.protectedHeader(), message.inclusionProof(), payload, message.signature());
  }

  /// An attestation of these messages in this order, right or wrong.
  static Bytes attestation(Bytes... messages) {
    CborWriter out = new CborWriter().array(messages.length);
    for (Bytes message : messages) {
      out.raw(message);
    }
    return out.toBytes();
  }

  static Bytes attestation(CoseSign1 message) {
    return attestation(message.encode());
  }

  /// The same bytes with the only place of `from` replaced by `to`, both in hex.
  static Bytes replace(Bytes bytes, String from, String to) {
    String hex = bytes.hex();
    int at = hex.indexOf(from);
    if (at < 0 || at % 2 != 0 || hex.indexOf(from, at + 1) >= 0) {
      throw new AssertionError(from + " does not stand exactly once in " + hex);
    }
    return Bytes.fromHex(hex.substring(0, at) + to + hex.substring(at + from.length()));
  }

  /// The same bytes with their first `from` replaced by `to`.
  static Bytes replaceStart(Bytes bytes, String from, String to) {
    if (!bytes.hex().startsWith(from)) {
      throw new AssertionError(bytes.hex() + " does not start with " + from);
    }
    return Bytes.fromHex(to + bytes.hex().substring(from.length()));
  }

  /// The neutral element: a signature by it can be made to fit any message.
  static PublicKey smallOrderKey() {
    byte[] neutral = new byte[32];
    neutral[0] = 1;
    try {
      return PublicKey.ofSpki(PublicKey.ed25519Spki(neutral));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// Signs so that R is the neutral element.
  static Signer withoutNonce(SeededSigner signer) {
    return new Signer() {
      @Override
      public PublicKey publicKey() {
        return signer.publicKey();
      }

      @Override
      public byte[] sign(byte[] message) {
        return signer.signWithoutNonce(message);
      }
    };
  }

  static Bytes flipBit(Bytes bytes, int index) {
    byte[] copy = bytes.toArray();
    copy[index] ^= 1;
    return Bytes.wrap(copy);
  }

  static Bytes append(Bytes bytes, String hex) {
    return Bytes.fromHex(bytes.hex() + hex);
  }
}
