package io.tallystick.client;

import io.tallystick.client.internal.key.DelegatedKeys;
import io.tallystick.client.internal.key.KeyFile;
import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

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

  /// A key whose holder is asked for each signature, as a hardware security module is.
  ///
  /// @param uri of a scheme for which there is a {@link io.tallystick.crypto.DelegatedSigners};
  ///   `pkcs11` (RFC 7512) is built in
  /// @throws IOException if no such scheme is known, or its holder cannot be reached, refuses the
  ///   login or has no such key
  public static ClientKey delegated(String uri) throws IOException {
    return new ClientKey(DelegatedKeys.open(uri));
  }

  /// Reads a key file: a key, or the URI of a {@link #delegated} one.
  ///
  /// @throws IOException if `file` cannot be read, may be read by others than its owner, or holds
  ///   no unencrypted PKCS#8 key of one of the two algorithms; as {@link #delegated}
  public static ClientKey load(Path file) throws IOException {
    byte[] content = KeyFile.read(file);
    try {
      return parse(content, file.toString());
    } finally {
      Arrays.fill(content, (byte) 0);
    }
  }

  /// The same of a key file's content, from a place that has no permissions of its own, such as a
  /// class path.
  ///
  /// @param content the caller's to wipe
  /// @param source for messages
  public static ClientKey parse(byte[] content, String source) throws IOException {
    try {
      Optional<String> uri = DelegatedKeys.uriIn(content);
      return uri.isPresent() ? delegated(uri.get()) : new ClientKey(stored(content));
    } catch (MalformedException e) {
      throw new IOException(source + ": " + e.getMessage(), e);
    }
  }

  private static Signer stored(byte[] pem) throws MalformedException {
    byte[] pkcs8 = PrivateKeyPem.decode(pem);
    try {
      return signatures().importPkcs8(pkcs8);
    } finally {
      Arrays.fill(pkcs8, (byte) 0);
    }
  }

  /// Writes the key as unencrypted PKCS#8 PEM that only its owner can read (0600), on the disk when
  /// this returns.
  ///
  /// @throws java.nio.file.FileAlreadyExistsException if there is a file: a key is never
  ///   overwritten
  /// @throws IllegalStateException if the key is held elsewhere; {@link #saveUri} names it
  public void save(Path file) throws IOException {
    if (!(signer instanceof ExportableSigner exportable)) {
      throw new IllegalStateException("a key that is held elsewhere cannot be written");
    }
    byte[] pkcs8 = exportable.exportPkcs8();
    byte[] pem = PrivateKeyPem.encode(pkcs8);
    try {
      KeyFile.write(file, pem);
    } finally {
      Arrays.fill(pkcs8, (byte) 0);
      Arrays.fill(pem, (byte) 0);
    }
  }

  /// Writes a key file that names a {@link #delegated} key; {@link #load} opens it.
  ///
  /// @throws java.nio.file.FileAlreadyExistsException if there is a file
  public static void saveUri(Path file, String uri) throws IOException {
    KeyFile.write(file, (uri + "\n").getBytes(StandardCharsets.UTF_8));
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
