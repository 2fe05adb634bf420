package io.tallystick.node;

import io.tallystick.journal.Proposal;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;

/// A proposal that a node keeps for its signers, and what has become of it.
///
/// @param proposal whose signatures were found good when they came
public record KeptProposal(Proposal proposal, Outcome outcome) {
  /// The outcome of a proposal.
  public sealed interface Outcome {
    /// It waits for signatures.
    record Open() implements Outcome {
      public static final Open INSTANCE = new Open();
    }

    /// It has the signatures it needs and takes no more; the service submits it, again after a
    /// restart, until it knows the outcome.
    record Submitting() implements Outcome {
      public static final Submitting INSTANCE = new Submitting();
    }

    /// It is journal `jsn` of its strand.
    record Committed(long jsn) implements Outcome {}

    /// It was submitted and refused, and left no trace in the ledger. One more signature submits it
    /// again.
    record Refused(RejectionCode code, String detail) implements Outcome {}
  }

  public LedgerId ledger() {
    return proposal.request().strand().ledger();
  }

  public Digest requestHash() {
    return proposal.requestHash();
  }

  public long expiresMs() {
    return proposal.request().expiresMs();
  }

  public boolean takesSignatures() {
    return switch (outcome) {
      case Outcome.Open _, Outcome.Refused _ -> true;
      case Outcome.Submitting _, Outcome.Committed _ -> false;
    };
  }
}
