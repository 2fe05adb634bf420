package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.LogEntry;
import io.tallystick.api.v1.ReadLogRequest;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.model.Authority;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what only history can tell (repeats, revoked keys) is told over the wire too, and a log
/// reads the same after a restart. Method: the front before a node on a real directory.
class RealNodeTest {
  @TempDir private Path directory;
  private LocalNode node;
  private TestFront front;
  private Fixtures ledger;
  private LedgerId id;

  @BeforeEach
  void start() throws Exception {
    open();
    ServiceIdentity identity = node.node().identity();
    ledger =
        Fixtures.ledger(
            node.node().timeMs(),
            identity.authority().value(),
            identity.noteKey(),
            identity.receiptKey());
    id = ledger.params().ledgerId();
    assertThat(front.create(ledger).getExisted()).isFalse();
  }

  private void open() throws Exception {
    node =
        LocalNode.open(
            directory,
            new Authority("localhost"),
            NodeSeams.production(GpuMode.OFF),
            SignatureProviders.best(),
            new SimpleMeterRegistry());
    front = new TestFront(node.node());
  }

  @AfterEach
  void stop() throws Exception {
    front.close();
    node.close();
  }

  private AppendResponse append(Submission submission) throws InterruptedException {
    AppendClient client = AppendClient.open(front.channel);
    client.send(TestFront.append(1, id, submission));
    AppendResponse answer = client.nextAnswer();
    client.requests().onCompleted();
    return answer;
  }

  @Test
  void answersARepeatWithItsJsnsAndRefusesPartlyRepeatedSignatures() throws Exception {
    AppendResponse first = append(ledger.single(1));
    assertThat(first.getReceipted().getRepeated()).isFalse();
    AppendResponse again = append(ledger.single(1));
    assertThat(again.getReceipted().getRepeated()).isTrue();
    assertThat(again.getReceipted().getFirstJsn()).isEqualTo(first.getReceipted().getFirstJsn());
    assertThat(again.getReceipted().getRangeReceipt())
        .isEqualTo(first.getReceipted().getRangeReceipt());
    AppendResponse cosigned =
        append(ledger.submission(ledger.request(1), Fixtures.ALICE, Fixtures.BOB));
    assertThat(cosigned.getProblem().getCode()).isEqualTo("replayed");
  }

  @Test
  void refusesAKeyOnceItIsRevokedThoughItIsCached() throws Exception {
    assertThat(append(ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey())).hasReceipted())
        .isTrue();
    assertThat(append(ledger.submission(ledger.request(1), Fixtures.CAROL)).hasReceipted())
        .isTrue();
    assertThat(append(ledger.memberRevoke(Fixtures.CAROL.publicKey().kid())).hasReceipted())
        .isTrue();
    AppendResponse refused = append(ledger.submission(ledger.request(2), Fixtures.CAROL));
    assertThat(refused.getProblem().getCode()).isEqualTo("revoked_key");
    assertThat(front.refusals("revoked_key")).isEqualTo(1);
  }

  @Test
  void readsTheSameLogAfterARestart() throws Exception {
    assertThat(append(ledger.batch(1, 50)).getReceipted().getCount()).isEqualTo(50);
    assertThat(append(ledger.single(60)).hasReceipted()).isTrue();
    List<LogChunk> before = readLog();
    front.close();
    node.close();
    open();
    assertThat(readLog()).isEqualTo(before);
    List<LogEntry> entries =
        before.stream().flatMap(chunk -> chunk.getEntriesList().stream()).toList();
    // Genesis and 51 journals, each block with its seal.
    assertThat(entries).hasSize(55);
    assertThat(entries.stream().filter(entry -> !entry.getAttestation().isEmpty())).hasSize(3);
    assertThat(before.getLast().getHeadReceipt().isEmpty()).isFalse();
    assertThat(before.getLast().getCheckpoint().toStringUtf8()).contains("\n55\n");
    assertThat(
            front
                .journals
                .getReceipt(
                    GetReceiptRequest.newBuilder()
                        .setLedgerId(TestFront.id(ledger))
                        .setJsn(7)
                        .build())
                .getLeaf())
        .isEqualTo(entries.get(7).getLeaf());
    assertThat(
            front
                .journals
                .getInclusionProof(
                    GetInclusionProofRequest.newBuilder()
                        .setLedgerId(TestFront.id(ledger))
                        .setJsn(7)
                        .build())
                .getPathCount())
        .isEqualTo(6);
  }

  private List<LogChunk> readLog() {
    List<LogChunk> chunks = new ArrayList<>();
    front
        .journals
        .readLog(ReadLogRequest.newBuilder().setLedgerId(TestFront.id(ledger)).build())
        .forEachRemaining(chunks::add);
    return chunks;
  }
}
