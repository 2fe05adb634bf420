package io.tallystick.audit;

import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Who could sign at the end of an audited log, and by which keys the service did.
///
/// @param members all there ever were, ascending by kid
/// @param rotations of the service's keys, ascending
/// @param closedJsn the journal that closed the ledger; −1 if none did
public record AuditedPeople(List<Member> members, List<Rotation> rotations, long closedJsn) {
  /// Of a log whose genesis was not accepted.
  static final AuditedPeople NONE = new AuditedPeople(List.of(), List.of(), MemberReplay.NEVER);

  public AuditedPeople {
    members = List.copyOf(members);
    rotations = List.copyOf(rotations);
  }

  /// What a member may still do.
  public enum Standing {
    VALID,
    EXPIRED,
    REVOKED,
    REPLACED
  }

  /// @param standing at the last leaf's time
  /// @param sinceJsn the journal that gave it this role, 0 for genesis; −1 if an earlier run that
  ///   kept no record of it audited that journal
  /// @param notAfterMs the last leaf time at which its key holds; −1 if it does not expire
  /// @param delegated whether its key is an agent's
  /// @param revokedJsn the journal that revoked or replaced it; −1 if none did
  /// @param replacedBy the key whose grant took its place
  public record Member(
      Digest kid,
      Role role,
      Standing standing,
      long sinceJsn,
      long notAfterMs,
      boolean delegated,
      long revokedJsn,
      Optional<Digest> replacedBy) {}

  /// The service's keys from the head of size `jsn` + 3 on.
  ///
  /// @param noteKid of the key of checkpoints
  /// @param receiptKid of the key of receipts
  public record Rotation(long jsn, Digest noteKid, Digest receiptKid) {}

  static AuditedPeople of(MemberReplay members, ServiceReplay service, long timeMs) {
    return new AuditedPeople(
        members.all().stream().map(member -> member(member, timeMs)).toList(),
        service.rotations().stream().map(AuditedPeople::rotation).toList(),
        members.closedJsn());
  }

  private static Member member(AuditStatement.Member member, long timeMs) {
    return new Member(
        member.key().kid(),
        member.role(),
        standing(member, timeMs),
        member.sinceJsn(),
        member.notAfterMs(),
        member.delegated(),
        member.revokedJsn(),
        member.replacedBy());
  }

  private static Standing standing(AuditStatement.Member member, long timeMs) {
    if (member.revokedJsn() != MemberReplay.NEVER) {
      return member.replacedBy().isPresent() ? Standing.REPLACED : Standing.REVOKED;
    }
    boolean expired = member.notAfterMs() != MemberReplay.NEVER && timeMs > member.notAfterMs();
    return expired ? Standing.EXPIRED : Standing.VALID;
  }

  private static Rotation rotation(ServiceKeys.Term term) {
    return new Rotation(term.above().value() - 2, term.noteKey().kid(), term.receiptKey().kid());
  }

  /// How many of the members may still sign.
  public long valid() {
    return members.stream().filter(each -> each.standing == Standing.VALID).count();
  }

  /// A member in one line, without its kid.
  static String words(Member member) {
    List<String> words = new ArrayList<>();
    words.add(member.role.name().toLowerCase(Locale.ROOT));
    if (member.sinceJsn >= 0) {
      words.add("since " + member.sinceJsn);
    }
    if (member.delegated) {
      words.add("delegated");
    }
    if (member.notAfterMs >= 0) {
      String verb = member.standing == Standing.EXPIRED ? "expired " : "until ";
      words.add(verb + Instant.ofEpochMilli(member.notAfterMs));
    }
    if (member.revokedJsn >= 0) {
      words.add(
          member
              .replacedBy
              .map(by -> String.format(Locale.ROOT, "replaced at %d by %s", member.revokedJsn, by))
              .orElse("revoked at " + member.revokedJsn));
    }
    return String.join(", ", words);
  }
}
