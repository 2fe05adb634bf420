package io.tallystick.client;

import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.function.UnaryOperator;

/// One ledger of the fake service: a reference log, what stands beside its leaves, and what of it
/// is false. Every submission is a block. Not thread-safe.
final class FakeLedger {
  /// What was committed for a submission.
  record Committed(long firstJsn, int count, long timeMs) {}

  /// A leaf with what stands beside it.
  record Entry(
      Bytes leaf,
      Bytes attestation,
      Bytes salt,
      Bytes body,
      Bytes ops,
      List<Digest> batch,
      int batchIndex) {
    /// Of genesis or a seal.
    static Entry bare(Bytes leaf, Bytes attestation) {
      return new Entry(leaf, attestation, Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY, List.of(), 0);
    }
  }

  final GenesisParams params;
  final Bytes attestation;
  final List<Entry> entries = new ArrayList<>();
  final List<Integer> seals = new ArrayList<>();
  final Map<Bytes, Committed> seen = new HashMap<>();
  private final ReferenceLedger log;

  /// The writes of each block to the state.
  final List<List<StateEntry>> writes = new ArrayList<>();

  /// What the forest takes instead of a block's writes.
  UnaryOperator<List<StateEntry>> stateTampering = UnaryOperator.identity();

  /// The height that the seal of a block names.
  IntToLongFunction sealedHeights = height -> height;

  FakeLedger(GenesisParams params, Bytes attestation, long timeMs) {
    this.params = params;
    this.attestation = attestation;
    log = ReferenceLedger.found(new Fixtures(params, timeMs), attestation);
    entries.add(Entry.bare(log.leaf(0), attestation));
    entries.add(Entry.bare(log.leaf(1), Bytes.EMPTY));
    seals.add(1);
    writes.add(List.of());
  }

  private FakeLedger(FakeLedger other) {
    params = other.params;
    attestation = other.attestation;
    log = other.log.copy();
    entries.addAll(other.entries);
    seals.addAll(other.seals);
    seen.putAll(other.seen);
    writes.addAll(other.writes);
  }

  /// The same log, to go its own way from here.
  FakeLedger copy() {
    return new FakeLedger(this);
  }

  Committed append(List<SignedRequest> requests, Bytes attest, long timeMs) {
    Committed repeated = seen.get(attest);
    if (repeated != null) {
      return repeated;
    }
    Committed committed = add(new Submission(requests, attest), timeMs);
    seal(committed.firstJsn());
    return committed;
  }

  /// Several new submissions in one block.
  List<Committed> appendTogether(List<Submission> submissions, long timeMs) {
    int first = size();
    List<Committed> committed = new ArrayList<>();
    for (Submission each : submissions) {
      committed.add(add(each, timeMs));
    }
    seal(first);
    return committed;
  }

  private Committed add(Submission submission, long timeMs) {
    int first = size();
    List<SignedRequest> requests = submission.requests();
    log.at(timeMs).append(submission);
    List<Digest> batch = requests.size() == 1 ? List.of() : Fixtures.hashes(requests);
    for (int i = 0; i < requests.size(); i++) {
      SignedRequest request = requests.get(i);
      entries.add(
          new Entry(
              log.leaf(first + i),
              submission.attestation(),
              request.salt(),
              request.body(),
              request.ops(),
              batch,
              i));
    }
    Committed committed = new Committed(first, requests.size(), timeMs);
    seen.put(submission.attestation(), committed);
    return committed;
  }

  private void seal(long first) {
    int jsn = size();
    writes.add(stateTampering.apply(FakeStates.writes(this, (int) first, jsn)));
    log.seal(right ->
        new ReferenceLedger.Stated(
            sealedHeights.applyAsLong(seals.size()),
            right.journalRoot(),
            right.clueRoot(),
            stateRoot()));
    entries.add(Entry.bare(log.leaf(jsn), Bytes.EMPTY));
    seals.add(jsn);
  }

  private Digest stateRoot() {
    return params.stateParams() == null
        ? SealLeaf.EMPTY_STATE_ROOT
        : FakeStates.forest(this, writes.size() - 1).root();
  }

  /// The clues of the first `size` leaves.
  ReferenceClues clues(int size) {
    return ReferenceClues.of(log.leaves(0, size));
  }

  StrandId strand() {
    return log.strand();
  }

  int size() {
    return log.size();
  }

  ReferenceTree tree() {
    return log.tree();
  }

  /// Size of the head that first covers `jsn`.
  int headSize(long jsn) {
    return seals.stream().filter(seal -> seal >= jsn).findFirst().orElseThrow() + 1;
  }

  HeadSignature head(int size) {
    return log.headSignature(size);
  }

  JournalRoot root(int size) {
    return log.rootAt(size);
  }

  RangeReceipt rangeReceipt(Committed committed) {
    int first = (int) committed.firstJsn();
    return log.rangeReceipt(first, committed.count(), headSize(first));
  }

  Receipt receipt(long jsn) {
    return log.receipt((int) jsn, headSize(jsn));
  }

  Bytes checkpoint(int size) {
    return log.checkpoint(size);
  }
}
