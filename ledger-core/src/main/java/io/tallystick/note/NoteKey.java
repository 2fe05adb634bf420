package io.tallystick.note;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Utf8;

/// A note's verifying key: a name and an Ed25519 key. Source: C2SP signed-note.
public record NoteKey(String name, PublicKey key) {
  static final int NAME_LENGTH_MAX = 512;

  private static final byte ED25519 = 1;

  public NoteKey {
    VerifierText.check(name, key);
  }

  /// SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), its first four bytes. An identifier, no protection:
  /// anybody can make a key with the same id.
  public Bytes id() {
    return VerifierText.id(name, ED25519, key);
  }

  /// The verifier key's text as foreign tools take it: name "+" hex(id) "+" base64(0x01 ‖ key).
  public String vkey() {
    return VerifierText.of(name, ED25519, key);
  }

  /// Parses a verifier key's text; the inverse of {@link #vkey}.
  ///
  /// @throws MalformedException if it is none, or of another algorithm than Ed25519
  public static NoteKey parse(String vkey) throws MalformedException {
    VerifierText.Parsed parsed = VerifierText.parse(vkey, ED25519, "Ed25519");
    return new NoteKey(parsed.name(), parsed.key());
  }

  /// @throws MalformedException if an unverified `name` is empty, too long, or holds a plus, a
  ///   space of any script or a control character
  static void checkName(String name) throws MalformedException {
    if (name.isEmpty() || name.length() > NAME_LENGTH_MAX) {
      throw new MalformedException(
          "name of " + name.length() + " characters, want 1 to " + NAME_LENGTH_MAX);
    }
    if (Utf8.unpairedAt(name) >= 0) {
      throw new MalformedException("name with half a surrogate pair, which UTF-8 cannot hold");
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
