package io.tallystick.server.proposal;

import io.tallystick.model.Digest;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import java.util.List;

/// The part of a kept proposal that is in memory.
///
/// @param signers kids
record ProposalEntry(long expiresMs, State state, List<Digest> signers) {
  enum State {
    OPEN,
    SUBMITTING,
    COMMITTED,
    REFUSED
  }

  ProposalEntry {
    signers = List.copyOf(signers);
  }

  static ProposalEntry of(KeptProposal kept) {
    State state =
        switch (kept.outcome()) {
          case Outcome.Open _ -> State.OPEN;
          case Outcome.Submitting _ -> State.SUBMITTING;
          case Outcome.Committed _ -> State.COMMITTED;
          case Outcome.Refused _ -> State.REFUSED;
        };
    return new ProposalEntry(kept.expiresMs(), state, kept.proposal().signers());
  }

  /// Open or refused.
  boolean waits() {
    return switch (state) {
      case OPEN, REFUSED -> true;
      case SUBMITTING, COMMITTED -> false;
    };
  }
}
