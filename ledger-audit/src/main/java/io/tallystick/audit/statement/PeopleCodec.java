package io.tallystick.audit.statement;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The encoding of members, and of what was checked, within a statement's state.
final class PeopleCodec {
  private static final int MEMBER_ITEMS = 8;
  private static final int MEMBER_ITEMS_WITHOUT_TIME = 7;
  private static final int MEMBER_ITEMS_WITHOUT_HISTORY = 5;
  private static final int MEMBER_ITEMS_WITHOUT_GRANTS = 3;
  private static final int CHECKS_ITEMS = 4;
  private static final int CHECKS_ITEMS_WITHOUT_TOKENS = 2;
  private static final int SPKI_BYTES_MAX = 91;

  private PeopleCodec() {}

  static void writeMembers(List<AuditStatement.Member> members, CborWriter out) {
    out.array(members.size());
    for (AuditStatement.Member member : members) {
      out.array(MEMBER_ITEMS).bytes(member.key().spki()).uint(member.role().code());
      writeOrNil(member.revokedJsn(), out);
      writeOrNil(member.notAfterMs(), out);
      out.bool(member.delegated());
      writeOrNil(member.sinceJsn(), out);
      writeOrNil(member.sinceMs(), out);
      if (member.replacedBy().isPresent()) {
        out.digest(member.replacedBy().get());
      } else {
        out.nil();
      }
    }
  }

  /// @param version of the statement
  static List<AuditStatement.Member> readMembers(CborReader in, int version)
      throws MalformedException {
    int items =
        switch (version) {
          case StatementCodec.VERSION -> MEMBER_ITEMS;
          case StatementCodec.VERSION_WITHOUT_REMOVALS -> MEMBER_ITEMS_WITHOUT_TIME;
          case StatementCodec.VERSION_WITHOUT_HISTORY -> MEMBER_ITEMS_WITHOUT_HISTORY;
          default -> MEMBER_ITEMS_WITHOUT_GRANTS;
        };
    int count = in.array();
    List<AuditStatement.Member> members = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("member", items);
      AuditStatement.Member member = readMember(in, items);
      if (i > 0 && members.getLast().key().kid().compareTo(member.key().kid()) >= 0) {
        throw new MalformedException("members do not ascend by kid at " + i);
      }
      members.add(member);
    }
    return members;
  }

  private static AuditStatement.Member readMember(CborReader in, int items)
      throws MalformedException {
    PublicKey key = PublicKey.ofSpki(Bytes.wrap(in.bytes("SPKI", SPKI_BYTES_MAX)));
    long code = in.uint();
    Role role =
        Role.ofCode(code)
            .orElseThrow(() -> new MalformedException("role " + code + " is not defined"));
    long revokedJsn = readOrNil(in);
    if (items == MEMBER_ITEMS_WITHOUT_GRANTS) {
      return new AuditStatement.Member(key, role, revokedJsn);
    }
    long notAfterMs = readOrNil(in);
    boolean delegated = in.bool();
    if (items == MEMBER_ITEMS_WITHOUT_HISTORY) {
      return new AuditStatement.Member(key, role, revokedJsn, notAfterMs, delegated);
    }
    long sinceJsn = readOrNil(in);
    long sinceMs = items == MEMBER_ITEMS_WITHOUT_TIME ? AuditStatement.NEVER : readOrNil(in);
    return new AuditStatement.Member(
        key, role, revokedJsn, notAfterMs, delegated, sinceJsn, sinceMs, readReplacedBy(in));
  }

  private static Optional<Digest> readReplacedBy(CborReader in) throws MalformedException {
    return in.nil() ? Optional.empty() : Optional.of(in.digest());
  }

  static void writeChecks(AuditStatement.Checks checks, CborWriter out) {
    out.array(CHECKS_ITEMS).bool(checks.bodies()).bool(checks.allFaults()).bool(checks.tokens());
    writeOrNil(checks.maxWindowMs(), out);
  }

  /// @param tokens whether it was written by an auditor that knew them
  static AuditStatement.Checks readChecks(CborReader in, boolean tokens) throws MalformedException {
    in.array("checks", tokens ? CHECKS_ITEMS : CHECKS_ITEMS_WITHOUT_TOKENS);
    boolean bodies = in.bool();
    boolean allFaults = in.bool();
    return tokens
        ? new AuditStatement.Checks(bodies, allFaults, in.bool(), readOrNil(in))
        : new AuditStatement.Checks(bodies, allFaults);
  }

  /// @param value negative for none
  static void writeOrNil(long value, CborWriter out) {
    if (value < 0) {
      out.nil();
    } else {
      out.uint(value);
    }
  }

  /// @return negative for none
  static long readOrNil(CborReader in) throws MalformedException {
    return in.nil() ? AuditStatement.NEVER : in.uint();
  }
}
