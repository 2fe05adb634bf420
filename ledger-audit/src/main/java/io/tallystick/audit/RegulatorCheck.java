package io.tallystick.audit;

import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.time.Duration;
import java.util.Locale;

/// Whether a regulator who counts signed a removal. Source: `docs/formats/removal.md`.
final class RegulatorCheck {
  /// From then on a regulator counts for journals older than its appointment, too.
  private static final long REGULATOR_DELAY_MS = Duration.ofDays(30).toMillis();

  private RegulatorCheck() {}

  /// @param lowest of the journals that it removes
  /// @param members at this point, whom all signers are of
  /// @throws FaultException unless a regulator signed that counts for that journal
  static void check(RemovalReplay.Signed signed, long lowest, MemberReplay members)
      throws FaultException, AuditLimitException {
    boolean any = false;
    boolean unknown = false;
    long countsFromMs = Long.MAX_VALUE;
    for (Digest kid : signed.kids()) {
      AuditStatement.Member member = members.ofSigner(kid);
      if (member.role() != Role.REGULATOR) {
        continue;
      }
      any = true;
      unknown |= member.sinceJsn() < 0 || member.sinceMs() < 0;
      long fromMs = member.sinceMs() < 0 ? Long.MAX_VALUE : member.sinceMs() + REGULATOR_DELAY_MS;
      countsFromMs = Math.min(countsFromMs, fromMs);
      if ((member.sinceJsn() >= 0 && lowest > member.sinceJsn()) || signed.timeMs() >= fromMs) {
        return;
      }
    }
    if (!any) {
      throw new FaultException(
          signed.jsn(), FaultKind.REGULATOR_MISSING, "none of its signers is a regulator");
    }
    if (unknown) {
      throw new AuditLimitException(
          String.format(
              Locale.ROOT,
              "the run before kept no record of when a regulator who signed at %d became one,"
                  + " so audit from the beginning",
              signed.jsn()));
    }
    throw new FaultException(
        signed.jsn(),
        FaultKind.REGULATOR_TOO_NEW,
        String.format(
            Locale.ROOT,
            "its regulators count for journal %d from %d on, the leaf is of %d",
            lowest,
            countsFromMs,
            signed.timeMs()));
  }
}
