package io.tallystick.crypto.provider.pkcs11;

import io.tallystick.crypto.DelegatedSigner;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.ProviderException;
import java.security.Signature;

/// A P-256 key in a token. Each signature is verified before it is handed out: a module that errs,
/// or a certificate of another key, shows at once and not at the first refusal.
final class Pkcs11Signer implements DelegatedSigner {
  /// ES256 with r ‖ s, 64 bytes, as COSE has it.
  private static final String ALGORITHM = "SHA256withECDSAinP1363Format";

  private final String holder;
  private final Provider provider;
  private final PrivateKey privateKey;
  private final PublicKey publicKey;

  Pkcs11Signer(String holder, Provider provider, PrivateKey privateKey, PublicKey publicKey) {
    this.holder = holder;
    this.provider = provider;
    this.privateKey = privateKey;
    this.publicKey = publicKey;
  }

  @Override
  public String holder() {
    return holder;
  }

  @Override
  public PublicKey publicKey() {
    return publicKey;
  }

  @Override
  public byte[] sign(byte[] message) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM, provider);
      signature.initSign(privateKey);
      signature.update(message);
      byte[] signed = signature.sign();
      SignatureProviders.best().verify(publicKey, message, signed);
      return signed;
    } catch (GeneralSecurityException | ProviderException | ProofRejectedException e) {
      throw new UncheckedIOException(
          new IOException(holder + " did not sign: " + e.getMessage(), e));
    }
  }

  @Override
  public String toString() {
    return holder + ", kid " + publicKey.kid();
  }
}
