package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import java.util.List;
import java.util.Locale;

/// The check that a regulator who counts signed a removal. Source: `docs/formats/removal.md`.
final class RegulatorCheck {
  /// By what a regulator counts.
  enum Grounds {
    /// It was one before what is removed, or for 30 days that time journals show.
    SHOWN,
    /// For 30 days by the service's clock, in a log without time journals.
    CLOCK
  }

  private RegulatorCheck() {}

  /// @param lowest of the journals that it removes
  /// @param members at this point, whom all signers are of
  /// @throws FaultException unless a regulator signed that counts for that journal
  static Grounds check(
      RemovalReplay.Signed signed, long lowest, MemberReplay members, RegulatorDays days)
      throws FaultException, AuditLimitException {
    boolean any = false;
    boolean unknown = false;
    long countsFromMs = RegulatorDays.NOT_BEGUN;
    for (Digest kid : signed.kids()) {
      AuditStatement.Member member = members.ofSigner(kid);
      if (member.role() != Role.REGULATOR) {
        continue;
      }
      if (member.sinceJsn() >= 0 && lowest > member.sinceJsn()) {
        return Grounds.SHOWN;
      }
      any = true;
      if (member.sinceJsn() < 0 || member.sinceMs() < 0) {
        unknown = true;
      } else {
        countsFromMs =
            Math.min(countsFromMs, days.countsFromMs(member.sinceJsn(), member.sinceMs()));
      }
    }
    if (!any) {
      throw new FaultException(
          signed.jsn(), FaultKind.REGULATOR_MISSING, "none of its signers is a regulator");
    }
    if (signed.timeMs() >= countsFromMs) {
      return days.anchored() ? Grounds.SHOWN : Grounds.CLOCK;
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
        signed.jsn(), FaultKind.REGULATOR_TOO_NEW, tooNew(signed, lowest, countsFromMs));
  }

  /// How far the regulators among the signers of a purge count, should it need one.
  static PurgeReplay.Regulators worth(
      RemovalReplay.Signed signed, long lowest, MemberReplay members, RegulatorDays days)
      throws AuditLimitException {
    try {
      return switch (check(signed, lowest, members, days)) {
        case SHOWN -> PurgeReplay.Regulators.COUNT;
        case CLOCK -> PurgeReplay.Regulators.BY_CLOCK;
      };
    } catch (FaultException e) {
      return e.fault().kind() == FaultKind.REGULATOR_MISSING
          ? PurgeReplay.Regulators.NONE
          : PurgeReplay.Regulators.TOO_NEW;
    }
  }

  /// Who signed, by the role then.
  static List<AuditedRemovals.Signer> signers(RemovalReplay.Signed signed, MemberReplay members) {
    return signed.kids().stream()
        .map(kid -> new AuditedRemovals.Signer(kid, members.ofSigner(kid).role()))
        .toList();
  }

  private static String tooNew(RemovalReplay.Signed signed, long lowest, long countsFromMs) {
    return countsFromMs == RegulatorDays.NOT_BEGUN
        ? String.format(
            Locale.ROOT,
            "its regulators do not count for journal %d: no time journal covers since when they are",
            lowest)
        : String.format(
            Locale.ROOT,
            "its regulators count for journal %d from %s on, the leaf is of %s",
            lowest,
            Printable.time(countsFromMs),
            Printable.time(signed.timeMs()));
  }
}
