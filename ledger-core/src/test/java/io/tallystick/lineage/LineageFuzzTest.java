package io.tallystick.lineage;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.SampleClues;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// Goal: of all that {@link Edits} make of genuine evidence about a log's clues, a verifier takes
/// only what says the truth, in the one form it has. Method: Jazzer; `docs/testing.md`. Parts come
/// from every sealed head of the log and from another log of the ledger.
class LineageFuzzTest extends FuzzContract {
  private static final int SIZE = 18;
  private static final List<Integer> SEALED = List.of(6, 12, SIZE);
  private static final List<String> CLUES =
      List.of("invoice 7", "draft", "contract", "order 1", "unknown");
  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));
  private static final SampleClues LOG = SampleClues.small();
  private static final SampleClues OTHER = other();
  private static final SignedHead HEAD = LOG.head(SIZE);
  private static final ReferenceClues TRUTH = LOG.clues(SIZE);

  private static final Edits TRIES = new Edits(tries());
  private static final Edits CLUE_PROOFS = new Edits(clueProofs());
  private static final Edits LINEAGES = new Edits(lineages());
  private static final Edits FILES = new Edits(files());

  private static SampleClues other() {
    SampleClues log = SampleClues.found(100);
    while (log.size() < SIZE - 1) {
      log.append(List.of("invoice 7", "draft"));
    }
    return log.seal();
  }

  private static Bytes id(String clue) {
    return LOG.clueId(clue).toBytes();
  }

  /// As bytes: clue id, then the nodes.
  private static List<List<Bytes>> tries() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SEALED.reversed()) {
      for (String clue : CLUES) {
        List<Bytes> parts = new ArrayList<>(List.of(id(clue)));
        parts.addAll(LOG.clueProof(clue, size).trie().nodes());
        all.add(parts);
      }
    }
    return all;
  }

  /// As bytes: clue id, proof.
  private static List<List<Bytes>> clueProofs() {
    List<List<Bytes>> all = new ArrayList<>();
    for (int size : SEALED.reversed()) {
      CLUES.forEach(clue -> all.add(List.of(id(clue), LOG.clueProof(clue, size).encode())));
    }
    CLUES.forEach(clue -> all.add(List.of(id(clue), OTHER.clueProof(clue, SIZE).encode())));
    return all;
  }

  /// As bytes: clue id, proof.
  private static List<List<Bytes>> lineages() {
    List<List<Bytes>> all = new ArrayList<>();
    for (String clue : CLUES.subList(0, 4)) {
      int count = TRUTH.journals(LOG.clueId(clue)).size();
      for (int first = 0; first < count; first++) {
        int to = count - first;
        all.add(List.of(id(clue), LOG.lineage(clue, first, to, SIZE).encode()));
        all.add(List.of(id(clue), LOG.lineage(clue, first, 1, SIZE).encode()));
      }
    }
    all.add(List.of(id("invoice 7"), LOG.lineage("invoice 7", 12).encode()));
    all.add(List.of(id("invoice 7"), OTHER.lineage("invoice 7", SIZE).encode()));
    return all;
  }

  private static List<List<Bytes>> files() {
    List<List<Bytes>> all = new ArrayList<>();
    for (String clue : CLUES) {
      Digest id = LOG.clueId(clue);
      all.add(List.of(LineageFile.of(id, HEAD, LOG.clueProof(clue, SIZE)).encode()));
      if (!clue.equals("unknown")) {
        all.add(List.of(LineageFile.of(id, HEAD, LOG.lineage(clue, SIZE)).encode()));
      }
    }
    return all;
  }

  @FuzzTest
  void clueProofBytes(byte[] input) {
    decoder(input, bytes -> ClueProof.decode(bytes).encode());
  }

  @FuzzTest
  void lineageProofBytes(byte[] input) {
    decoder(input, bytes -> LineageProof.decode(bytes).encode());
  }

  @FuzzTest
  void lineageFileBytes(byte[] input) {
    decoder(input, bytes -> LineageFile.decode(bytes).encode());
  }

  @FuzzTest
  void trie(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = TRIES.apply(program);
          Digest id = digest(parts.getFirst());
          List<Bytes> nodes = parts.subList(1, parts.size());
          requireTrue(new TrieProof(nodes).verify(id, new ClueRoot(TRUTH.root())), id);
          require(nodes.equals(TRUTH.proof(id).nodes()), nodes);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void clueProof(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = CLUE_PROOFS.apply(program);
          Digest id = digest(parts.getFirst());
          ClueProof proof = ClueProof.decode(parts.get(1));
          requireTrue(proof.verify(id, HEAD), id);
          require(proof.trie().equals(TRUTH.proof(id)), proof);
          require(proof.seal().equals(LOG.leaf(SIZE - 1)), proof);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void lineageProof(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = LINEAGES.apply(program);
          Digest id = digest(parts.getFirst());
          LineageProof proof = LineageProof.decode(parts.get(1));
          requireTrue(proof.verify(id, HEAD), proof.leaves(), id);
          LINEAGES.requireGenuine(parts);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  @FuzzTest
  void lineageFile(byte[] program) {
    attempt(
        () -> {
          LineageFile file = LineageFile.decode(FILES.apply(program).getFirst());
          LineageFile.Verified verified = file.verify(LOG.strand(), LOG.keys(), SIGNATURES);
          requireTrue(verified.state(), file.clueId());
          require(verified.head().root().equals(HEAD.root()), verified);
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  private static void requireTrue(ClueState state, Digest id) {
    switch (state) {
      case ClueState.NeverUsed unused -> requireTrue(Optional.empty(), id);
      case ClueState.Used used -> requireTrue(Optional.of(used.value()), id);
    }
  }

  private static void requireTrue(Optional<ClueValue> found, Digest id) {
    boolean used = !TRUTH.journals(id).isEmpty();
    Optional<ClueValue> truth = used ? Optional.of(TRUTH.value(id)) : Optional.empty();
    require(found.equals(truth), found);
  }

  private static void requireTrue(VerifiedLineage run, List<Bytes> leaves, Digest id) {
    int first = Math.toIntExact(run.first());
    List<Bytes> truth = TRUTH.journals(id).subList(first, first + run.entries().size());
    require(leaves.equals(truth), run);
    require(run.isComplete() == leaves.equals(TRUTH.journals(id)), run);
  }

  private static void require(boolean truth, Object accepted) {
    if (!truth) {
      throw new AssertionError("accepted what is not true: " + accepted);
    }
  }

  private static Digest digest(Bytes bytes) throws MalformedException {
    if (bytes.size() != Digest.BYTES) {
      throw new MalformedException("clue id of " + bytes.size() + " bytes");
    }
    return Digest.of(bytes);
  }
}
