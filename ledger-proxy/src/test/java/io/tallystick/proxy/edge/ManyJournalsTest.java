package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.Problem;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: many journals asked for at once are each answered by themselves, in the order asked for,
/// and no more than a message takes. Method: a small ledger behind a real channel.
class ManyJournalsTest {
  private static final int BIG_BYTES = 500_000;

  private final MemoryNode node = new MemoryNode();
  private final Fixtures ledger = Fixtures.ledger(System.currentTimeMillis());
  private final ByteString id = TestFront.id(ledger);
  private TestFront front;

  @BeforeEach
  void start() throws Exception {
    front = new TestFront(node);
    front.create(ledger);
  }

  @AfterEach
  void stop() {
    front.close();
  }

  private void append(Submission submission) throws InterruptedException {
    AppendClient client = AppendClient.open(front.channel);
    client.send(TestFront.append(1, ledger.params().ledgerId(), submission));
    assertThat(client.nextAnswer().hasReceipted()).isTrue();
    client.requests().onCompleted();
  }

  private GetJournalsRequest.Builder request(List<Long> jsns) {
    return GetJournalsRequest.newBuilder().setLedgerId(id).addAllJsn(jsns);
  }

  private List<JournalAnswer> answers(List<Long> jsns) {
    return front.journals.getJournals(request(jsns).build()).getAnswersList();
  }

  @Test
  void answersEachByItselfAndInOrder() throws Exception {
    append(ledger.batch(1, 5));
    List<Long> jsns = List.of(6L, 0L, 99L, 7L, 6L, -1L, 2L);

    List<JournalAnswer> answers = answers(jsns);

    assertThat(answers).hasSize(jsns.size());
    for (int i = 0; i < jsns.size(); i++) {
      if (jsns.get(i) == 99 || jsns.get(i) == -1) {
        assertThat(answers.get(i).getProblem().getCode())
            .isEqualTo(RejectionCode.OUT_OF_RANGE.wire());
      } else {
        var alone =
            front.journals.getJournal(
                GetJournalRequest.newBuilder().setLedgerId(id).setJsn(jsns.get(i)).build());
        assertThat(answers.get(i).getJournal()).isEqualTo(alone);
        assertThat(alone.getInclusion().isEmpty()).isFalse();
      }
    }
  }

  @Test
  void answersOnlyAsManyAsAMessageTakes() throws Exception {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      requests.add(
          RequestDraft.append(
                  ledger.strand(),
                  Bytes.wrap(new byte[BIG_BYTES]),
                  "",
                  ledger.timeMs(),
                  Fixtures.bytes32("big " + i))
              .build());
    }
    append(ledger.submission(requests, Fixtures.ALICE));

    assertThat(answers(List.of(0L, 2L, 3L, 4L))).hasSize(3);
  }

  @Test
  void answersTheOthersWhenOneIsDamaged() {
    node.damagedJsn = 1;

    List<JournalAnswer> answers = answers(List.of(1L, 0L));

    assertThat(answers.getFirst().getProblem().getCode()).isEqualTo(RejectionCode.DAMAGED.wire());
    assertThat(answers.getFirst().getProblem().getJsn()).isEqualTo(1);
    assertThat(answers.getLast().getJournal().getJsn()).isEqualTo(0);
  }

  @Test
  void refusesNoneTooManyAndATreeThatIsNotThere() {
    assertThat(refused(request(List.of())).getCode()).isEqualTo(RejectionCode.MALFORMED.wire());
    Problem many = refused(request(Collections.nCopies(1001, 0L)));
    assertThat(many.getCode()).isEqualTo(RejectionCode.TOO_LARGE.wire());
    assertThat(many.getLimit()).isEqualTo(1000);
    assertThat(refused(request(List.of(0L)).setSize(9)).getCode())
        .isEqualTo(RejectionCode.FUTURE_SIZE.wire());
  }

  private Problem refused(GetJournalsRequest.Builder request) {
    StatusRuntimeException failure =
        catchThrowableOfType(
            StatusRuntimeException.class, () -> front.journals.getJournals(request.build()));
    return TestFront.problem(failure);
  }
}
