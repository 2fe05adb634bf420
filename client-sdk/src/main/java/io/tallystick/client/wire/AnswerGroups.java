package io.tallystick.client.wire;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.client.wire.AppendReply.Answered;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The answers of one message, sorted into those that share a receipt: an answer that is receipted
/// without a receipt of its own belongs to the one before it.
final class AnswerGroups {
  record Refused(Submission submission, AppendResponse response) {}

  private static final class Group {
    final List<Submission> submissions = new ArrayList<>();
    final List<Answered> answers = new ArrayList<>();
    boolean incomplete;
  }

  private final List<Group> groups = new ArrayList<>();
  private final List<Refused> refused = new ArrayList<>();
  private @Nullable Group current;
  private int refusedPermits;

  /// @param submission it answers; null if nobody waits for it any more
  void add(@Nullable Submission submission, AppendResponse response) {
    if (response.hasProblem()) {
      current = null;
      if (submission != null) {
        refused.add(new Refused(submission, response));
        refusedPermits += submission.permits;
      }
      return;
    }
    if (current == null || !sharesReceipt(response)) {
      current = new Group();
      groups.add(current);
    }
    if (submission == null) {
      current.incomplete = true;
    } else {
      current.submissions.add(submission);
      current.answers.add(new Answered(submission.reply, response));
    }
  }

  private static boolean sharesReceipt(AppendResponse response) {
    return response.hasReceipted() && response.getReceipted().getRangeReceipt().isEmpty();
  }

  List<Refused> refused() {
    return refused;
  }

  /// Whose receipt covers journals that are not known any more.
  List<Submission> orphans() {
    List<Submission> orphans = new ArrayList<>();
    for (Group group : groups) {
      if (group.incomplete) {
        orphans.addAll(group.submissions);
      }
    }
    return orphans;
  }

  List<List<Answered>> complete() {
    List<List<Answered>> complete = new ArrayList<>();
    for (Group group : groups) {
      if (!group.incomplete) {
        complete.add(group.answers);
      }
    }
    return complete;
  }

  /// The permits that all submissions but the orphans held.
  int permits() {
    int permits = refusedPermits;
    for (Group group : groups) {
      if (!group.incomplete) {
        for (Submission submission : group.submissions) {
          permits += submission.permits;
        }
      }
    }
    return permits;
  }
}
