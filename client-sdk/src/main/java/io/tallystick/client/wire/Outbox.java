package io.tallystick.client.wire;

import io.tallystick.api.v1.AppendRequest;
import java.util.ArrayList;
import java.util.List;

/// Submissions waiting to share a message. Under load many go together, since a message costs more
/// than a small submission does; when little is in flight nobody waits for company. Guarded by the
/// pipe's lock.
final class Outbox {
  /// How long a submission waits for company at most; the pipe sees to it.
  static final long LINGER_NANOS = 500_000;

  private static final int MESSAGE_SUBMISSIONS_MAX = 256;
  private static final int MESSAGE_BYTES = 128 << 10;

  /// A message is full at this part of what is in flight: then the service always has others to
  /// work at while one is gathered.
  private static final int IN_FLIGHT_SHARE = 16;

  private List<Submission> waiting = new ArrayList<>();
  private long bytes;

  void add(Submission submission) {
    submission.packing = true;
    waiting.add(submission);
    bytes += submission.permits;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /// @param inFlight submissions unanswered, those in here included
  boolean isFull(int inFlight) {
    int enough = Math.clamp(inFlight / IN_FLIGHT_SHARE, 1, MESSAGE_SUBMISSIONS_MAX);
    return waiting.size() >= enough || bytes >= MESSAGE_BYTES;
  }

  /// Takes all that waits, to be sent now.
  List<Submission> take() {
    List<Submission> taken = waiting;
    waiting = new ArrayList<>(taken.size());
    bytes = 0;
    for (Submission submission : taken) {
      submission.packing = false;
      submission.attempts++;
    }
    return taken;
  }

  /// It is given up before it was sent.
  void remove(Submission submission) {
    if (submission.packing && waiting.remove(submission)) {
      submission.packing = false;
      bytes -= submission.permits;
    }
  }

  void clear() {
    waiting.forEach(submission -> submission.packing = false);
    waiting.clear();
    bytes = 0;
  }

  /// @param submissions at least one
  static AppendRequest message(List<Submission> submissions) {
    AppendRequest first = submissions.getFirst().request;
    if (submissions.size() == 1) {
      return first;
    }
    AppendRequest.Builder message = first.toBuilder();
    for (Submission further : submissions.subList(1, submissions.size())) {
      message.addMore(further.request);
    }
    return message.build();
  }
}
