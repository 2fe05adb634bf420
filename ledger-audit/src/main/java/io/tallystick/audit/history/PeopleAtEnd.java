package io.tallystick.audit.history;

import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.head.ServiceKeys;

/// The report on members and service keys at the point that a replay has reached.
final class PeopleAtEnd {
  private PeopleAtEnd() {}

  static AuditedPeople of(MemberReplay members, ServiceReplay service, long timeMs) {
    return new AuditedPeople(
        members.all().stream().map(member -> member(member, timeMs)).toList(),
        service.rotations().stream().map(PeopleAtEnd::rotation).toList(),
        members.closedJsn());
  }

  private static AuditedPeople.Member member(AuditStatement.Member member, long timeMs) {
    return new AuditedPeople.Member(
        member.key().kid(),
        member.role(),
        standing(member, timeMs),
        member.sinceJsn(),
        member.notAfterMs(),
        member.delegated(),
        member.revokedJsn(),
        member.replacedBy());
  }

  private static AuditedPeople.Standing standing(AuditStatement.Member member, long timeMs) {
    if (member.revokedJsn() != AuditStatement.NEVER) {
      return member.replacedBy().isPresent()
          ? AuditedPeople.Standing.REPLACED
          : AuditedPeople.Standing.REVOKED;
    }
    boolean expired = member.notAfterMs() != AuditStatement.NEVER && timeMs > member.notAfterMs();
    return expired ? AuditedPeople.Standing.EXPIRED : AuditedPeople.Standing.VALID;
  }

  private static AuditedPeople.Rotation rotation(ServiceKeys.Term term) {
    return new AuditedPeople.Rotation(
        term.above().value() - 2, term.noteKey().kid(), term.receiptKey().kid());
  }
}
