package io.tallystick.audit;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.List;

/// What a statement says of time and people, within its state.
final class PeopleCodec {
  private static final int MEMBER_ITEMS = 5;
  private static final int MEMBER_ITEMS_WITHOUT_GRANTS = 3;
  private static final int TRUST_ITEMS = 1;
  private static final int SPKI_BYTES_MAX = 91;

  private PeopleCodec() {}

  static void writeMembers(List<AuditStatement.Member> members, CborWriter out) {
    out.array(members.size());
    for (AuditStatement.Member member : members) {
      out.array(MEMBER_ITEMS).bytes(member.key().spki()).uint(member.role().code());
      writeOrNil(member.revokedJsn(), out);
      writeOrNil(member.notAfterMs(), out);
      out.bool(member.delegated());
    }
  }

  /// @param grants whether it was written by an auditor that knew them
  static List<AuditStatement.Member> readMembers(CborReader in, boolean grants)
      throws MalformedException {
    int count = in.array();
    List<AuditStatement.Member> members = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("member", grants ? MEMBER_ITEMS : MEMBER_ITEMS_WITHOUT_GRANTS);
      AuditStatement.Member member = readMember(in, grants);
      if (i > 0 && members.getLast().key().kid().compareTo(member.key().kid()) >= 0) {
        throw new MalformedException("members do not ascend by kid at " + i);
      }
      members.add(member);
    }
    return members;
  }

  private static AuditStatement.Member readMember(CborReader in, boolean grants)
      throws MalformedException {
    PublicKey key = PublicKey.ofSpki(Bytes.wrap(in.bytes("SPKI", SPKI_BYTES_MAX)));
    long code = in.uint();
    Role role =
        Role.ofCode(code)
            .orElseThrow(() -> new MalformedException("role " + code + " is not defined"));
    long revokedJsn = readOrNil(in);
    return grants
        ? new AuditStatement.Member(key, role, revokedJsn, readOrNil(in), in.bool())
        : new AuditStatement.Member(key, role, revokedJsn);
  }

  static void writeTrust(AuditStatement.Trust trust, CborWriter out) {
    out.array(TRUST_ITEMS);
    writeOrNil(trust.closedJsn(), out);
  }

  static AuditStatement.Trust readTrust(CborReader in) throws MalformedException {
    in.array("trust", TRUST_ITEMS);
    return new AuditStatement.Trust(readOrNil(in));
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
    return in.nil() ? MemberReplay.NEVER : in.uint();
  }
}
