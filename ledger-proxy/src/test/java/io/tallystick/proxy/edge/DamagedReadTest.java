package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.testkit.Fixtures;
import java.util.Iterator;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a damaged journal takes nothing that stands before it along, and is named. Method: a
/// founded ledger whose second leaf cannot be told, behind a real channel.
class DamagedReadTest {
  private static final long DAMAGED = 1;

  private final MemoryNode node = new MemoryNode();
  private final Fixtures ledger = Fixtures.ledger(System.currentTimeMillis());
  private final ByteString id = TestFront.id(ledger);
  private TestFront front;

  @BeforeEach
  void start() throws Exception {
    front = new TestFront(node);
    front.create(ledger);
    node.damagedJsn = DAMAGED;
  }

  @AfterEach
  void stop() {
    front.close();
  }

  @Test
  void streamsTheLogUpToTheDamageAndNamesIt() {
    Iterator<LogChunk> chunks =
        front.journals.readLog(ReadLogRequest.newBuilder().setLedgerId(id).build());
    assertThat(chunks.next().getEntriesCount()).isEqualTo(1);
    assertThat(problem(chunks::next).getJsn()).isEqualTo(DAMAGED);
  }

  @Test
  void endsAPageBeforeTheDamageAndRefusesTheNext() {
    ListJournalsRequest all = ListJournalsRequest.newBuilder().setLedgerId(id).build();
    ListJournalsResponse page = front.journals.listJournals(all);
    assertThat(page.getJournalsCount()).isEqualTo(1);
    ListJournalsRequest next = all.toBuilder().setFromJsn(DAMAGED).build();
    assertThat(problem(() -> front.journals.listJournals(next)).getJsn()).isEqualTo(DAMAGED);
  }

  private static Problem problem(Runnable call) {
    StatusRuntimeException failure =
        Assertions.catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(failure).isNotNull();
    Problem problem = TestFront.problem(failure);
    assertThat(problem.getCode()).isEqualTo("damaged");
    return problem;
  }
}
