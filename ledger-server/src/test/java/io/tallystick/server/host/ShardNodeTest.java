package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.BlockView;
import io.tallystick.node.CreatedLedger;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a node commits, seals, proves and answers as the design says, before and after a restart.
/// Method: real sequencer, stream, accumulator and signatures on seams in memory.
class ShardNodeTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void restart() throws Exception {
    service.close();
    open();
  }

  private RequestRejectedException refusal(ThrowingCallable call) {
    RequestRejectedException refusal = catchThrowableOfType(RequestRejectedException.class, call);
    assertThat(refusal).as("a refusal").isNotNull();
    return refusal;
  }

  @Test
  void foundsALedgerSealedByItsSecondLeaf() throws Exception {
    CreatedLedger created = service.found();
    assertThat(created.existed()).isFalse();
    assertThat(created.ledger().size()).isEqualTo(2);
    assertThat(created.ledger().height()).isZero();
    Receipt receipt = Receipt.decode(created.genesisReceipt());
    var head =
        receipt.verify(
            created.genesisLeaf(), service.fixtures.strand(), service.keys(), TestNode.SIGNATURES);
    assertThat(head.size().value()).isEqualTo(2);
    assertThat(service.found().existed()).isTrue();
  }

  @Test
  void answersSinglesAndBatchesWithReceiptsThatVerify() throws Exception {
    service.found();
    Receipted single = service.append(service.fixtures.single(1));
    Receipted batch = service.append(service.fixtures.batch(100, 50));
    assertThat(single.committed().firstJsn()).isEqualTo(2);
    assertThat(batch.committed().count()).isEqualTo(50);
    assertThat(service.verify(single).size().value()).isEqualTo(4);
    assertThat(service.verify(batch).size().value()).isEqualTo(4 + 51);
  }

  @Test
  void keepsEveryReceiptAndBlockOverARestart() throws Exception {
    service.found();
    List<Receipted> receipts = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      receipts.add(service.append(service.fixtures.single(i)));
      receipts.add(service.append(service.fixtures.batch(1000 + 10 * i, 3)));
    }
    BlockView before = service.node.newestBlock(service.fixtures.strand());
    byte[] checkpoint = service.node.checkpoint(service.fixtures.strand());
    restart();
    assertThat(service.node.newestBlock(service.fixtures.strand())).isEqualTo(before);
    assertThat(service.node.checkpoint(service.fixtures.strand())).isEqualTo(checkpoint);
    for (Receipted receipt : receipts) {
      service.verify(receipt);
      byte[] again =
          service.node.rangeReceipt(
              service.fixtures.strand(),
              receipt.committed().firstJsn(),
              receipt.committed().count());
      assertThat(Bytes.wrap(again)).isEqualTo(receipt.rangeReceipt());
    }
    assertThat(service.append(service.fixtures.single(99)).committed().firstJsn())
        .isEqualTo(before.size());
  }

  @Test
  void answersARepeatWithTheOriginalAlsoAfterARestart() throws Exception {
    service.found();
    Submission submission = service.fixtures.batch(1, 4);
    Receipted original = service.append(submission);
    Receipted repeat = service.append(submission);
    restart();
    Receipted later = service.append(submission);
    for (Receipted answer : List.of(repeat, later)) {
      assertThat(answer.committed().repeated()).isTrue();
      assertThat(answer.rangeReceipt()).isEqualTo(original.rangeReceipt());
    }
    assertThat(service.node.ledger(service.fixtures.strand().ledger()).size()).isEqualTo(7);
  }

  @Test
  void refusesARepeatWithACosignerAddedOrStripped() throws Exception {
    service.found();
    var request = service.fixtures.request(1);
    service.append(service.fixtures.submission(request, Fixtures.ALICE));
    RequestRejectedException added =
        refusal(() ->
            service.append(service.fixtures.submission(request, Fixtures.ALICE, Fixtures.BOB)));
    assertThat(added.code()).isEqualTo(RejectionCode.REPLAYED);
    var other = service.fixtures.request(2);
    service.append(service.fixtures.submission(other, Fixtures.ALICE, Fixtures.BOB));
    RequestRejectedException stripped =
        refusal(() -> service.append(service.fixtures.submission(other, Fixtures.ALICE)));
    assertThat(stripped.code()).isEqualTo(RejectionCode.REPLAYED);
    assertThat(stripped.jsn()).hasValue(4);
  }

  @Test
  void refusesTimesOutsideTheWindow() throws Exception {
    service.found();
    service.clock.addAndGet(-31_000);
    // Server time never goes back: it stays at the newest frame's.
    service.append(service.fixtures.single(1));
    service.clock.addAndGet(31_000 + 61_000);
    assertThat(refusal(() -> service.append(service.fixtures.single(2))).code())
        .isEqualTo(RejectionCode.EXPIRED);
    assertThat(refusal(() -> service.append(service.fixtures.single(1))).code())
        .isEqualTo(RejectionCode.EXPIRED);
  }

  @Test
  void letsMembersInAndOutFromTheNextJsnOn() throws Exception {
    service.found();
    Submission byCarol = service.fixtures.submission(service.fixtures.request(7), Fixtures.CAROL);
    assertThat(refusal(() -> service.append(byCarol)).code()).isEqualTo(RejectionCode.UNKNOWN_KEY);
    service.append(service.fixtures.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
    assertThat(service.append(byCarol).committed().firstJsn()).isEqualTo(4);
    restart();
    service.append(service.fixtures.memberRevoke(Fixtures.CAROL.publicKey().kid()));
    Submission late = service.fixtures.submission(service.fixtures.request(8), Fixtures.CAROL);
    assertThat(refusal(() -> service.append(late)).code()).isEqualTo(RejectionCode.REVOKED_KEY);
    assertThat(service.node.members(service.fixtures.strand().ledger()).members())
        .filteredOn(member -> member.key().equals(Fixtures.CAROL.publicKey()))
        .singleElement()
        .satisfies(member -> assertThat(member.revokedJsn()).isEqualTo(6));
  }

  @Test
  void refusesMembersTwiceAndTheLastOwnersRevocation() throws Exception {
    service.found();
    assertThat(
            refusal(() ->
                    service.append(
                        service.fixtures.memberAdd(Role.NORMAL, Fixtures.BOB.publicKey())))
                .code())
        .isEqualTo(RejectionCode.MEMBER_EXISTS);
    service.append(service.fixtures.memberRevoke(Fixtures.BOB.publicKey().kid()));
    assertThat(
            refusal(() ->
                    service.append(service.fixtures.memberRevoke(Fixtures.ALICE.publicKey().kid())))
                .code())
        .isEqualTo(RejectionCode.LAST_OWNER);
    assertThat(service.node.ledger(service.fixtures.strand().ledger()).size()).isEqualTo(4);
  }

  @Test
  void namesTheNewestWhenAskedForMore() throws Exception {
    service.found();
    var strand = service.fixtures.strand();
    assertThat(refusal(() -> service.node.journal(strand, 2, true)).limit()).hasValue(1);
    assertThat(refusal(() -> service.node.inclusion(strand, 0, 3)).code())
        .isEqualTo(RejectionCode.FUTURE_SIZE);
    assertThat(refusal(() -> service.node.blockAt(strand, 1)).code())
        .isEqualTo(RejectionCode.OUT_OF_RANGE);
  }

  @Test
  void namesTheJournalWhoseBodyIsDamagedAndServesTheRest() throws Exception {
    service.found();
    service.append(service.fixtures.single(1));
    service.append(service.fixtures.single(2));
    restart();
    Bytes payload = Bytes.utf8("payload 1");
    String segment =
        disk.names().stream().filter(name -> name.startsWith("stream/")).findFirst().orElseThrow();
    byte[] content = disk.content(segment);
    int at = indexOf(content, payload.toArray());
    disk.flipBit(segment, at, 0);
    var strand = service.fixtures.strand();
    RequestRejectedException damaged = refusal(() -> service.node.journal(strand, 2, true));
    assertThat(damaged.code()).isEqualTo(RejectionCode.DAMAGED);
    assertThat(damaged.jsn()).hasValue(2);
    assertThat(service.node.journal(strand, 4, true).bodyState()).isEqualTo(BodyState.PRESENT);
    restart();
    assertThat(service.append(service.fixtures.single(3)).committed().firstJsn()).isEqualTo(6);
  }

  @Test
  void signsCheckpointsThatVerify() throws Exception {
    service.found();
    service.append(service.fixtures.batch(1, 10));
    var strand = service.fixtures.strand();
    var head =
        Checkpoint.verify(
            Bytes.wrap(service.node.checkpoint(strand)),
            strand,
            service.keys(),
            TestNode.SIGNATURES);
    assertThat(head.root().digest()).isEqualTo(service.node.newestBlock(strand).root());
  }

  @Test
  void walksTheWholeLogInOrder() throws Exception {
    service.found();
    service.append(service.fixtures.single(1));
    service.append(service.fixtures.batch(10, 5));
    List<Digest> hashes = new ArrayList<>();
    service.node.readLog(
        service.fixtures.strand(),
        0,
        0,
        true,
        (jsn, leaf, attestation, ops, state, salt, body) -> {
          assertThat(jsn).isEqualTo(hashes.size());
          return hashes.add(io.tallystick.merkle.TreeHasher.leafHash(leaf));
        });
    assertThat(io.tallystick.merkle.TreeHasher.rootOverLeafHashes(hashes))
        .isEqualTo(service.node.newestBlock(service.fixtures.strand()).root());
  }

  @Test
  void walksNoFurtherThanTheVisitorWants() throws Exception {
    service.found();
    service.append(service.fixtures.batch(1, 5));
    List<Long> seen = new ArrayList<>();
    // A seal, a journal, and the last journal of a batch.
    for (long last : List.of(1L, 3L, 6L)) {
      seen.clear();
      service.node.readLog(
          service.fixtures.strand(),
          0,
          0,
          true,
          (jsn, leaf, attestation, ops, state, salt, body) -> {
            seen.add(jsn);
            return jsn < last;
          });
      assertThat(seen).hasSize((int) last + 1).last().isEqualTo(last);
    }
  }

  private static int indexOf(byte[] content, byte[] wanted) {
    for (int i = 0; i <= content.length - wanted.length; i++) {
      if (java.util.Arrays.equals(content, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    throw new AssertionError("not found");
  }
}
