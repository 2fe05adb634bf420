package io.tallystick.node;

import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// Whose signatures a request needs. It says when a proposal is submitted; the sequencer then
/// decides again, by the members of that moment. Source: `docs/formats/people-and-time.md`.
public enum SignaturePolicy {
  /// One of the owners, whoever else signs.
  ONE_OWNER,
  /// Every owner that is valid.
  EVERY_OWNER,
  /// One of the owners and one of the regulators. Whether a regulator has been one for long enough
  /// is for the sequencer to say.
  OWNER_AND_REGULATOR;

  private static final Comparator<Member> BY_KID =
      Comparator.comparing(member -> member.key().kid());

  public static SignaturePolicy of(Kind kind) {
    return switch (kind) {
      case CLOSE -> EVERY_OWNER;
      case OCCULT -> OWNER_AND_REGULATOR;
      case APPEND,
          CLUE_DELETE,
          MEMBER_ADD,
          MEMBER_REVOKE,
          PARAMETERS,
          KEY_ROTATION,
          TIME,
          PURGE,
          RECALL,
          GRANT ->
          ONE_OWNER;
    };
  }

  /// The members who have yet to sign, ascending by kid: all of them, or one of each role among
  /// them. Empty if the signatures suffice.
  public List<Member> missing(Collection<Member> members, List<Digest> signers, long timeMs) {
    List<Member> owners = of(Role.OWNER, members, timeMs);
    return switch (this) {
      case EVERY_OWNER -> without(owners, signers);
      case ONE_OWNER -> unlessOneSigned(owners, signers);
      case OWNER_AND_REGULATOR -> {
        List<Member> missing = new ArrayList<>(unlessOneSigned(owners, signers));
        missing.addAll(unlessOneSigned(of(Role.REGULATOR, members, timeMs), signers));
        missing.sort(BY_KID);
        yield missing;
      }
    };
  }

  private static List<Member> of(Role role, Collection<Member> members, long timeMs) {
    return members.stream()
        .filter(member -> member.role() == role && member.currentAt(timeMs))
        .sorted(BY_KID)
        .toList();
  }

  private static List<Member> without(List<Member> members, List<Digest> signers) {
    return members.stream().filter(member -> !signers.contains(member.key().kid())).toList();
  }

  private static List<Member> unlessOneSigned(List<Member> members, List<Digest> signers) {
    List<Member> without = without(members, signers);
    return without.size() < members.size() ? List.of() : without;
  }
}
