package io.tallystick.note;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Utf8;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;

/// Key ids and verifier keys' texts of Ed25519 keys, which differ by the signature's type alone.
/// Source: C2SP signed-note.
final class VerifierText {
  static final int ID_BYTES = 4;

  private static final int KEY_BYTES = 32;
  private static final int PARTS = 3;
  private static final byte[] NEWLINE = {'\n'};

  private VerifierText() {}

  /// The content of a verifier key's text.
  record Parsed(String name, PublicKey key) {}

  /// SHA-256(name ‖ 0x0A ‖ type ‖ public key), its first four bytes.
  static Bytes id(String name, byte type, PublicKey key) {
    byte[] utf8 = Utf8.encode(name);
    return Sha256.hash(utf8, NEWLINE, new byte[] {type}, key.raw()).toBytes().slice(0, ID_BYTES);
  }

  /// name "+" hex(id) "+" base64(type ‖ key).
  static String of(String name, byte type, PublicKey key) {
    byte[] raw = key.raw();
    byte[] typed = new byte[1 + raw.length];
    typed[0] = type;
    System.arraycopy(raw, 0, typed, 1, raw.length);
    return name + "+" + id(name, type, key).hex() + "+" + Base64.getEncoder().encodeToString(typed);
  }

  /// @param type the only one that is accepted
  /// @param typeName of that type, for messages
  static Parsed parse(String vkey, byte type, String typeName) throws MalformedException {
    String[] parts = vkey.split("\\+", PARTS);
    if (parts.length != PARTS) {
      throw new MalformedException("no verifier key: want NAME+ID+KEY");
    }
    NoteKey.checkName(parts[0]);
    byte[] typed = Base64Text.decode(parts[2]);
    if (typed.length == 0 || typed[0] != type) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "verifier key of type %s, want %d, %s",
              typed.length == 0 ? "" : typed[0],
              type,
              typeName));
    }
    if (typed.length != 1 + KEY_BYTES) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "verifier key of %d bytes, want %d", typed.length - 1, KEY_BYTES));
    }
    byte[] raw = Arrays.copyOfRange(typed, 1, typed.length);
    PublicKey key = PublicKey.ofSpki(PublicKey.ed25519Spki(raw));
    String id = id(parts[0], type, key).hex();
    if (!id.equals(parts[1])) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "verifier key with id %s, its name and key have %s", parts[1], id));
    }
    return new Parsed(parts[0], key);
  }

  /// @throws IllegalArgumentException unless a key of that name could sign a note
  static void check(String name, PublicKey key) {
    try {
      NoteKey.checkName(name);
    } catch (MalformedException e) {
      throw new IllegalArgumentException("key name: " + e.getMessage(), e);
    }
    if (key.algorithm() != SignatureAlgorithm.ED25519) {
      throw new IllegalArgumentException("note key is " + key.algorithm() + ", want ED25519");
    }
  }
}
