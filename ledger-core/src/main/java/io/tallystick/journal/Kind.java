package io.tallystick.journal;

import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The kind of a request: what it asks for. The codes are hashed and never reused.
public enum Kind {
  APPEND(1, true),
  /// Names exactly one clue and is that clue's last entry.
  CLUE_DELETE(2, true),
  MEMBER_ADD(16, true),
  MEMBER_REVOKE(17, true),
  PARAMETERS(18, true),
  KEY_ROTATION(19, true),
  TIME(20, false),
  PURGE(21, true),
  OCCULT(22, true),
  RECALL(23, true),
  /// Gives a key a role; also expiry, rotation and certificate of a member's key.
  GRANT(24, true),
  /// After it the ledger takes only kinds 19 to 23.
  CLOSE(25, true);

  private static final int FIRST_GOVERNANCE_CODE = 16;
  private static final int CODES = 26;
  private static final Kind[] BY_CODE = new Kind[CODES];

  static {
    Arrays.stream(values()).forEach(kind -> BY_CODE[kind.code] = kind);
  }

  private final int code;
  private final boolean enabled;

  Kind(int code, boolean enabled) {
    this.code = code;
    this.enabled = enabled;
  }

  public int code() {
    return code;
  }

  /// Its name in one word: `clueDelete`.
  public String word() {
    StringBuilder word = new StringBuilder();
    for (String part : name().split("_", -1)) {
      String small = part.toLowerCase(Locale.ROOT);
      word.append(word.isEmpty() ? small : part.charAt(0) + small.substring(1));
    }
    return word.toString();
  }

  /// The kind of that name; empty if there is none.
  public static Optional<Kind> ofWord(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }

  /// Whether a client may submit it; the others are answered `kind_not_enabled`.
  public boolean enabled() {
    return enabled;
  }

  /// Changes the ledger itself: carries an extension and an empty body, never sits in a batch.
  public boolean governance() {
    return code >= FIRST_GOVERNANCE_CODE;
  }

  /// Attested by the service's receipt key with a typ of its own, which no other kind takes.
  public boolean serviceRequest() {
    return this == KEY_ROTATION || this == TIME;
  }

  /// How many signatures an attestation of this kind may hold.
  public int signersMax() {
    return this == PURGE || this == CLOSE ? Limits.SIGNERS_OF_ALL_MAX : Limits.SIGNERS_MAX;
  }

  @SuppressWarnings("ReferenceEquality")
  public static Kind ofCode(long code) throws MalformedException {
    if (code < 0 || code >= CODES || BY_CODE[(int) code] == null) {
      throw new MalformedException("kind " + code + " is not defined");
    }
    return BY_CODE[(int) code];
  }
}
