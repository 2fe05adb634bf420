package io.tallystick.note;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.Base64;

/// One signature line: "— name base64(key id ‖ signature)". Of whatever algorithm: a line of an
/// unknown key is carried along unread.
public record NoteSignature(String name, Bytes keyId, Bytes signature) {
  private static final String DASH = "— ";

  static NoteSignature parse(String line) throws MalformedException {
    if (!line.startsWith(DASH)) {
      throw new MalformedException("signature line does not begin with a dash and a space");
    }
    int space = line.indexOf(' ', DASH.length());
    if (space < 0) {
      throw new MalformedException("signature line without a signature");
    }
    String name = line.substring(DASH.length(), space);
    NoteKey.checkName(name);
    byte[] blob = Base64Text.decode(line.substring(space + 1));
    if (blob.length <= VerifierText.ID_BYTES) {
      throw new MalformedException("signature of " + blob.length + " bytes with its key id");
    }
    return new NoteSignature(
        name,
        Bytes.wrap(Arrays.copyOf(blob, VerifierText.ID_BYTES)),
        Bytes.copyOf(blob, VerifierText.ID_BYTES, blob.length - VerifierText.ID_BYTES));
  }

  /// Whether name and id are those of `key`.
  public boolean isBy(NoteKey key) {
    return name.equals(key.name()) && keyId.equals(key.id());
  }

  /// The line with its newline.
  String line() {
    byte[] blob = new byte[keyId.size() + signature.size()];
    keyId.copyInto(blob, 0);
    signature.copyInto(blob, keyId.size());
    return DASH + name + ' ' + Base64.getEncoder().encodeToString(blob) + '\n';
  }
}
