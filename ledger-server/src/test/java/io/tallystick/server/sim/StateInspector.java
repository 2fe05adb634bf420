package io.tallystick.server.sim;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateQuery;
import io.tallystick.receipt.Receipt;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.state.LookupProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Compares what a shard says of a ledger's state with what its journals wrote, and verifies its
/// proofs with the code that clients use.
final class StateInspector {
  private final Signatures signatures;
  private final RunStatistics statistics;

  StateInspector(Signatures signatures, RunStatistics statistics) {
    this.signatures = signatures;
    this.statistics = statistics;
  }

  /// Asks for a key or a page of a block at random, mostly of the newest.
  void look(Shard shard, SimLedger ledger, SplittableRandom random)
      throws IOException, CorruptStreamException, RequestRejectedException, ProofRejectedException {
    StrandIndex strand = shard.indexer().strand(ledger.strand);
    long newest = strand.head().height();
    long height = random.nextInt(3) == 0 ? random.nextLong(newest + 1) : newest;
    try {
      if (random.nextBoolean()) {
        Bytes key = ledger.stateKeys.get(random.nextInt(ledger.stateKeys.size()));
        key(shard.state().state(strand, key, height, true), ledger, key, height, strand.head());
      } else {
        page(shard, ledger, strand, height, random);
      }
      statistics.stateLooks++;
    } catch (RequestRejectedException e) {
      boolean pruned = e.code() == RejectionCode.PRUNED && height < newest;
      if (!pruned || e.limit().orElse(-1) <= height || e.limit().orElse(-1) > newest) {
        throw e;
      }
    } catch (MalformedException e) {
      throw new Violation("a proof of the state does not decode", e);
    }
  }

  private SignedHead head(BlockView block, SimLedger ledger, long height)
      throws ProofRejectedException, MalformedException {
    Violation.unless(block.height() == height, "block %s, want %s", block.height(), height);
    SignedHead head =
        Receipt.decode(block.headReceipt())
            .verify(block.sealLeaf(), ledger.strand, ledger.serviceKeys, signatures);
    Inspector.same(head, ledger);
    return head;
  }

  private void key(ProvenState state, SimLedger ledger, Bytes key, long height, SealedHead newest)
      throws ProofRejectedException, MalformedException, RequestRejectedException {
    SignedHead head = head(state.head(), ledger, height);
    StateAnswer is = LookupProof.decode(state.proof().encode()).verify(key, head);
    SimState.Held want = ledger.history.state().at(height).get(key);
    Erasable erasable = new Erasable(ledger, newest);
    boolean right =
        switch (is) {
          case StateAnswer.Present(StateEntry entry) ->
              want != null
                  && entry.equals(want.entry())
                  && erasable.fits(want, state.value(), value(state.value(), entry));
          case StateAnswer.Deleted(StateEntry entry) -> want != null && entry.equals(want.entry());
          case StateAnswer.Absent absent ->
              want == null || (want.value() == null && !absent.neverWritten());
        };
    Violation.unless(right, "key %s is proven to be %s, want %s", key, is, want);
  }

  /// Which values removals have erased, as of a head. A purge leaves those that are current, and
  /// may have left others.
  private record Erasable(SimLedger ledger, RemovedJournals.At removed, SealedHead head) {
    Erasable(SimLedger ledger, SealedHead head) {
      this(ledger, ledger.removed.at(head.size()), head);
    }

    boolean fits(SimState.Held want, ReadValue read, @Nullable Bytes value) {
      long jsn = want.entry().jsn().value();
      boolean occulted = removed.occulted().contains(jsn);
      SimState.Held newest = ledger.history.state().at(head.height()).get(want.entry().key());
      boolean current = newest != null && newest.entry().equals(want.entry());
      boolean mayBeErased = occulted || (jsn < removed.firstKept() && !current);
      return read.state() == BodyState.ERASED
          ? mayBeErased
          : !occulted && Objects.equals(want.value(), value);
    }
  }

  private static @Nullable Bytes value(ReadValue read, StateEntry entry)
      throws ProofRejectedException, RequestRejectedException {
    if (read.state() == BodyState.DAMAGED) {
      throw new RequestRejectedException(RejectionCode.DAMAGED, "value of " + entry.key());
    }
    if (read.value().isPresent()) {
      read.value().get().verify(entry);
    }
    return read.value().map(opened -> opened.value()).orElse(null);
  }

  private void page(
      Shard shard, SimLedger ledger, StrandIndex strand, long height, SplittableRandom random)
      throws IOException,
          CorruptStreamException,
          RequestRejectedException,
          ProofRejectedException,
          MalformedException {
    NavigableMap<Bytes, SimState.Held> state = ledger.history.state().at(height);
    Bytes from = ledger.stateKeys.get(random.nextInt(ledger.stateKeys.size()));
    int limit = 1 + random.nextInt(8);
    ProvenStatePage page =
        shard.state().page(strand, new StateQuery(from, Optional.empty(), limit, height, true));
    List<StateEntry> is =
        RangeOfState.decode(page.proof().encode())
            .verify(from, Optional.empty(), head(page.head(), ledger, height));
    List<SimState.Held> want =
        state.tailMap(from).values().stream()
            .filter(held -> held.value() != null)
            .limit(limit)
            .toList();
    Erasable erasable = new Erasable(ledger, strand.head());
    boolean right = is.size() == want.size();
    for (int i = 0; i < is.size() && right; i++) {
      ReadValue read = page.values().get(i);
      right =
          is.get(i).equals(want.get(i).entry())
              && erasable.fits(want.get(i), read, value(read, is.get(i)));
    }
    Violation.unless(right, "page from %s is %s %s, want %s", from, is, page.values(), want);
  }
}
