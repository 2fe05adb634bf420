package io.tallystick.proxy.edge;

import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Gathers answers into messages: those that may be packed share one, the others have one each. Not
/// thread-safe.
final class PackedAnswers {
  /// Submissions in a message, and answers in one.
  static final int MESSAGE_COUNT_MAX = 1024;

  /// Answers to one or more submissions.
  ///
  /// @param packed may share a message with others
  record Answer(List<AppendResponse> responses, long costBytes, boolean packed) {}

  private final StreamObserver<AppendResponse> out;
  private AppendResponse.@Nullable Builder message;

  PackedAnswers(StreamObserver<AppendResponse> out) {
    this.out = out;
  }

  void add(Answer answer) {
    if (!answer.packed()) {
      answer.responses().forEach(out::onNext);
      return;
    }
    if (message != null
        && 1 + message.getMoreCount() + answer.responses().size() > MESSAGE_COUNT_MAX) {
      flush();
    }
    for (AppendResponse response : answer.responses()) {
      if (message == null) {
        message = response.toBuilder();
      } else {
        message.addMore(response);
      }
    }
  }

  void flush() {
    if (message != null) {
      out.onNext(message.build());
      message = null;
    }
  }

  /// Refuses a message that packs too many submissions, or packs them deeper than allowed.
  static void checkMessage(AppendRequest message) throws RequestRejectedException {
    if (1 + message.getMoreCount() > MESSAGE_COUNT_MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              1 + message.getMoreCount() + " submissions in a message, at most 1,024")
          .withLimit(MESSAGE_COUNT_MAX);
    }
    for (AppendRequest further : message.getMoreList()) {
      if (further.getMoreCount() > 0) {
        throw new RequestRejectedException(
            RejectionCode.MALFORMED, "a submission in `more` has `more` of its own");
      }
    }
  }
}
