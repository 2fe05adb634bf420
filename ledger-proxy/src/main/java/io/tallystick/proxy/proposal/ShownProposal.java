package io.tallystick.proxy.proposal;

import io.tallystick.node.KeptProposal;
import io.tallystick.node.Member;
import java.util.List;

/// A kept proposal as its signers see it.
///
/// @param signers ascending by kid
/// @param missing who has yet to sign: all of them, or one, as `policy` says; nobody once it has
///   the signatures it needs
public record ShownProposal(
    KeptProposal kept, SignaturePolicy policy, List<Member> signers, List<Member> missing) {
  public ShownProposal {
    signers = List.copyOf(signers);
    missing = List.copyOf(missing);
  }
}
