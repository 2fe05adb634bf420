package io.tallystick.crypto;

import io.tallystick.model.ProofRejectedException;

/// Signing and verifying; implemented in `ledger-crypto`. Every implementation accepts exactly the
/// set of `docs/formats/key.md`. Thread-safe.
public interface Signatures {
  /// The name of the provider behind this, for diagnostics.
  String providerName();

  /// @throws ProofRejectedException with `WRONG_KEY` when the key is of small order, not canonical
  ///   or not on its curve
  void checkKey(PublicKey key) throws ProofRejectedException;

  /// @param signature 64 bytes: Ed25519's R ‖ S, or ES256's r ‖ s
  /// @throws ProofRejectedException with `BAD_SIGNATURE`
  void verify(PublicKey key, byte[] message, byte[] signature) throws ProofRejectedException;

  /// A new key pair whose private half never leaves the returned signer but through {@link
  /// ExportableSigner#exportPkcs8}.
  ExportableSigner generate(SignatureAlgorithm algorithm);

  /// @param pkcs8 an unencrypted PKCS#8 private key, as exported
  /// @throws io.tallystick.model.MalformedException if it is not one of the two algorithms
  ExportableSigner importPkcs8(byte[] pkcs8) throws io.tallystick.model.MalformedException;

  /// A private key that can sign. Thread-safe.
  interface Signer {
    PublicKey publicKey();

    /// 64 bytes; deterministic for Ed25519.
    ///
    /// @throws java.io.UncheckedIOException if the key is a {@link DelegatedSigner} whose holder
    ///   did not sign
    byte[] sign(byte[] message);
  }

  /// A private key in this process. Thread-safe.
  interface ExportableSigner extends Signer {
    /// The unencrypted PKCS#8 form, for storing; the caller wipes it.
    byte[] exportPkcs8();
  }
}
