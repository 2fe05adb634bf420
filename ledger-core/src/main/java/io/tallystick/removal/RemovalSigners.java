package io.tallystick.removal;

import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.util.List;
import java.util.Locale;

/// Which regulators count for a removal. Source: `docs/formats/removal.md`.
public final class RemovalSigners {
  /// From the journal that made a key a regulator, for what is older than that.
  public static final long REGULATOR_AGE_MS = 30L * 24 * 60 * 60 * 1000;

  private RemovalSigners() {}

  /// Whether an owner could not have appointed this regulator in order to erase what lies before.
  ///
  /// @param lowest the lowest jsn that is removed
  /// @param timeMs of the removal's leaf
  public static boolean counts(ShownMember member, Jsn lowest, long timeMs) {
    return member.role() == Role.REGULATOR
        && (lowest.compareTo(member.since()) > 0 || timeMs >= member.sinceMs() + REGULATOR_AGE_MS);
  }

  /// @throws ProofRejectedException with `MISSING` if no regulator that counts is among the signers
  static void checkRegulator(ShownJournal removal, List<ShownMember> signers, Jsn lowest)
      throws ProofRejectedException {
    if (signers.stream().noneMatch(each -> counts(each, lowest, removal.timeMs()))) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "no regulator of before jsn %s, or of 30 days, signed removal %s",
              lowest,
              removal.jsn()));
    }
  }
}
