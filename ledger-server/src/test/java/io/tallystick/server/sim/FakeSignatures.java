package io.tallystick.server.sim;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.Arrays;
import java.util.SplittableRandom;

/// Signatures that anyone can make who knows the public key: a hash of key and message, twice. As
/// deterministic as Ed25519 and some hundred times as fast; a changed key, message or signature is
/// noticed.
public final class FakeSignatures implements Signatures {
  private static final int SIGNATURE_BYTES = 64;

  @Override
  public String providerName() {
    return "fake";
  }

  @Override
  public void checkKey(PublicKey key) {}

  @Override
  public void verify(PublicKey key, byte[] message, byte[] signature)
      throws ProofRejectedException {
    if (!Arrays.equals(signature, sign(key.raw(), message))) {
      throw new ProofRejectedException(Reason.BAD_SIGNATURE, "not by " + key.kid());
    }
  }

  private static byte[] sign(byte[] key, byte[] message) {
    byte[] signature = new byte[SIGNATURE_BYTES];
    Digest digest = Sha256.hash(key, message);
    digest.copyInto(signature, 0);
    digest.copyInto(signature, Digest.BYTES);
    return signature;
  }

  @Override
  public ExportableSigner generate(SignatureAlgorithm algorithm) {
    throw new UnsupportedOperationException("keys come from the seed");
  }

  @Override
  public ExportableSigner importPkcs8(byte[] pkcs8) {
    throw new UnsupportedOperationException("keys come from the seed");
  }

  /// Is told what is signed, before it is.
  @FunctionalInterface
  public interface Witness {
    void signing(byte[] message);
  }

  public static Key key(SplittableRandom random) {
    return key(random, _ -> {});
  }

  public static Key key(SplittableRandom random, Witness witness) {
    byte[] raw = new byte[Digest.BYTES];
    random.nextBytes(raw);
    try {
      return new Key(PublicKey.ofSpki(PublicKey.ed25519Spki(raw)), Bytes.wrap(raw), witness);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// A key pair.
  public record Key(PublicKey publicKey, Bytes raw, Witness witness) implements ExportableSigner {
    public Digest kid() {
      return publicKey.kid();
    }

    @Override
    public byte[] sign(byte[] message) {
      witness.signing(message);
      return FakeSignatures.sign(raw.unsafeArray(), message);
    }

    @Override
    public byte[] exportPkcs8() {
      throw new UnsupportedOperationException("nothing is stored");
    }
  }
}
