package io.tallystick.cli.option;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.PublicKey;
import io.tallystick.durable.PlainFile;
import io.tallystick.journal.Extension;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Keys as a user names them.
public final class GivenKeys {
  private static final int KEY_FILE_BYTES_MAX = 4_096;
  private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]+");
  private static final Pattern PUBLIC_KEY =
      Pattern.compile("-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\\s]+)-----END PUBLIC KEY-----");

  private GivenKeys() {}

  public static PublicKey publicKey(String hex) throws UsageException {
    try {
      return PublicKey.ofSpki(Bytes.fromHex(hex));
    } catch (MalformedException | IllegalArgumentException e) {
      throw new UsageException("not a public key: " + e.getMessage());
    }
  }

  /// A public key by its SPKI, or by a file that has it: a PUBLIC KEY in PEM, or the hex digits.
  ///
  /// @throws IOException also if the file has none
  public static PublicKey publicKeyOrFile(String text) throws UsageException, IOException {
    if (HEX.matcher(text).matches()) {
      return publicKey(text);
    }
    Path file = Path.of(text);
    byte[] bytes;
    try (InputStream in = PlainFile.open(file)) {
      bytes = in.readNBytes(KEY_FILE_BYTES_MAX + 1);
    }
    String content = new String(bytes, StandardCharsets.ISO_8859_1).strip();
    if (HEX.matcher(content).matches()) {
      return publicKey(content);
    }
    Matcher pem = PUBLIC_KEY.matcher(content);
    if (bytes.length > KEY_FILE_BYTES_MAX || !pem.matches()) {
      throw new FileSystemException(
          LocalPaths.shown(file),
          null,
          "is no public key: want PUBLIC KEY in PEM (openssl pkey -pubout), or the SPKI in hex as"
              + " `tally keygen` shows it");
    }
    try {
      return PublicKey.ofSpki(Bytes.wrap(Base64.getMimeDecoder().decode(pem.group(1))));
    } catch (MalformedException | IllegalArgumentException e) {
      throw LocalPaths.wrongForm(file, "public key", e);
    }
  }

  public static Digest kid(String hex) throws UsageException {
    try {
      return Digest.fromHex(hex);
    } catch (IllegalArgumentException e) {
      throw new UsageException("\"" + hex + "\" is no kid: 64 hex digits");
    }
  }

  public static Extension.KeyRotation rotation(PublicKey noteKey, PublicKey receiptKey)
      throws UsageException {
    try {
      return new Extension.KeyRotation(noteKey, receiptKey);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
