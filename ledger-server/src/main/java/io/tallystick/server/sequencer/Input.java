package io.tallystick.server.sequencer;

import io.tallystick.journal.Kind;
import io.tallystick.journal.Ops;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;
import io.tallystick.server.note.NoteDecision;
import io.tallystick.server.note.NoteDraft;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A verified submission, founding, or change of noted rows that is to be committed, and the way to
/// answer it.
///
/// @param <A> the appends among the inputs of a shard: a {@link Step} gives them back as what they
///   are
public sealed interface Input<A> {
  /// Bytes it will add to a frame, roughly; for admission and batching.
  long sizeBytes();

  /// How many journals it will add to its ledger's block.
  default int journals() {
    return 1;
  }

  /// Whether it is taken although the disk has too little room for appends: it makes room.
  default boolean makesRoom() {
    return false;
  }

  /// Whether nothing may be committed together with it.
  default boolean standsAlone() {
    return false;
  }

  /// The sequencer's answer when it says no.
  void refuse(RequestRejectedException refusal);

  /// The shard stopped: whether it is durable is not known.
  void fail(Throwable cause);

  /// One submission for an existing ledger.
  non-sealed interface Append<A> extends Input<A> {
    /// This append, for the step that takes it.
    A self();

    VerifiedSubmission submission();

    @Override
    default int journals() {
      return submission().headers().size();
    }

    /// A key rotation stands alone in its block, so that the block's head is the last one of the
    /// old keys.
    @Override
    default boolean standsAlone() {
      return submission().headers().getFirst().kind() == Kind.KEY_ROTATION;
    }

    /// The operations of each of its requests; empty if none has any.
    default List<Ops> operations() {
      return operationsOf(submission());
    }

    /// What was read for it.
    default Prepared prepared() {
      return new Prepared.Nothing();
    }

    /// Decodes the operations of a submission, which the verifier has found to be right.
    static List<Ops> operationsOf(VerifiedSubmission submission) {
      if (submission.requests().stream().allMatch(request -> request.ops().isEmpty())) {
        return List.of();
      }
      List<Ops> operations = new ArrayList<>(submission.requests().size());
      for (SignedRequest request : submission.requests()) {
        try {
          operations.add(Ops.decode(request.ops()));
        } catch (MalformedException e) {
          throw new AssertionError("operations of a verified request do not decode", e);
        }
      }
      return operations;
    }
  }

  /// A ledger to be founded.
  non-sealed interface Found<A> extends Input<A> {
    Founding founding();

    /// Its genesis is sealed.
    ///
    /// @param existed whether the ledger was there before
    void complete(boolean existed);
  }

  /// Notes to be decided.
  non-sealed interface Noting<A> extends Input<A> {
    @Override
    default int journals() {
      return 0;
    }

    /// Decides, and keeps the answer until it is {@link #complete}.
    ///
    /// @throws RequestRejectedException if it is refused, which the sequencer answers
    void decide(NoteDraft draft, NoteDecision.Moment moment)
        throws IOException, RequestRejectedException;

    /// The notes are durable.
    void complete();
  }
}
