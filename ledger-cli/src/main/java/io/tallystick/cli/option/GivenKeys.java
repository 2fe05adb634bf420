package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;

/// Keys as a user names them.
public final class GivenKeys {
  private GivenKeys() {}

  public static PublicKey publicKey(String hex) throws UsageException {
    try {
      return PublicKey.ofSpki(Bytes.fromHex(hex));
    } catch (MalformedException | IllegalArgumentException e) {
      throw new UsageException("not a public key: " + e.getMessage());
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
