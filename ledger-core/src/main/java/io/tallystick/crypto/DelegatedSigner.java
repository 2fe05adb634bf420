package io.tallystick.crypto;

/// A private key that something else holds and signs with, such as an agent's hardware security
/// module. The key never enters this process and cannot be exported. Whoever makes it vouches that
/// a signature it returns verifies with {@link #publicKey}. Thread-safe.
///
/// It says nothing of what the holder signs or for whom: a member whose key is meant to be an
/// agent's is granted with the delegated flag (`docs/formats/people-and-time.md`).
public interface DelegatedSigner extends Signatures.Signer {
  /// Where the key is, for messages and logs; no secret.
  String holder();
}
