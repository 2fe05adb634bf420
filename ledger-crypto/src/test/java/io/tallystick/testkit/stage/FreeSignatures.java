package io.tallystick.testkit.stage;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.model.MalformedException;

/// Signatures that cost nothing and prove nothing, by real keys: what is left of a stage is what is
/// not crypto.
record FreeSignatures(Signatures keys) implements Signatures {
  private static final byte[] SIGNATURE = new byte[64];

  /// A key whose signatures are all zeros.
  private record FreeSigner(ExportableSigner key) implements ExportableSigner {
    @Override
    public PublicKey publicKey() {
      return key.publicKey();
    }

    @Override
    public byte[] sign(byte[] message) {
      return SIGNATURE.clone();
    }

    @Override
    public byte[] exportPkcs8() {
      return key.exportPkcs8();
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
  public ExportableSigner generate(SignatureAlgorithm algorithm) {
    return new FreeSigner(keys.generate(algorithm));
  }

  @Override
  public ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
    return new FreeSigner(keys.importPkcs8(pkcs8));
  }
}
