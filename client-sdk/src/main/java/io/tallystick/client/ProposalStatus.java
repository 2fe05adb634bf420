package io.tallystick.client;

import io.tallystick.api.v1.OpenProposal;
import io.tallystick.api.v1.ProposalSigner;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The status of a proposal that the service keeps. All of it is the service's word but the hash,
/// which names what was asked for, and the journal that it became, if that is `verified`.
///
/// @param policy who of `missing` has to sign
/// @param missing empty once it has the signatures it needs, and if it is impossible
/// @param jsn of the journal it became
/// @param verified whether that journal was read and is what was asked for; not if a purge removed
///   it since, or this client may not read it any more
/// @param refusal why it was refused when it was submitted, or is impossible
public record ProposalStatus(
    Digest requestHash,
    long expiresMs,
    State state,
    Policy policy,
    List<Signer> signers,
    List<Signer> missing,
    Optional<Jsn> jsn,
    boolean verified,
    Optional<String> refusal) {
  /// The state that a proposal has reached.
  public enum State {
    /// It waits for signatures.
    OPEN,
    /// It takes no more signatures, and its outcome is not known yet.
    SUBMITTING,
    /// It is a journal.
    COMMITTED,
    /// The ledger refused it; one more signature submits it again.
    REFUSED,
    /// The ledger takes it no more, whoever signs: what it would erase is purged or erased, or the
    /// ledger is closed.
    IMPOSSIBLE
  }

  /// Whose signatures a request needs.
  public enum Policy {
    /// One of `missing` has to sign.
    ONE_OWNER,
    /// All of `missing` have to sign.
    EVERY_OWNER,
    /// One of each role in `missing` has to sign.
    OWNER_AND_REGULATOR
  }

  /// A member that has signed or has yet to.
  public record Signer(Digest kid, Role role) {}

  public ProposalStatus {
    signers = List.copyOf(signers);
    missing = List.copyOf(missing);
  }

  static ProposalStatus of(OpenProposal wire) throws ProofRejectedException {
    State state =
        switch (wire.getStatus()) {
          case OPEN -> State.OPEN;
          case SUBMITTING -> State.SUBMITTING;
          case COMMITTED -> State.COMMITTED;
          case REFUSED -> State.REFUSED;
          case IMPOSSIBLE -> State.IMPOSSIBLE;
          case STATUS_UNSPECIFIED, UNRECOGNIZED ->
              throw new ProofRejectedException(Reason.MALFORMED, "proposal without a status");
        };
    return new ProposalStatus(
        WireBytes.digest("request_hash", wire.getRequestHash()),
        wire.getExpiresMs(),
        state,
        policy(wire),
        signers(wire.getSignersList()),
        signers(wire.getMissingList()),
        wire.hasJsn() ? Optional.of(jsn(wire.getJsn())) : Optional.empty(),
        false,
        wire.hasRefusal()
            ? Optional.of(wire.getRefusal().getCode() + ": " + wire.getRefusal().getDetail())
            : Optional.empty());
  }

  ProposalStatus seen() {
    return new ProposalStatus(
        requestHash, expiresMs, state, policy, signers, missing, jsn, true, refusal);
  }

  private static Policy policy(OpenProposal wire) throws ProofRejectedException {
    return switch (wire.getPolicy()) {
      case ONE_OWNER -> Policy.ONE_OWNER;
      case EVERY_OWNER -> Policy.EVERY_OWNER;
      case OWNER_AND_REGULATOR -> Policy.OWNER_AND_REGULATOR;
      case POLICY_UNSPECIFIED, UNRECOGNIZED ->
          throw new ProofRejectedException(Reason.MALFORMED, "proposal without a known policy");
    };
  }

  private static Jsn jsn(long value) throws ProofRejectedException {
    if (value < 0) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "jsn " + Long.toUnsignedString(value) + " is out of range");
    }
    return new Jsn(value);
  }

  private static List<Signer> signers(List<ProposalSigner> wire) throws ProofRejectedException {
    List<Signer> signers = new ArrayList<>();
    for (ProposalSigner each : wire) {
      Role role =
          Role.ofCode(Integer.toUnsignedLong(each.getRole()))
              .orElseThrow(() ->
                  new ProofRejectedException(
                      Reason.MALFORMED, "there is no role " + each.getRole()));
      signers.add(new Signer(WireBytes.digest("kid", each.getKid()), role));
    }
    return signers;
  }
}
