package io.tallystick.testkit;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.LastSeal;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/// A log whose journals write state, with the proofs of it by definition. Every size of it can be
/// signed, also one that is no block's end. The same calls give the same bytes. Not thread-safe.
public final class SampleState {
  /// Small nodes and partitions, so that all of cutting, closing and folding happens.
  public static final StateParams PARAMS = new StateParams(24, 1, 4, 4, 1);

  private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));

  /// The operations of a sealed block.
  ///
  /// @param sealJsn of its seal
  private record Block(long height, long sealJsn, List<StateEntry> writes) {}

  private final Fixtures fixtures;
  private final ReferenceLedger ledger;
  private final int firstNumber;
  private final ReferenceForest forest;
  private final List<Block> blocks = new ArrayList<>();
  private final List<StateEntry> open = new ArrayList<>();
  private final Map<Digest, StateValue> values = new HashMap<>();
  private int journals;

  private SampleState(Fixtures fixtures, int firstNumber) {
    this.fixtures = fixtures;
    this.ledger = ReferenceLedger.found(fixtures);
    this.firstNumber = firstNumber;
    this.forest = new ReferenceForest(params(fixtures));
  }

  private static StateParams params(Fixtures fixtures) {
    StateParams params = fixtures.params().stateParams();
    if (params == null) {
      throw new IllegalArgumentException("a ledger without state");
    }
    return params;
  }

  /// Genesis and its seal.
  ///
  /// @param firstNumber of the journals: another number is another log of the same ledger
  public static SampleState found(StateParams params, int firstNumber) {
    return found(Fixtures.ledger(), params, firstNumber);
  }

  /// The same of another ledger.
  public static SampleState found(Fixtures ledger, StateParams params, int firstNumber) {
    return new SampleState(ledger.withState(params), firstNumber);
  }

  /// Of 8 leaves, sealed at 2, 4, 6 and 8. Journal 2 puts `key 00` to `key 19`. Journal 4 deletes
  /// `key 03`, puts `key 07` again and `key 20` to `key 24`: with 25 entries partition 0 is closed.
  /// Journal 6 puts `key 05` again, deletes `key 11`, puts `key 30`, a key of one zero byte and one
  /// of 256 bytes into partition 1.
  public static SampleState young() {
    return young(Fixtures.ledger(), 0);
  }

  /// Another log, or one of another ledger, with the same writes.
  public static SampleState young(Fixtures ledger, int firstNumber) {
    List<DraftOp> second = new ArrayList<>();
    second.add(DraftOp.delete(key(3)));
    second.add(DraftOp.put(key(7), Bytes.utf8("value 7 again")));
    second.addAll(puts(20, 25));
    byte[] longest = new byte[StateEntry.KEY_BYTES_MAX];
    Arrays.fill(longest, (byte) 0xff);
    return found(ledger, PARAMS, firstNumber)
        .block(puts(0, 20))
        .block(second)
        .block(
            List.of(
                DraftOp.put(key(5), Bytes.utf8("value 5 again")),
                DraftOp.delete(key(11)),
                DraftOp.put(key(30), Bytes.utf8("value 30")),
                DraftOp.put(Bytes.wrap(new byte[1]), Bytes.EMPTY),
                DraftOp.put(Bytes.wrap(longest), Bytes.utf8("value of the longest key"))));
  }

  /// Of 24 leaves, sealed at each even size. Blocks 1 to 10 put 24 keys each, of `key 00` to `key
  /// 59` in turn, and fill a partition each. Block 1 puts `cold` and `gone` too, block 2 deletes
  /// `gone`, block 5 puts `cold too`. The fold begins with block 9: it carries `cold` over and
  /// drops the tombstone of `gone`. Block 11 puts three keys: the fold carries `cold too` over and
  /// stops while the original is still there.
  public static SampleState folded() {
    SampleState state = found(PARAMS, 0);
    for (int block = 0; block < 10; block++) {
      List<DraftOp> ops = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        ops.add(put((24 * block + i) % 60));
      }
      if (block == 0) {
        ops.add(DraftOp.put(Bytes.utf8("cold"), Bytes.utf8("written once")));
        ops.add(DraftOp.put(Bytes.utf8("gone"), Bytes.utf8("deleted soon")));
      }
      if (block == 1) {
        ops.add(DraftOp.delete(Bytes.utf8("gone")));
      }
      if (block == 4) {
        ops.add(DraftOp.put(Bytes.utf8("cold too"), Bytes.utf8("written once too")));
      }
      state.block(ops);
    }
    return state.block(puts(60, 63));
  }

  public static Bytes key(int number) {
    return Bytes.utf8(String.format(Locale.ROOT, "key %02d", number));
  }

  private static DraftOp put(int number) {
    return DraftOp.put(key(number), Bytes.utf8("value " + number));
  }

  private static List<DraftOp> puts(int from, int to) {
    List<DraftOp> ops = new ArrayList<>();
    for (int number = from; number < to; number++) {
      ops.add(put(number));
    }
    return ops;
  }

  /// A block of one journal.
  public SampleState block(List<DraftOp> ops) {
    return append(ops).seal();
  }

  /// A journal into the open block.
  public SampleState append(List<DraftOp> ops) {
    RequestDraft draft = fixtures.draft(firstNumber + journals++).withOps(ops);
    Jsn jsn = new Jsn(ledger.size());
    for (int i = 0; i < ops.size(); i++) {
      if (ops.get(i) instanceof DraftOp.Put put) {
        StateValue value = new StateValue(Commitments.valueOpening(draft.salt(), i), put.value());
        values.put(value.commit(), value);
      }
      open.add(ReferenceStates.entry(ops.get(i).commit(draft.salt(), i), jsn));
    }
    ledger.append(fixtures.submission(draft.build(), Fixtures.ALICE));
    return this;
  }

  public SampleState seal() {
    long height = ledger.nextSeal().height();
    forest.apply(height, open);
    blocks.add(new Block(height, ledger.size(), List.copyOf(open)));
    open.clear();
    return seal(forest.root());
  }

  /// Seals the open block with a state root of the caller's.
  public SampleState seal(Digest stateRoot) {
    ledger.seal(right ->
        new ReferenceLedger.Stated(
            right.height(), right.journalRoot(), right.clueRoot(), stateRoot));
    return this;
  }

  public int size() {
    return ledger.size();
  }

  public StrandId strand() {
    return fixtures.strand();
  }

  public ServiceKeys keys() {
    return ledger.keys();
  }

  public Bytes leaf(int jsn) {
    return ledger.leaf(jsn);
  }

  /// The signed note over the first `size` leaves.
  public Bytes checkpoint(int size) {
    return ledger.checkpoint(size);
  }

  /// The head over the first `size` leaves, as verified.
  public SignedHead head(int size) {
    try {
      return HeadStatement.verify(checkpoint(size), strand(), keys(), SIGNATURES);
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  /// Leaf `size` − 1, which a head of that size ends with.
  public LastSeal lastLeaf(int size) {
    return new LastSeal(leaf(size - 1), ledger.tree().inclusionPath(size - 1, size));
  }

  /// As of the blocks sealed within the first `size` leaves.
  public ReferenceForest forest(int size) {
    ReferenceForest then = new ReferenceForest(params(fixtures));
    blocks.stream()
        .filter(block -> block.sealJsn() < size)
        .forEach(block -> then.apply(block.height(), block.writes()));
    return then;
  }

  public LookupProof lookup(Bytes key, int size) {
    return lookup(key, size, ReferenceForestProofs.lookup(forest(size), key));
  }

  /// A lookup that may say what is not so.
  public LookupProof lookup(Bytes key, int size, StateLookup lookup) {
    return new LookupProof(lastLeaf(size), key, lookup);
  }

  /// @param keys strictly ascending
  public LookupsProof lookups(List<Bytes> keys, int size) {
    return lookups(keys, size, ReferenceForestProofs.lookups(forest(size), keys));
  }

  /// A proof of several keys that may say what is not so.
  public LookupsProof lookups(List<Bytes> keys, int size, StateLookups lookups) {
    return new LookupsProof(lastLeaf(size), keys, lookups);
  }

  public RangeOfState range(Bytes from, Optional<Bytes> to, int size) {
    return range(from, to, size, ReferenceForestProofs.range(forest(size), from, to));
  }

  /// A range that may say what is not so.
  public RangeOfState range(Bytes from, Optional<Bytes> to, int size, StateRange range) {
    return new RangeOfState(lastLeaf(size), from, to, range);
  }

  /// The value that an entry commits to.
  public StateValue value(StateEntry entry) {
    StateValue value = values.get(entry.valueCommit().orElseThrow());
    if (value == null) {
      throw new IllegalArgumentException("no journal wrote " + entry);
    }
    return value;
  }
}
