package io.tallystick.proxy.proposal;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.Member;
import io.tallystick.node.SignaturePolicy;
import java.util.List;
import java.util.Optional;

/// A kept proposal as its signers see it.
///
/// @param signers ascending by kid
/// @param missing who has yet to sign: all of them, or one, as `policy` says; nobody once it has
///   the signatures it needs, or is impossible
/// @param impossible why the ledger takes it no more, whoever signs
public record ShownProposal(
    KeptProposal kept,
    SignaturePolicy policy,
    List<Member> signers,
    List<Member> missing,
    Optional<RequestRejectedException> impossible) {
  public ShownProposal {
    signers = List.copyOf(signers);
    missing = List.copyOf(missing);
  }
}
