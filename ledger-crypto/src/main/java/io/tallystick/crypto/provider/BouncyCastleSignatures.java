package io.tallystick.crypto.provider;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import java.math.BigInteger;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/// Signatures by Bouncy Castle's low-level classes: pure Java, on every platform. ES256 is signed
/// deterministically (RFC 6979).
///
/// Bouncy Castle checks a random-looking multiple of Ed25519's equation (Pornin's halved scalars),
/// so it sometimes accepts a signature that is wrong only in a part of small order. What it accepts
/// is therefore computed once more exactly, by {@link Ed25519Equation}; both must agree.
final class BouncyCastleSignatures extends CheckedSignatures {
  static final String NAME = "BouncyCastle";

  BouncyCastleSignatures() {
    super(NAME);
  }

  @Override
  Verifier verifier(PublicKey key) {
    return switch (key.algorithm()) {
      case ED25519 -> ed25519Verifier(key.raw());
      case ES256 -> es256Verifier(key.raw());
    };
  }

  private static Verifier ed25519Verifier(byte[] raw) {
    Ed25519.PublicPoint point = Ed25519.validatePublicKeyPartialExport(raw, 0);
    if (point == null) {
      throw new AssertionError("a checked key is refused");
    }
    Ed25519Equation equation = new Ed25519Equation(raw);
    return (message, signature) -> {
      if (!Ed25519.verify(signature, 0, point, message, 0, message.length)
          || !equation.holds(message, signature)) {
        throw AcceptSet.badSignature("the signature does not fit key and message");
      }
    };
  }

  private static Verifier es256Verifier(byte[] raw) {
    ECPublicKeyParameters parameters =
        new ECPublicKeyParameters(P256.DOMAIN.getCurve().decodePoint(raw), P256.DOMAIN);
    return (message, signature) -> {
      ECDSASigner signer = new ECDSASigner();
      signer.init(false, parameters);
      BigInteger r = P256.scalar(signature, 0);
      BigInteger s = P256.scalar(signature, P256.SCALAR_BYTES);
      if (!signer.verifySignature(Sha256.hash(message).toArray(), r, s)) {
        throw AcceptSet.badSignature("the signature does not fit key and message");
      }
    };
  }

  @Override
  ExportableSigner signer(SecretKey secret) {
    return switch (secret.algorithm()) {
      case ED25519 -> new KeySigner(secret, message -> signEd25519(secret, message));
      case ES256 -> new KeySigner(secret, message -> signEs256(secret, message));
    };
  }

  private static byte[] signEd25519(SecretKey secret, byte[] message) {
    byte[] signature = new byte[Ed25519.SIGNATURE_SIZE];
    Ed25519.sign(
        secret.secret(), 0, secret.publicKey().raw(), 0, message, 0, message.length, signature, 0);
    return signature;
  }

  private static byte[] signEs256(SecretKey secret, byte[] message) {
    ECDSASigner signer = new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest()));
    signer.init(true, new ECPrivateKeyParameters(P256.scalar(secret.secret(), 0), P256.DOMAIN));
    BigInteger[] numbers = signer.generateSignature(Sha256.hash(message).toArray());
    return P256.joined(numbers[0], numbers[1]);
  }
}
