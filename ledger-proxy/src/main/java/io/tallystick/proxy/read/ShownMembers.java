package io.tallystick.proxy.read;

import io.tallystick.model.Digest;
import io.tallystick.node.Member;
import io.tallystick.node.MembersView;
import java.util.Map;
import java.util.Optional;

/// Members, and the names in their certificates as far as those are kept.
///
/// @param subjects by certDigest, as RFC 2253 writes them
public record ShownMembers(MembersView view, Map<Digest, String> subjects) {
  public ShownMembers {
    subjects = Map.copyOf(subjects);
  }

  public Optional<String> subject(Member member) {
    return member.terms().certDigest().map(subjects::get);
  }
}
