package io.tallystick.client.wire;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.client.failure.TallyException;

/// Takes the answer to a submission.
public interface AppendReply {
  /// It was refused, or its outcome is not known. Short: called on the channel's threads.
  void failed(TallyException why);

  /// A submission's answer, which is no problem.
  record Answered(AppendReply reply, AppendResponse response) {}
}
