package io.tallystick.proxy.proposal;

import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// Whose signatures a request needs. It says when a proposal is submitted; the sequencer then
/// decides again, by the members of that moment. Source: `docs/formats/people-and-time.md`.
public enum SignaturePolicy {
  /// One of the owners, whoever else signs.
  ONE_OWNER,
  /// Every owner that is valid.
  EVERY_OWNER;

  static SignaturePolicy of(Kind kind) {
    return switch (kind) {
      case CLOSE -> EVERY_OWNER;
      case APPEND,
          CLUE_DELETE,
          MEMBER_ADD,
          MEMBER_REVOKE,
          PARAMETERS,
          KEY_ROTATION,
          TIME,
          PURGE,
          OCCULT,
          RECALL,
          GRANT ->
          ONE_OWNER;
    };
  }

  /// The owners who have yet to sign, ascending by kid: all of them, or one of them. Empty if the
  /// signatures suffice.
  List<Member> missing(Collection<Member> members, List<Digest> signers, long timeMs) {
    List<Member> owners =
        members.stream()
            .filter(member -> member.role() == Role.OWNER && member.currentAt(timeMs))
            .sorted(Comparator.comparing(member -> member.key().kid()))
            .toList();
    List<Member> without =
        owners.stream().filter(owner -> !signers.contains(owner.key().kid())).toList();
    return switch (this) {
      case EVERY_OWNER -> without;
      case ONE_OWNER -> without.size() < owners.size() ? List.of() : without;
    };
  }
}
