package io.tallystick.client;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.reference.ReferenceTree;
import io.tallystick.testkit.stage.Shape;
import io.tallystick.testkit.stage.Submissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/// What does a journal cost the client, stage by stage, on one thread? `StageBudget` in benchmarks
/// runs it and divides by the journals.
@State(Scope.Thread)
@NullUnmarked
public class ClientStages {
  /// Genesis and its seal stand before the block.
  private static final int FIRST_JSN = 2;

  @Param({"BATCH", "SINGLES"})
  public Shape shape;

  private final DraftMaker maker =
      new DraftMaker(
          Submissions.strand(),
          60_000,
          InstantSource.fixed(Instant.ofEpochMilli(Fixtures.TIME_MS)),
          new SecureRandom());
  private List<Signer> signers;
  private Signatures signatures;
  private ServiceKeys keys;
  private List<List<JournalDraft>> journals;
  private List<List<RequestDraft>> drafts;
  private List<SignedSubmission> signed;
  private List<Bytes> receipts;

  public ClientStages() {}

  @Setup
  public void prepare() {
    signers = List.of(shape.signer());
    signatures = shape.signatures();
    keys =
        new ServiceKeys(
            Submissions.LEDGER.params().authority(),
            Fixtures.NOTE.publicKey(),
            Fixtures.RECEIPT.publicKey());
    journals = new ArrayList<>();
    drafts = new ArrayList<>();
    signed = new ArrayList<>();
    SecureRandom random = new SecureRandom();
    for (int i = 0; i < shape.submissions(); i++) {
      List<JournalDraft> journalsOfOne = new ArrayList<>();
      for (int k = 0; k < shape.journalsEach(); k++) {
        byte[] payload = new byte[Shape.PAYLOAD_BYTES];
        random.nextBytes(payload);
        journalsOfOne.add(JournalDraft.of(Bytes.wrap(payload), "application/octet-stream"));
      }
      journals.add(journalsOfOne);
      drafts.add(maker.append(journalsOfOne));
      signed.add(SignedSubmission.sign(drafts.getLast(), signers));
    }
    receipts = receipts();
  }

  /// All submissions in one block under one head, as the service would answer them.
  private List<Bytes> receipts() {
    List<Bytes> leaves = new ArrayList<>(List.of(Bytes.utf8("genesis"), Bytes.utf8("its seal")));
    for (SignedSubmission submission : signed) {
      int first = leaves.size();
      for (int i = 0; i < submission.count(); i++) {
        leaves.add(submission.leaves().leaf(i, first, Fixtures.TIME_MS));
      }
    }
    leaves.add(Bytes.utf8("seal"));
    ReferenceTree tree = new ReferenceTree(leaves);
    int size = leaves.size();
    HeadSignature head =
        HeadSignature.sign(
            Fixtures.RECEIPT,
            keys.authority(),
            Submissions.strand(),
            new TreeSize(size),
            new JournalRoot(tree.root(size)));
    List<Bytes> encoded = new ArrayList<>();
    int first = FIRST_JSN;
    for (SignedSubmission submission : signed) {
      List<Digest> outside = tree.outsideRange(first, submission.count(), size);
      RangeProof proof = new RangeProof(first, submission.count(), size, outside);
      encoded.add(new RangeReceipt(head, proof).encode());
      first += submission.count();
    }
    return encoded;
  }

  @Benchmark
  public void draftAndBuild(Blackhole hole) {
    for (List<JournalDraft> submission : journals) {
      for (RequestDraft draft : maker.append(submission)) {
        SignedRequest built = draft.build();
        hole.consume(built);
      }
    }
  }

  /// Builds again: what is above {@link #draftAndBuild} is hashing headers and attesting.
  @Benchmark
  public void buildAndSign(Blackhole hole) {
    for (List<RequestDraft> submission : drafts) {
      hole.consume(SignedSubmission.sign(submission, signers));
    }
  }

  @Benchmark
  public void toWire(Blackhole hole) {
    for (SignedSubmission submission : signed) {
      hole.consume(submission.toProto(AppendRequest.Mode.RECEIPT).build().toByteArray());
    }
  }

  @Benchmark
  public void verifyReceipt(Blackhole hole) throws Exception {
    int first = FIRST_JSN;
    for (int i = 0; i < signed.size(); i++) {
      hole.consume(verify(signed.get(i), receipts.get(i), first));
      first += signed.get(i).count();
    }
  }

  private SignedHead verify(SignedSubmission submission, Bytes encoded, int first)
      throws Exception {
    RangeReceipt receipt = RangeReceipt.decode(encoded);
    if (receipt.proof().first() != first) {
      throw new ProofRejectedException(ProofRejectedException.Reason.WRONG_JSN, "not our place");
    }
    return receipt.verifyHashes(
        submission.leaves().hashes(first, Fixtures.TIME_MS), submission.strand(), keys, signatures);
  }
}
