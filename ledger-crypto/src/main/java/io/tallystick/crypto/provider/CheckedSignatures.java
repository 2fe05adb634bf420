package io.tallystick.crypto.provider;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.security.SecureRandom;

/// The part all providers share: the accept set, the cache of checked keys, and key import. A
/// provider adds only the verification equation and the signing. Thread-safe.
abstract class CheckedSignatures implements Signatures {
  /// Keys kept ready for verifying; one is a few hundred bytes to a few kilobytes.
  private static final int CACHED_KEYS_MAX = 4_096;

  private final String name;
  private final KeyCache<Verifier> verifiers = new KeyCache<>(CACHED_KEYS_MAX);
  private final SecureRandom random = new SecureRandom();

  CheckedSignatures(String name) {
    this.name = name;
  }

  /// One public key, decoded and ready. Thread-safe.
  interface Verifier {
    /// @param signature has passed {@link AcceptSet#checkSignature}
    /// @throws ProofRejectedException with `BAD_SIGNATURE`
    void verify(byte[] message, byte[] signature) throws ProofRejectedException;
  }

  /// @param key has passed {@link AcceptSet#checkKey}
  abstract Verifier verifier(PublicKey key);

  abstract ExportableSigner signer(SecretKey secret);

  @Override
  public final String providerName() {
    return name;
  }

  @Override
  public final void checkKey(PublicKey key) throws ProofRejectedException {
    cached(key);
  }

  @Override
  public final void verify(PublicKey key, byte[] message, byte[] signature)
      throws ProofRejectedException {
    AcceptSet.checkSignature(key.algorithm(), signature);
    Verifier verifier;
    try {
      verifier = cached(key);
    } catch (ProofRejectedException e) {
      throw new ProofRejectedException(Reason.BAD_SIGNATURE, "by a key not allowed", e);
    }
    verifier.verify(message, signature);
  }

  @Override
  public final ExportableSigner generate(SignatureAlgorithm algorithm) {
    return signer(SecretKey.generate(algorithm, random));
  }

  @Override
  public final ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
    return signer(Pkcs8.decode(pkcs8));
  }

  private Verifier cached(PublicKey key) throws ProofRejectedException {
    Verifier known = verifiers.get(key.kid());
    if (known != null) {
      return known;
    }
    AcceptSet.checkKey(key);
    Verifier made = verifier(key);
    verifiers.put(key.kid(), made);
    return made;
  }
}
