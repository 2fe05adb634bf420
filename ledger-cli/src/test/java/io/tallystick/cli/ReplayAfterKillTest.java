package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Receipted;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientKey;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.RejectionCode;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service that was killed remembers every signature that could still be repeated, from its
/// first request on. Method: append singles, batches and co-signed requests, some before a
/// savepoint and some behind it; SIGKILL; start again; send everything once more, byte for byte,
/// and some of it with other signers.
class ReplayAfterKillTest {
  private static final long WINDOW_MS = 10 * 60_000;
  private static final int SINGLES = 120;
  private static final int BATCHES = 10;
  private static final int PER_BATCH = 30;

  private record Sent(AppendRequest request, Receipted answer) {}

  @TempDir private Path home;
  private final List<Sent> sent = new ArrayList<>();

  private ServiceProcess start() throws Exception {
    return ServiceProcess.start(home.resolve("data"), home.resolve("service.log"), 0);
  }

  private void send(BareLedger ledger, Submission submission) throws Exception {
    AppendRequest request = ledger.request(submission).build();
    AppendResponse answer = ledger.append(request);
    assertThat(answer.hasReceipted()).as(answer.toString()).isTrue();
    sent.add(new Sent(request, answer.getReceipted()));
  }

  @Test
  void answersEveryRepeatWithItsOriginalRightAfterAKill() throws Exception {
    SignedRequest byAlice;
    SignedRequest byBoth;
    ServiceProcess service = start();
    BareLedger ledger = new BareLedger(service.target(), WINDOW_MS);
    try (service) {
      byAlice = ledger.lasting(1).build();
      byBoth = ledger.lasting(2).build();
      send(ledger, ledger.founded.submission(byAlice, Fixtures.ALICE));
      send(ledger, ledger.founded.submission(byBoth, Fixtures.ALICE, Fixtures.BOB));
      for (int i = 0; i < BATCHES; i++) {
        List<SignedRequest> batch = new ArrayList<>();
        for (int k = 0; k < PER_BATCH; k++) {
          batch.add(ledger.lasting(1000 + i * PER_BATCH + k).build());
        }
        send(ledger, ledger.founded.submission(batch, Fixtures.ALICE));
      }
      for (int i = 0; i < SINGLES; i++) {
        send(ledger, ledger.founded.submission(ledger.lasting(10 + i).build(), Fixtures.ALICE));
      }
      service.kill();
    }
    long sizeBefore = sent.getLast().answer().getFirstJsn() + 2;
    try (ServiceProcess again = start();
        BareLedger same = ledger.at(again.target())) {
      for (Sent one : sent) {
        AppendResponse answer = same.append(one.request());
        assertThat(answer.hasReceipted()).as(answer.toString()).isTrue();
        assertThat(answer.getReceipted().getRepeated()).isTrue();
        assertThat(answer.getReceipted().getFirstJsn()).isEqualTo(one.answer().getFirstJsn());
        assertThat(answer.getReceipted().getCount()).isEqualTo(one.answer().getCount());
        assertThat(answer.getReceipted().getTimeMs()).isEqualTo(one.answer().getTimeMs());
      }
      Fixtures client = same.founded;
      refusedAsReplayed(same, client.submission(byAlice, Fixtures.ALICE, Fixtures.BOB));
      refusedAsReplayed(same, client.submission(byBoth, Fixtures.BOB));
      assertThat(same.size()).isEqualTo(sizeBefore);
      Audits.pass(again.target(), same.id(), ClientKey.of(Fixtures.ALICE));
    } finally {
      ledger.close();
    }
  }

  private static void refusedAsReplayed(BareLedger ledger, Submission submission) throws Exception {
    assertThat(ledger.append(submission).getProblem().getCode())
        .isEqualTo(RejectionCode.REPLAYED.wire());
  }
}
