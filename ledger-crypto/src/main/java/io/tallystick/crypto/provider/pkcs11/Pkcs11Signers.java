package io.tallystick.crypto.provider.pkcs11;

import io.tallystick.crypto.DelegatedSigner;
import io.tallystick.crypto.DelegatedSigners;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidParameterException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.ProviderException;
import java.security.Security;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.Locale;

/// Keys of a PKCS#11 module, through the JDK's SunPKCS11. P-256 only: SunPKCS11 of JDK 25 signs no
/// Ed25519. It finds a private key by the certificate that shares its id and label, which `keytool
/// -genkeypair` makes along with the key; the certificate's names and dates mean nothing here.
public final class Pkcs11Signers implements DelegatedSigners {
  private static final int PIN_BYTES_MAX = 256;

  /// For `java.util.ServiceLoader`.
  public Pkcs11Signers() {}

  @Override
  public String scheme() {
    return Pkcs11Uri.SCHEME;
  }

  @Override
  public DelegatedSigner open(String uri) throws IOException {
    Pkcs11Uri key = Pkcs11Uri.parse(uri);
    String holder = String.format(Locale.ROOT, "key \"%s\" of %s", key.object(), key.module());
    if (!Files.isRegularFile(key.module())) {
      throw new IOException("no PKCS#11 module at " + key.module());
    }
    char[] pin = readPin(key.pinFile());
    try {
      Provider provider = provider(key);
      KeyStore token = KeyStore.getInstance("PKCS11", provider);
      token.load(null, pin);
      Certificate certificate = token.getCertificate(key.object());
      if (certificate == null
          || !(token.getKey(key.object(), null) instanceof PrivateKey privateKey)) {
        throw new IOException(holder + ": no private key with a certificate of that label");
      }
      return new Pkcs11Signer(holder, provider, privateKey, publicKey(holder, certificate));
    } catch (GeneralSecurityException | ProviderException | InvalidParameterException e) {
      throw new IOException(holder + " cannot be opened: " + reason(e), e);
    } finally {
      Arrays.fill(pin, '\0');
    }
  }

  /// The provider is not installed in the process: only its users know it.
  private static Provider provider(Pkcs11Uri key) {
    Provider template = Security.getProvider("SunPKCS11");
    if (template == null) {
      throw new ProviderException("this Java has no SunPKCS11 (module jdk.crypto.cryptoki)");
    }
    Long slot = key.slotId();
    String config =
        String.format(
            Locale.ROOT,
            """
            --name = tallystick
            library = "%s"
            %s
            """,
            key.module().toString().replace("\\", "\\\\").replace("\"", "\\\""),
            slot == null ? "slotListIndex = 0" : "slot = " + slot);
    return template.configure(config);
  }

  private static PublicKey publicKey(String holder, Certificate certificate) throws IOException {
    try {
      PublicKey key = PublicKey.ofSpki(Bytes.wrap(certificate.getPublicKey().getEncoded()));
      if (key.algorithm() == SignatureAlgorithm.ES256) {
        return key;
      }
    } catch (MalformedException ignored) {
      // Named below.
    }
    throw new IOException(
        holder + " is not of P-256 but " + certificate.getPublicKey().getAlgorithm());
  }

  private static char[] readPin(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("no file with the PIN at " + file);
    }
    if (Files.size(file) > PIN_BYTES_MAX) {
      throw new IOException(file + " is too long for a PIN");
    }
    byte[] bytes = Files.readAllBytes(file);
    CharBuffer decoded = StandardCharsets.UTF_8.decode(ByteBuffer.wrap(bytes));
    try {
      int end = 0;
      while (end < decoded.length() && decoded.get(end) != '\n' && decoded.get(end) != '\r') {
        end++;
      }
      return Arrays.copyOf(decoded.array(), end);
    } finally {
      Arrays.fill(bytes, (byte) 0);
      Arrays.fill(decoded.array(), '\0');
    }
  }

  /// The innermost cause has the module's own word, such as CKR_PIN_INCORRECT.
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage() == null ? cause : cause.getMessage());
  }
}
