package io.tallystick.client;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/// A member's private key. What is signed with it counts as said by its holder, so it stays on the
/// machine that made it; only {@link #publicKey} is handed out. Thread-safe.
public final class ClientKey {
  private final Signer signer;

  private ClientKey(Signer signer) {
    this.signer = signer;
  }

  /// A new Ed25519 key: the default, deterministic and the fastest to verify.
  public static ClientKey generate() {
    return generate(SignatureAlgorithm.ED25519);
  }

  public static ClientKey generate(SignatureAlgorithm algorithm) {
    return new ClientKey(signatures().generate(algorithm));
  }

  /// A key that lives elsewhere: a hardware token, another program.
  public static ClientKey of(Signer signer) {
    return new ClientKey(signer);
  }

  /// @throws IOException if `file` cannot be read, may be read by others than its owner, or holds
  ///   no unencrypted PKCS#8 key of one of the two algorithms
  public static ClientKey load(Path file) throws IOException {
    byte[] pkcs8 = KeyFile.read(file);
    try {
      return new ClientKey(signatures().importPkcs8(pkcs8));
    } catch (MalformedException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    } finally {
      Arrays.fill(pkcs8, (byte) 0);
    }
  }

  /// Writes the key as unencrypted PKCS#8 PEM that only its owner can read (0600), on the disk when
  /// this returns.
  ///
  /// @throws java.nio.file.FileAlreadyExistsException if there is a file: a key is never
  ///   overwritten
  public void save(Path file) throws IOException {
    byte[] pkcs8 = signer.exportPkcs8();
    try {
      KeyFile.write(file, pkcs8);
    } finally {
      Arrays.fill(pkcs8, (byte) 0);
    }
  }

  public PublicKey publicKey() {
    return signer.publicKey();
  }

  public Digest kid() {
    return publicKey().kid();
  }

  /// Signs in the holder's name, whatever it is given: for statements with a domain of their own.
  public Signer signer() {
    return signer;
  }

  /// The public half only.
  @Override
  public String toString() {
    return "ClientKey[" + publicKey().algorithm() + " " + kid() + "]";
  }

  private static Signatures signatures() {
    return SignatureProviders.best();
  }
}
