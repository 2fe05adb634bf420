package io.tallystick.wire;

import io.tallystick.journal.BodyState;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.LogRange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.ServiceIdentity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the two sides say to each other. `docs/formats/node-wire.md`.
sealed interface WireMessage {
  /// Which shard is meant, and in which epoch the caller believes it to be owned.
  ///
  /// @param epoch 0: whichever it is
  record Meant(int shard, long epoch) {}

  /// Asks how a shard is.
  record AskStatus(int shard) implements WireMessage {}

  /// How a shard is.
  ///
  /// @param epoch in which the server owns it
  record Status(ServiceIdentity identity, long timeMs, long clockMs, NodeHealth health, long epoch)
      implements WireMessage {}

  /// A question or a change.
  ///
  /// @param number in {@link NodeQuestions}
  /// @param body its form
  record Question(Meant meant, int number, Bytes body) implements WireMessage {}

  /// The answer to a question.
  record Answer(Bytes body) implements WireMessage {}

  /// The answer to anything.
  record Refused(Refusal refusal) implements WireMessage {}

  /// Asks for a walk.
  record Walk(Meant meant, LogRange range) implements WireMessage {}

  /// Leaves in order.
  record Leaves(List<Leaf> leaves) implements WireMessage {}

  /// The end of a walk that was not cut.
  record WalkEnd() implements WireMessage {}

  /// A leaf as a {@link io.tallystick.node.LogVisitor} hears of it.
  record Leaf(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    int sizeBytes() {
      return leaf.size() + ops.size() + size(attestation) + size(salt) + size(body);
    }

    private static int size(@Nullable Bytes part) {
      return part == null ? 0 : part.size();
    }
  }

  /// Submissions as they were received, in order; all of one stream for one shard.
  ///
  /// @param following how many more the proxy will send or refuse soon
  record Appends(Meant meant, List<Submitted> submissions, int following) implements WireMessage {}

  /// @param id of the submission on its stream, for the answer
  /// @param stream those with one number share receipts
  record Submitted(
      long id,
      long stream,
      boolean wantsCommitted,
      StrandId strand,
      List<SignedRequest> requests,
      Bytes attestation) {}

  /// A submission is durable.
  record Durable(long id, Committed committed) implements WireMessage {}

  /// Neighbours under one receipt.
  record Receipts(List<Long> ids, List<Committed> committed, Bytes rangeReceipt)
      implements WireMessage {}

  /// A submission is not, or nobody knows.
  ///
  /// @param refusal empty: the outcome is unknown
  record Failed(long id, Optional<Refusal> refusal, String detail) implements WireMessage {}

  /// A question to a server that follows a shard.
  ///
  /// @param frame as {@link io.tallystick.node.FollowerDoor} has it
  /// @param number in {@link NodeQuestions}
  /// @param body its form
  record FollowerQuestion(int shard, long frame, int number, Bytes body) implements WireMessage {}

  /// The answer of a server that follows a shard.
  record FollowerAnswer(Bytes body) implements WireMessage {}
}
