package io.tallystick.note;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/// A note's verifying key: a name and an Ed25519 key. Source: C2SP signed-note.
public record NoteKey(String name, PublicKey key) {
  static final int NAME_LENGTH_MAX = 512;
  static final int ID_BYTES = 4;

  private static final int KEY_BYTES = 32;
  private static final int PARTS = 3;
  private static final byte[] NEWLINE = {'\n'};
  private static final byte[] ED25519 = {1};

  public NoteKey {
    try {
      checkName(name);
    } catch (MalformedException e) {
      throw new IllegalArgumentException("key name: " + e.getMessage(), e);
    }
    if (key.algorithm() != SignatureAlgorithm.ED25519) {
      throw new IllegalArgumentException("note key is " + key.algorithm() + ", want ED25519");
    }
  }

  /// SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), its first four bytes. An identifier, no protection:
  /// anybody can make a key with the same id.
  public Bytes id() {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    return Sha256.hash(utf8, NEWLINE, ED25519, key.raw()).toBytes().slice(0, ID_BYTES);
  }

  /// The verifier key's text as foreign tools take it: name "+" hex(id) "+" base64(0x01 ‖ key).
  public String vkey() {
    byte[] raw = key.raw();
    byte[] typed = new byte[1 + raw.length];
    typed[0] = ED25519[0];
    System.arraycopy(raw, 0, typed, 1, raw.length);
    return name + "+" + id().hex() + "+" + Base64.getEncoder().encodeToString(typed);
  }

  /// Parses a verifier key's text; the inverse of {@link #vkey}.
  ///
  /// @throws MalformedException if it is none, or of another algorithm than Ed25519
  public static NoteKey parse(String vkey) throws MalformedException {
    String[] parts = vkey.split("\\+", PARTS);
    if (parts.length != PARTS) {
      throw new MalformedException("no verifier key: want NAME+ID+KEY");
    }
    checkName(parts[0]);
    byte[] typed = Base64Text.decode(parts[2]);
    if (typed.length == 0 || typed[0] != ED25519[0]) {
      throw new MalformedException(
          "verifier key of type %s, want 1, Ed25519".formatted(typed.length == 0 ? "" : typed[0]));
    }
    if (typed.length != 1 + KEY_BYTES) {
      throw new MalformedException(
          "verifier key of %d bytes, want %d".formatted(typed.length - 1, KEY_BYTES));
    }
    byte[] raw = Arrays.copyOfRange(typed, 1, typed.length);
    NoteKey key = new NoteKey(parts[0], PublicKey.ofSpki(PublicKey.ed25519Spki(raw)));
    if (!key.id().hex().equals(parts[1])) {
      throw new MalformedException(
          "verifier key with id %s, its name and key have %s".formatted(parts[1], key.id().hex()));
    }
    return key;
  }

  /// @throws MalformedException if an unverified `name` is empty, too long, or holds a plus, a
  ///   space of any script or a control character
  static void checkName(String name) throws MalformedException {
    if (name.isEmpty() || name.length() > NAME_LENGTH_MAX) {
      throw new MalformedException(
          "name of " + name.length() + " characters, want 1 to " + NAME_LENGTH_MAX);
    }
    if (name.codePoints().anyMatch(NoteKey::isForbidden)) {
      throw new MalformedException("name holds a space, a plus or a control character");
    }
  }

  private static boolean isForbidden(int character) {
    return character == '+'
        || Character.isSpaceChar(character)
        || Character.isWhitespace(character)
        || Character.isISOControl(character);
  }
}
