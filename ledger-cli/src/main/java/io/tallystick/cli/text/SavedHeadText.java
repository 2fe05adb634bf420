package io.tallystick.cli.text;

import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.model.ProofRejectedException;
import java.util.Locale;
import java.util.Optional;

/// The relation of a saved file's head to the newest one that the user trusts, as far as two heads
/// alone tell.
///
/// @param trusted empty: none is known
/// @param isTrusted whether the file's head is that one
public record SavedHeadText(Optional<SignedHead> trusted, boolean isTrusted) {
  /// @throws ProofRejectedException with `FORK` if the two contradict each other
  public static SavedHeadText of(SignedHead shown, Optional<SignedHead> trusted)
      throws ProofRejectedException {
    boolean same =
        trusted.isPresent() && TrustRule.missing(TrustRule.first(trusted.get()), shown).isEmpty();
    return new SavedHeadText(trusted, same);
  }

  /// One sentence.
  public String sentence() {
    return isTrusted
        ? "The head is the newest this user trusts."
        : trusted
            .map(known ->
                String.format(
                    Locale.ROOT,
                    "It was not compared with the head of %s leaves that this user trusts.",
                    known.size()))
            .orElse("It was compared with no head that this user trusts.");
  }
}
