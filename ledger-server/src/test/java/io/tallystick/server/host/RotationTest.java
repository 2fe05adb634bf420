package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.BlockView;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: after an owner has rotated a ledger's service keys, every receipt and checkpoint of any
/// time verifies by the ledger's key chain, also after a restart, and no other ledger is touched.
/// Method: a node that holds two pairs; what it answers is verified by its key chain alone.
class RotationTest {
  private static final long MONTH_MS = Duration.ofDays(30).toMillis();
  private static final Extension.KeyRotation NEXT =
      to(Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey());

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger();
  private ShardConfig config = TestNode.CONFIG;
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(disk, meta, config);
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  private void reopen() throws Exception {
    close();
    open();
  }

  private static Extension.KeyRotation to(PublicKey noteKey, PublicKey receiptKey) {
    return new Extension.KeyRotation(noteKey, receiptKey);
  }

  private Receipted rotate(Extension.KeyRotation keys, SeededSigner... signers) throws Exception {
    return service.append(ledger, ledger.govern(Kind.KEY_ROTATION, keys, signers));
  }

  private ServiceKeys keys(Fixtures of) throws Exception {
    ServiceKeys proven = service.provenKeys(of);
    assertThat(service.node.serviceKeys(of.strand().ledger())).isEqualTo(proven);
    return proven;
  }

  private void refused(Submission submission, RejectionCode code, String why) throws Exception {
    long size = service.node.newestSize(ledger.strand());
    RequestRejectedException refusal =
        catchThrowableOfType(
            RequestRejectedException.class, () -> service.append(ledger, submission));
    assertThat(refusal).as(why).isNotNull();
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
    assertThat(refusal).hasMessageContaining(why);
    assertThat(service.node.newestSize(ledger.strand())).isEqualTo(size);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100_000})
  void everyReceiptOfBeforeDuringAndAfterVerifiesAlsoAfterARestart(int savepoint) throws Exception {
    config = TestNode.CONFIG.withSavepointEvery(savepoint, 3_600_000);
    reopen();
    service.found(ledger);
    List<AppendTicket> tickets = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      if (i == 60) {
        tickets.add(
            service.node.append(
                service.verify(ledger, ledger.govern(Kind.KEY_ROTATION, NEXT, Fixtures.ALICE))));
      }
      tickets.add(service.node.append(service.verify(ledger, ledger.single(i))));
    }
    List<Receipted> receipts = new ArrayList<>();
    for (AppendTicket ticket : tickets) {
      receipts.add(TestNode.await(ticket));
    }
    long rotation = receipts.get(60).committed().firstJsn();
    BlockView block = service.node.blockOf(ledger.strand(), rotation);
    assertThat(block.firstJsn()).isEqualTo(rotation);
    assertThat(block.sealJsn()).isEqualTo(rotation + 1);
    checkAll(receipts, rotation);
    Bytes chain = service.node.keyChain(ledger.strand().ledger()).encode();
    reopen();
    assertThat(service.node.keyChain(ledger.strand().ledger()).encode()).isEqualTo(chain);
    checkAll(receipts, rotation);
    assertThat(rotate(NEXT, Fixtures.ALICE).committed().repeated()).isTrue();
    SignedHead newest = service.verify(ledger, service.append(ledger, ledger.single(500)));
    assertThat(newest.size().value()).isGreaterThan(rotation + 2);
  }

  private void checkAll(List<Receipted> receipts, long rotation) throws Exception {
    int old = 0;
    for (Receipted receipt : receipts) {
      SignedHead head = service.verify(ledger, receipt);
      old += head.size().value() <= rotation + 2 ? 1 : 0;
      byte[] again =
          service.node.rangeReceipt(
              ledger.strand(), receipt.committed().firstJsn(), receipt.committed().count());
      assertThat(Bytes.wrap(again)).isEqualTo(receipt.rangeReceipt());
    }
    assertThat(old).isEqualTo(61);
    assertThat(keys(ledger).terms()).hasSize(2);
    assertThat(keys(ledger).terms().getLast().above().value()).isEqualTo(rotation + 2);
  }

  private void checkNote(boolean oldKey, boolean newKey) throws Exception {
    Bytes note = Bytes.wrap(service.node.checkpoint(ledger.strand()));
    SignedHead head = Checkpoint.verify(note, ledger.strand(), keys(ledger), TestNode.SIGNATURES);
    assertThat(head.size().value()).isEqualTo(service.node.newestSize(ledger.strand()));
    assertThat(signedBy(note, Fixtures.NOTE)).as("a line of the old key").isEqualTo(oldKey);
    assertThat(signedBy(note, Fixtures.NEXT_NOTE)).as("a line of the new key").isEqualTo(newKey);
  }

  private boolean signedBy(Bytes note, SeededSigner key) throws Exception {
    String origin = ledger.params().origin(0);
    try {
      SignedNote.decode(note).verify(new NoteKey(origin, key.publicKey()), TestNode.SIGNATURES);
      return true;
    } catch (ProofRejectedException e) {
      assertThat(e.reason()).isEqualTo(ProofRejectedException.Reason.WRONG_KEY);
      return false;
    }
  }

  @Test
  void notesHaveLinesOfBothKeysForThirtyDays() throws Exception {
    service.found(ledger);
    checkNote(true, false);
    rotate(NEXT, Fixtures.ALICE);
    checkNote(true, true);
    service.append(ledger, ledger.single(1));
    checkNote(true, true);
    service.clock.addAndGet(MONTH_MS);
    service.append(dated(MONTH_MS), dated(MONTH_MS).single(2));
    checkNote(true, true);
    service.clock.addAndGet(1);
    service.append(dated(MONTH_MS + 1), dated(MONTH_MS + 1).single(3));
    checkNote(false, true);
  }

  private Fixtures dated(long laterMs) {
    return new Fixtures(ledger.params(), Fixtures.TIME_MS + laterMs);
  }

  @Test
  void aLedgerWhoseOwnerIsAbsentKeepsTheOldPair() throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 1);
    service.found(ledger);
    service.found(other);
    rotate(NEXT, Fixtures.ALICE);
    service.verify(other, service.append(other, other.single(1)));
    assertThat(keys(other)).isEqualTo(service.keys());
    service.verify(ledger, service.append(ledger, ledger.single(1)));
    assertThat(keys(ledger)).isNotEqualTo(service.keys());
    reopen();
    service.verify(other, service.append(other, other.single(2)));
    assertThat(keys(other)).isEqualTo(service.keys());
  }

  @Test
  void eitherKeyMayBeRotatedAlone() throws Exception {
    service.found(ledger);
    PublicKey receiptKey = Fixtures.RECEIPT.publicKey();
    long first =
        rotate(to(Fixtures.NEXT_NOTE.publicKey(), receiptKey), Fixtures.ALICE)
            .committed()
            .firstJsn();
    service.verify(ledger, service.append(ledger, ledger.single(1)));
    assertThat(keys(ledger).receiptKey()).isEqualTo(receiptKey);
    checkNote(true, true);
    long second = rotate(NEXT, Fixtures.BOB).committed().firstJsn();
    service.verify(ledger, service.append(ledger, ledger.single(2)));
    assertThat(keys(ledger).terms())
        .extracting(term -> term.above().value())
        .containsExactly(0L, first + 2, second + 2);
    checkNote(true, true);
    reopen();
    checkNote(true, true);
    assertThat(keys(ledger).terms()).hasSize(3);
  }

  /// Of Carol, whom Alice made an owner, and who was made less afterwards.
  @Test
  void theChainShowsHowTheSignerBecameAnOwner() throws Exception {
    service.found(ledger);
    service.append(ledger, ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
    service.append(ledger, carol(Role.OWNER, Fixtures.ALICE));
    rotate(NEXT, Fixtures.CAROL);
    assertThat(service.node.keyChain(ledger.strand().ledger()).entries()).hasSize(3);
    assertThat(keys(ledger).terms()).hasSize(2);
    service.append(ledger, carol(Role.NORMAL, Fixtures.BOB));
    assertThat(service.node.keyChain(ledger.strand().ledger()).entries()).hasSize(3);
    assertThat(keys(ledger).terms()).hasSize(2);
  }

  private Submission carol(Role role, SeededSigner by) {
    return ledger.govern(
        Kind.GRANT,
        new Extension.Grant(
            role,
            Fixtures.CAROL.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.empty()),
        by);
  }

  @Test
  void refusesKeysAndSignersThatMayNot() throws Exception {
    service.found(ledger);
    service.append(ledger, ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
    refused(
        ledger.govern(Kind.KEY_ROTATION, NEXT, Fixtures.CAROL),
        RejectionCode.ROLE_NOT_ALLOWED,
        "owner");
    refused(ledger.rotation(), RejectionCode.WRONG_TYPE, "service-request");
    PublicKey strange = SeededSigner.ed25519("of no pair").publicKey();
    refused(
        rotation(to(Fixtures.NEXT_NOTE.publicKey(), strange)),
        RejectionCode.KEY_NOT_ALLOWED,
        "tally keys new");
    refused(
        rotation(to(Fixtures.NOTE.publicKey(), Fixtures.RECEIPT.publicKey())),
        RejectionCode.KEY_NOT_ALLOWED,
        "neither key");
    refused(
        rotation(to(Fixtures.CAROL.publicKey(), Fixtures.NEXT_RECEIPT.publicKey())),
        RejectionCode.KEY_NOT_ALLOWED,
        "member");
    rotate(NEXT, Fixtures.ALICE);
    refused(
        rotation(to(Fixtures.NOTE.publicKey(), Fixtures.RECEIPT.publicKey())),
        RejectionCode.KEY_NOT_ALLOWED,
        "service key before");
    for (SeededSigner key : List.of(Fixtures.NOTE, Fixtures.RECEIPT, Fixtures.NEXT_NOTE)) {
      refused(
          ledger.memberAdd(Role.NORMAL, key.publicKey()),
          RejectionCode.KEY_NOT_ALLOWED,
          "service key");
    }
    reopen();
    refused(
        ledger.memberAdd(Role.REGULATOR, Fixtures.RECEIPT.publicKey()),
        RejectionCode.KEY_NOT_ALLOWED,
        "service key");
  }

  private Submission rotation(Extension.KeyRotation keys) {
    return ledger.govern(Kind.KEY_ROTATION, keys, Fixtures.ALICE);
  }
}
