package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.JournalView;
import io.tallystick.node.ProvenJournal;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Goal: a journal that is read alone comes with proofs that core's verifiers accept, its place in
/// the log's tree of any size and its own share of its batch's signature; and damage to a neighbour
/// never makes a proof that would be refused. Method: batches of every shape around the groups that
/// are kept, first reads and repeated ones.
class MemberProofTest {
  private static final StrandId STRAND = Fixtures.ledger().strand();
  private static final int[] BATCHES = {2, 3, 7, 8, 9, 15, 16, 17, 31, 64, 65, 100};

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Signatures signatures = SignatureProviders.best();

  @Test
  void provesEveryMemberOfBatchesOfEveryShape() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      int sequence = 1;
      for (int count : BATCHES) {
        service.append(service.fixtures.batch(sequence, count));
        sequence += count;
      }
      service.append(service.fixtures.single(sequence));
      long size = service.node.newestBlock(STRAND).size();
      for (int round = 0; round < 2; round++) {
        for (long jsn = 0; jsn < size; jsn++) {
          check(service, jsn, 0);
        }
      }
    }
    try (TestNode service = new TestNode(disk, meta)) {
      check(service, 5, 0);
    }
  }

  @Test
  void provesAJournalInAnyOlderTreeThatHoldsIt() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.batch(1, 40));
      service.append(service.fixtures.batch(41, 9));
      long newest = service.node.newestBlock(STRAND).size();
      for (long size = 4; size <= newest; size++) {
        check(service, 3, size);
      }
      assertRefused(RejectionCode.FUTURE_SIZE, service, 3, newest + 1);
      assertRefused(RejectionCode.OUT_OF_RANGE, service, 3, 3);
      assertRefused(RejectionCode.OUT_OF_RANGE, service, newest, 0);
      assertRefused(RejectionCode.OUT_OF_RANGE, service, -1, 0);
    }
  }

  private static void assertRefused(RejectionCode code, TestNode service, long jsn, long size) {
    assertThatThrownBy(() -> service.node.provenJournal(STRAND, jsn, size))
        .isInstanceOfSatisfying(
            RequestRejectedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private void check(TestNode service, long jsn, long size) throws Exception {
    ProvenJournal proven = service.node.provenJournal(STRAND, jsn, size);
    JournalView view = proven.journal();
    Leaf leaf = Leaf.decode(view.leaf());
    assertThat(leaf.jsn().value()).isEqualTo(jsn);
    InclusionProof inclusion = proven.inclusion();
    assertThat(inclusion.index()).isEqualTo(jsn);
    if (size == 0) {
      BlockView newest = service.node.newestBlock(STRAND);
      assertThat(inclusion.size()).isEqualTo(newest.size());
      inclusion.verify(TreeHasher.leafHash(view.leaf()), new JournalRoot(newest.root()));
    } else {
      assertThat(service.node.inclusion(STRAND, jsn, size))
          .isEqualTo(new ProvenLeaf(TreeHasher.leafHash(view.leaf()), inclusion));
    }
    if (leaf instanceof JournalLeaf journal && journal.batchCount() > 1) {
      checkMember(journal, view);
    } else {
      assertThat(view.batchProof()).isNull();
    }
  }

  private void checkMember(JournalLeaf leaf, JournalView view) throws Exception {
    Bytes attestation = Objects.requireNonNull(view.attestation());
    InclusionProof proof = Objects.requireNonNull(view.batchProof());
    CoseSign1 own =
        Attestation.decode(attestation)
            .signatures()
            .getFirst()
            .withInclusionProof(InclusionProofBytes.encode(proof));
    InclusionProof at =
        BatchMemberProof.verify(
            own, STRAND, RequestHeader.hash(leaf.header()), Fixtures.ALICE.publicKey(), signatures);
    assertThat(at.index()).isEqualTo(leaf.batchIndex());
    assertThat(at.size()).isEqualTo(leaf.batchCount());
  }

  /// The leaf hash comes from the tree.
  @Test
  void provesTheLeafHashOfAJournalThatIsDamagedInTheStream() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.batch(1, 20));
      Bytes leaf = service.node.journal(STRAND, 5, false).leaf();
      damageHeader(5);
      assertRefused(RejectionCode.DAMAGED, service, 5, 0);
      ProvenLeaf proven = service.node.inclusion(STRAND, 5, 0);
      assertThat(proven.leafHash()).isEqualTo(TreeHasher.leafHash(leaf));
      JournalRoot root = new JournalRoot(service.node.newestBlock(STRAND).root());
      proven.inclusion().verify(proven.leafHash(), root);
    }
  }

  /// Before the batch was read first, and after.
  @Test
  void refusesAMemberWhoseNeighboursHeaderIsDamaged() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      service.append(service.fixtures.batch(1, 20));
      service.append(service.fixtures.batch(21, 20));
      check(service, 2, 0);
      damageHeader(3);
      damageHeader(2 + 21 + 1);
      assertRefused(RejectionCode.DAMAGED, service, 2, 0);
      check(service, 2 + 10, 0);
      assertRefused(RejectionCode.DAMAGED, service, 2 + 21, 0);
      assertRefused(RejectionCode.DAMAGED, service, 2 + 21 + 10, 0);
    }
  }

  /// Flips a bit in the last byte of a stored header.
  private void damageHeader(long jsn) throws Exception {
    StoredStream stream = new StoredStream(disk);
    for (StoredStream.Frame frame : stream.frames()) {
      for (BlockInfo block : new CommitFrame(stream.infos(frame), 0).blocks()) {
        if (block.firstJsn() <= jsn && jsn < block.sealJsn()) {
          int journal = (int) (jsn - block.firstJsn());
          int last = block.headerPosition(journal) + block.headerBytes(journal) - 1;
          byte[] content = disk.content(frame.segment());
          byte damaged = (byte) (content[frame.infos() + last] ^ 1);
          disk.overwrite(frame.segment(), frame.infos() + last, new byte[] {damaged});
          return;
        }
      }
    }
    throw new AssertionError("no block holds " + jsn);
  }
}
