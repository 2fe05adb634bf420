package io.tallystick.client;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestDraft;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.state.LookupProof;
import io.tallystick.state.StateFile;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Goal: whatever becomes of a saved reading, it is refused, or what it shows is what the state of
/// that block holds. Method: Jazzer; `docs/testing.md`.
class StateFileFuzzTest extends FuzzContract {
  private static final Bytes STOCK = Bytes.utf8("stock");
  private static final Bytes GONE = Bytes.utf8("gone");
  private static final Bytes NEVER = Bytes.utf8("never");
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final FakeLedger LEDGER = ledger();
  private static final int NEWEST = LEDGER.seals.size() - 1;

  /// As bytes: head, proof, value or nothing.
  private static final Edits FILES =
      new Edits(
          List.of(file(STOCK, NEWEST), file(GONE, NEWEST), file(NEVER, NEWEST), file(STOCK, 1)));

  private static FakeLedger ledger() {
    GenesisParams plain = Fixtures.ledger().params();
    GenesisParams params =
        new GenesisParams(
            plain.authority(),
            plain.nameCommit(),
            plain.random(),
            plain.owners(),
            plain.noteKey(),
            plain.receiptKey(),
            plain.createdMs(),
            true,
            1,
            plain.maxWindowMs(),
            Set.of(Feature.STATE_FOREST),
            LedgerStateTest.SMALL);
    FakeLedger ledger = new FakeLedger(params, Bytes.EMPTY, plain.createdMs());
    append(ledger, DraftOp.put(STOCK, Bytes.utf8("1")), DraftOp.put(GONE, Bytes.utf8("x")));
    append(ledger, DraftOp.put(Bytes.utf8("a"), STOCK), DraftOp.put(Bytes.utf8("z"), STOCK));
    append(ledger, DraftOp.delete(GONE));
    append(ledger, DraftOp.put(STOCK, Bytes.utf8("2")));
    return ledger;
  }

  private static void append(FakeLedger ledger, DraftOp... ops) {
    long time = ledger.params.createdMs();
    Bytes salt = Bytes.wrap(new byte[32]);
    RequestDraft draft =
        RequestDraft.append(ledger.strand(), Bytes.EMPTY, "", time, salt).withOps(List.of(ops));
    ledger.append(List.of(draft.build()), Bytes.utf8("attestation " + ledger.size()), time);
  }

  private static List<Bytes> file(Bytes key, int height) {
    int size = LEDGER.seals.get(height) + 1;
    ReferenceForest forest = FakeStates.forest(LEDGER, height);
    LookupProof proof =
        new LookupProof(
            FakeStates.seal(LEDGER, height), key, ReferenceForestProofs.lookup(forest, key));
    return List.of(
        LEDGER.head(size).statement(LEDGER.root(size)).encode(),
        proof.encode(),
        value(forest, key).map(StateValue::encode).orElse(Bytes.EMPTY));
  }

  private static Optional<StateValue> value(ReferenceForest forest, Bytes key) {
    return forest
        .newest(key)
        .filter(StateEntry::isPresent)
        .map(entry -> FakeStates.value(LEDGER, entry));
  }

  @Override
  protected long allocatedBytesMax() {
    return 4L << 20; // signatures, and the reference forest of what is accepted
  }

  @FuzzTest
  void file(byte[] program) {
    attempt(
        () -> {
          List<Bytes> parts = FILES.apply(program);
          Optional<Bytes> value = Optional.of(parts.get(2)).filter(encoded -> !encoded.isEmpty());
          StateFile file =
              StateFile.decode(new StateFile(parts.get(0), parts.get(1), value).encode());
          GenesisParams genesis = LEDGER.params;
          ServiceKeys keys =
              new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
          check(file.verify(LEDGER.strand(), keys, SIGNATURES));
        },
        MalformedException.class,
        ProofRejectedException.class);
  }

  private static void check(StateFile.Verified shown) {
    ReferenceForest forest = FakeStates.forest(LEDGER, Math.toIntExact(shown.height()));
    Optional<StateEntry> truth = forest.newest(shown.answer().key());
    Optional<StateEntry> said =
        switch (shown.answer()) {
          case StateAnswer.Present present -> Optional.of(present.entry());
          case StateAnswer.Deleted deleted -> Optional.of(deleted.entry());
          case StateAnswer.Absent unused -> Optional.empty();
        };
    Optional<Bytes> held = value(forest, shown.answer().key()).map(StateValue::value);
    if (!said.equals(truth) || (shown.value().isPresent() && !shown.value().equals(held))) {
      throw new AssertionError("the state does not hold " + shown);
    }
  }
}
