package io.tallystick.bench;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;

/// Signatures that cost nothing and prove nothing: what is left of a stage is what is not crypto.
final class FreeSignatures implements Signatures {
  private static final byte[] SIGNATURE = new byte[64];

  /// A key with a name, whose signatures are all zeros.
  record FreeSigner(PublicKey publicKey) implements Signer {
    @Override
    public byte[] sign(byte[] message) {
      return SIGNATURE.clone();
    }

    @Override
    public byte[] exportPkcs8() {
      throw new UnsupportedOperationException("there is no private key");
    }
  }

  @Override
  public String providerName() {
    return "none";
  }

  @Override
  public void checkKey(PublicKey key) {}

  @Override
  public void verify(PublicKey key, byte[] message, byte[] signature) {}

  @Override
  public Signer generate(SignatureAlgorithm algorithm) {
    throw new UnsupportedOperationException("keys are given");
  }

  @Override
  public Signer importPkcs8(byte[] pkcs8) {
    throw new UnsupportedOperationException("keys are given");
  }
}
