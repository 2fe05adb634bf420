package io.tallystick.proxy.edge;

import io.tallystick.api.v1.GetJournalsResponse;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.read.LogPage;
import io.tallystick.proxy.read.PageLimit;
import java.util.List;

/// Journals read alone, each with the proof that it stands in the tree of `size` leaves.
///
/// @param size 0 for the newest signed size
record JournalReads(LedgerNode node, StrandId strand, long size) {
  /// @param unsigned as the wire has it
  JournalEntry read(long unsigned) throws RequestRejectedException {
    long jsn = FromProto.position("jsn", unsigned);
    return ToProto.journal(node.provenJournal(strand, jsn, size));
  }

  /// As many as a message takes. What is wrong with one is its answer; what is wrong with the
  /// question, or with the node, is the whole call's.
  GetJournalsResponse read(List<Long> jsns, Calls calls) throws RequestRejectedException {
    if (jsns.isEmpty() || jsns.size() > PageLimit.MAX) {
      throw new RequestRejectedException(
              jsns.isEmpty() ? RejectionCode.MALFORMED : RejectionCode.TOO_LARGE,
              jsns.size() + " journals asked for, want 1 to " + PageLimit.MAX)
          .withLimit(PageLimit.MAX);
    }
    GetJournalsResponse.Builder response = GetJournalsResponse.newBuilder();
    long bytes = 0;
    for (int i = 0; i < jsns.size() && bytes < LogPage.BYTES_WANTED; i++) {
      JournalAnswer answer = answer(jsns.get(i), calls);
      bytes += answer.getSerializedSize();
      response.addAnswers(answer);
    }
    return response.build();
  }

  private JournalAnswer answer(long jsn, Calls calls) throws RequestRejectedException {
    JournalAnswer.Builder answer = JournalAnswer.newBuilder();
    try {
      return answer.setJournal(read(jsn)).build();
    } catch (RequestRejectedException refusal) {
      boolean itsOwn =
          switch (refusal.code()) {
            case OUT_OF_RANGE, DAMAGED, ERASED -> true;
            default -> false;
          };
      if (!itsOwn) {
        throw refusal;
      }
      return answer.setProblem(calls.submissionProblem(refusal)).build();
    }
  }
}
