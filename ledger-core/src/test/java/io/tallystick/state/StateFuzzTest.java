package io.tallystick.state;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.SampleState;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// Goal: of all that {@link Edits} make of genuine evidence about a log's state and of requests
/// with operations, a verifier takes only what is true, in the one form it has. Method: Jazzer;
/// `docs/testing.md`. Parts come from every sealed head of the log and from another log of the
/// ledger.
class StateFuzzTest extends FuzzContract {
  private static final int SIZE = 8;
  private static final List<Integer> SEALED = List.of(8, 6, 4, 2);
  private static final SampleState LOG = SampleState.young();
  private static final SampleState OTHER = SampleState.young(Fixtures.ledger(), 100);
  private static final SignedHead HEAD = LOG.head(SIZE);
  private static final ReferenceForest TRUTH = LOG.forest(SIZE);
  private static final List<Bytes> KEYS =
      List.of(
          SampleState.key(5),
          SampleState.key(11),
          SampleState.key(3),
          SampleState.key(20),
          Bytes.utf8("never"));

  private static final List<Bytes> SORTED = KEYS.stream().sorted().toList();

  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));
  private static final SubmissionVerifier VERIFIER =
      new SubmissionVerifier(SIGNATURES, Set.of(Feature.STATE_FOREST));

  private static final Edits LOOKUPS = new Edits(lookups());
  private static final Edits SEVERAL = new Edits(severalKeys());
  private static final Edits RANGES = new Edits(ranges());
  private static final Edits VALUES = new Edits(values());
  private static final Edits REQUESTS = new Edits(requests());

  /// As bytes: the key asked for, then the proof.
  private static List<List<Bytes>> lookups() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SEALED) {
      KEYS.forEach(key -> all.add(List.of(key, LOG.lookup(key, size).encode())));
    }
    KEYS.forEach(key -> all.add(List.of(key, OTHER.lookup(key, SIZE).encode())));
    return all;
  }

  /// As bytes: the proof; the keys asked for are always the same.
  private static List<List<Bytes>> severalKeys() {
    List<List<Bytes>> all = new ArrayList<>();
    SEALED.forEach(size -> all.add(List.of(LOG.lookups(SORTED, size).encode())));
    all.add(List.of(LOG.lookups(SORTED.subList(0, 3), SIZE).encode()));
    all.add(List.of(OTHER.lookups(SORTED, SIZE).encode()));
    return all;
  }

  /// As bytes: the first key asked for, what is behind the last (no bytes: no end), the proof.
  private static List<List<Bytes>> ranges() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SEALED) {
      for (Bytes to : List.of(SampleState.key(9), Bytes.EMPTY)) {
        Bytes encoded = LOG.range(SampleState.key(4), end(to), size).encode();
        all.add(List.of(SampleState.key(4), to, encoded));
      }
    }
    Bytes page = LOG.range(SampleState.key(4), end(SampleState.key(9)), SIZE).encode();
    all.add(List.of(SampleState.key(4), Bytes.EMPTY, page));
    return all;
  }

  private static Optional<Bytes> end(Bytes to) {
    return to.isEmpty() ? Optional.empty() : Optional.of(to);
  }

  /// As bytes: the entry, then its value.
  private static List<List<Bytes>> values() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int number : new int[] {5, 7, 20}) {
      StateEntry entry = TRUTH.newest(SampleState.key(number)).orElseThrow();
      all.add(List.of(entry.encode(), LOG.value(entry).encode()));
    }
    return all;
  }

  /// As bytes: the attestation, then header, salt, body and operations of each request.
  private static List<List<Bytes>> requests() {
    List<DraftOp> some =
        List.of(
            DraftOp.put(Bytes.utf8("a"), Bytes.utf8("first")),
            new DraftOp.Delete(Bytes.utf8("b"), new Precondition.IfVersion(new Jsn(7))),
            new DraftOp.Put(Bytes.utf8("c"), Bytes.EMPTY, new Precondition.IfAbsent()));
    List<DraftOp> others = List.of(DraftOp.put(Bytes.utf8("a"), Bytes.utf8("other")));
    SignedRequest one = LEDGER.draft(1).withOps(some).build();
    SignedRequest two = LEDGER.draft(2).withOps(others).build();
    List<List<Bytes>> all = new ArrayList<>();
    for (Submission submission :
        List.of(
            LEDGER.submission(one, Fixtures.ALICE),
            LEDGER.submission(two, Fixtures.ALICE),
            LEDGER.single(3),
            LEDGER.submission(List.of(one, two), Fixtures.ALICE))) {
      List<Bytes> parts = new ArrayList<>(List.of(submission.attestation()));
      for (SignedRequest request : submission.requests()) {
        parts.addAll(List.of(request.header(), request.salt(), request.body(), request.ops()));
      }
      all.add(parts);
    }
    return all;
  }

  /// What is accepted is compared with a proof made anew.
  @Override
  protected long allocatedBytesMax() {
    return 2 << 20;
  }

  @FuzzTest
  void lookupProofBytes(byte[] input) {
    decoder(input, bytes -> LookupProof.decode(bytes).encode());
  }

  @FuzzTest
  void lookupsProofBytes(byte[] input) {
    decoder(input, bytes -> LookupsProof.decode(bytes).encode());
  }

  @FuzzTest
  void rangeOfStateBytes(byte[] input) {
    decoder(input, bytes -> RangeOfState.decode(bytes).encode());
  }

  @FuzzTest
  void stateValueBytes(byte[] input) {
    decoder(input, bytes -> StateValue.decode(bytes).encode());
  }

  @FuzzTest
  void operationsBytes(byte[] input) {
    decoder(input, bytes -> Ops.decode(bytes).encode());
  }

  @FuzzTest
  void lookupProof(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = LOOKUPS.apply(program);
          Bytes key = parts.getFirst();
          StateAnswer answer = LookupProof.decode(parts.get(1)).verify(key, HEAD);
          require(parts.get(1).equals(LOG.lookup(key, SIZE).encode()), answer);
          require(entry(answer).equals(TRUTH.newest(key)), answer);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void lookupsProof(byte[] program) {
    attempt(
        () -> {
          Bytes encoded = SEVERAL.apply(program).getFirst();
          LookupsProof proof = LookupsProof.decode(encoded);
          List<StateAnswer> answers = proof.verify(SORTED, HEAD);
          require(encoded.equals(LOG.lookups(proof.keys(), SIZE).encode()), answers);
          for (StateAnswer answer : answers) {
            require(entry(answer).equals(TRUTH.newest(answer.key())), answer);
          }
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  private static Optional<StateEntry> entry(StateAnswer answer) {
    return switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> Optional.of(entry);
      case StateAnswer.Deleted(StateEntry entry) -> Optional.of(entry);
      case StateAnswer.Absent unused -> Optional.empty();
    };
  }

  @FuzzTest
  void rangeOfState(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = RANGES.apply(program);
          RangeOfState proof = RangeOfState.decode(parts.get(2));
          List<StateEntry> entries = proof.verify(parts.getFirst(), end(parts.get(1)), HEAD);
          require(
              proof.range().equals(ReferenceForestProofs.range(TRUTH, proof.from(), proof.to())),
              entries);
          require(proof.seal().equals(LOG.lastLeaf(SIZE)), entries);
          for (StateEntry entry : entries) {
            require(TRUTH.newest(entry.key()).equals(Optional.of(entry)), entry);
          }
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void stateValue(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = VALUES.apply(program);
          StateEntry entry = StateEntry.decode(parts.getFirst());
          StateValue value = StateValue.decode(parts.get(1));
          value.verify(entry);
          // Key and jsn of the entry are for the lookup to prove.
          require(value.equals(LOG.value(entry)), value);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void operations(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = REQUESTS.apply(program);
          List<SignedRequest> requests = new ArrayList<>();
          for (int i = 1; i < parts.size(); i += 4) {
            requests.add(
                new SignedRequest(
                    parts.get(i), parts.get(i + 1), parts.get(i + 2), parts.get(i + 3)));
          }
          VERIFIER.verify(LEDGER.strand(), requests, parts.getFirst(), LEDGER.keys());
          REQUESTS.requireGenuine(parts);
        },
        RequestRejectedException.class);
  }

  private static void require(boolean truth, Object accepted) {
    if (!truth) {
      throw new AssertionError("accepted what is not true: " + accepted);
    }
  }
}
