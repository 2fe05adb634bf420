package io.tallystick.audit.chunk;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;

/// Takes every signature for good: for journals that an anchor's signer has verified. Their form
/// and their signers are still looked at.
record VouchedSignatures(Signatures real) implements Signatures {
  @Override
  public String providerName() {
    return "none: somebody vouches";
  }

  @Override
  public void checkKey(PublicKey key) throws ProofRejectedException {
    real.checkKey(key);
  }

  @Override
  public void verify(PublicKey key, byte[] message, byte[] signature) {}

  @Override
  public ExportableSigner generate(SignatureAlgorithm algorithm) {
    return real.generate(algorithm);
  }

  @Override
  public ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
    return real.importPkcs8(pkcs8);
  }
}
