package io.tallystick.client.state;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.GetStateRequest;
import io.tallystick.api.v1.ListStateRequest;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StatePage;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.LookupFile;
import io.tallystick.state.LookupProof;
import io.tallystick.state.RangeFile;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads a ledger's state, and believes it only as far as the proofs go: each answer under the head
/// of its block, that head joined to the trusted log, and the newest not behind what was trusted
/// before. Thread-safe.
public final class StateReader {
  /// By what the body of a journal was erased; refused if that is not shown.
  @FunctionalInterface
  public interface Erasures {
    ErasedBody of(Jsn jsn) throws TallyException;
  }

  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final Erasures erasures;
  private final TrustedLog log;

  public StateReader(LedgerCalls calls, LedgerReader reader, Erasures erasures, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.erasures = erasures;
    this.log = log;
  }

  public StateReading newest(Bytes key) throws TallyException {
    Optional<SignedHead> before = log.head();
    StateOfKey answer = calls.state(of(key));
    return reading(answer, key, reader.newest(answer.getHead(), before));
  }

  public StateReading asOf(Bytes key, long height) throws TallyException {
    StateOfKey answer = calls.state(of(key).setAsOfHeight(height));
    return reading(answer, key, reader.at(answer.getHead(), height));
  }

  /// @param time not before the Unix epoch
  public StateAtTime at(Bytes key, Instant time) throws TallyException {
    Optional<SignedHead> before = log.head();
    StateOfKey answer = calls.state(of(key).setAtTimeMs(time.toEpochMilli()));
    AtTime at =
        atTime(time, answer.getHead(), next(answer.hasNextBlock(), answer.getNextBlock()), before);
    return new StateAtTime(reading(answer, key, at.block()), at);
  }

  private static Optional<Block> next(boolean shown, Block next) {
    return shown ? Optional.of(next) : Optional.empty();
  }

  /// Verifies that a block was the newest at a time, by its own seal and the next one.
  ///
  /// @param before a trusted head, of the time before the service was asked
  private AtTime atTime(
      Instant time, Block shown, Optional<Block> shownNext, Optional<SignedHead> before)
      throws TallyException {
    VerifiedBlock block;
    Optional<VerifiedBlock> next = Optional.empty();
    if (shownNext.isEmpty()) {
      block = reader.newest(shown, before);
    } else {
      block = reader.at(shown, shown.getHeight());
      next = Optional.of(reader.at(shownNext.get(), block.height() + 1));
    }
    long timeMs = time.toEpochMilli();
    if (next.isPresent() && !next.get().seal().previous().equals(block.blockHash())) {
      throw log.refused(
          new ProofRejectedException(
              Reason.BROKEN_CHAIN,
              String.format(
                  Locale.ROOT,
                  "block %d does not name block %d as the one before it",
                  next.get().height(),
                  block.height())));
    }
    if (block.seal().timeMs() > timeMs
        || (next.isPresent() && next.get().seal().timeMs() <= timeMs)) {
      throw log.refused(
          new ProofRejectedException(
              Reason.LEAF_MISMATCH,
              String.format(
                  Locale.ROOT,
                  "block %d, sealed at %s, is not the last one at %s%s",
                  block.height(),
                  Printable.time(block.seal().timeMs()),
                  Printable.time(timeMs),
                  next.map(later -> ": the next was sealed at " + later.sealedAt()).orElse(""))));
    }
    return new AtTime(time, block, next);
  }

  private static GetStateRequest.Builder of(Bytes key) {
    return GetStateRequest.newBuilder().setKey(WireBytes.toWire(key));
  }

  private StateReading reading(StateOfKey answer, Bytes key, VerifiedBlock block)
      throws TallyException {
    try {
      LookupProof proof = LookupProof.decode(WireBytes.bytes(answer.getProof()));
      StateAnswer state = proof.verify(key, block.head());
      HeldValue value = HeldValue.NONE;
      switch (state) {
        case StateAnswer.Present(StateEntry entry) -> {
          checkWriter(entry, block);
          value = HeldValue.read(entry, answer.getValueState(), answer.getValue(), erasures);
        }
        case StateAnswer.Deleted(StateEntry entry) -> {
          checkWriter(entry, block);
          checkNoValue(answer.getValue());
        }
        case StateAnswer.Absent unused -> checkNoValue(answer.getValue());
      }
      return new StateReading(block, state, proof, value);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("state of a key", e);
    }
  }

  static void checkNoValue(ByteString value) throws ProofRejectedException {
    if (!value.isEmpty()) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "a value of a key that has none");
    }
  }

  /// Checks that an entry of a block's state was written before the block's seal.
  static void checkWriter(StateEntry entry, VerifiedBlock block) throws ProofRejectedException {
    if (entry.jsn().compareTo(block.seal().jsn()) >= 0) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "key %s is written by journal %s, behind the seal %s",
              entry.key(),
              entry.jsn(),
              block.seal().jsn()));
    }
  }

  /// Several keys under one head.
  ///
  /// @param sorted strictly ascending, at least one
  /// @param height of the block; empty: the newest
  public StateReadings several(List<Bytes> sorted, OptionalLong height) throws TallyException {
    return new KeysReader(calls, reader, erasures, log).read(sorted, height);
  }

  // ---- ranges

  /// A verified page.
  ///
  /// @param next where the next page begins; empty if the range ends here
  record Page(StateRangePage page, Optional<Bytes> next) {}

  /// Begins a walk through a range.
  public StateWalk walk(StateSpan span) throws TallyException {
    return new StateWalk(this, span, first(span), Optional.empty());
  }

  /// The same as of the block that was the newest at a time.
  ///
  /// @param span without a height
  public StateWalk walk(StateSpan span, Instant time) throws TallyException {
    Optional<SignedHead> before = log.head();
    StatePage answer = calls.statePage(page(span, span.from()).setAtTimeMs(time.toEpochMilli()));
    AtTime at =
        atTime(time, answer.getHead(), next(answer.hasNextBlock(), answer.getNextBlock()), before);
    return new StateWalk(this, span, page(answer, span, span.from(), at.block()), Optional.of(at));
  }

  /// The first page of a range.
  private Page first(StateSpan span) throws TallyException {
    Optional<SignedHead> before = log.head();
    OptionalLong height = span.asOfHeight();
    ListStateRequest.Builder request = page(span, span.from());
    height.ifPresent(request::setAsOfHeight);
    StatePage answer = calls.statePage(request);
    VerifiedBlock block =
        height.isPresent()
            ? reader.at(answer.getHead(), height.getAsLong())
            : reader.newest(answer.getHead(), before);
    return page(answer, span, span.from(), block);
  }

  /// A further page, under the head of the first.
  Page next(StateSpan span, Bytes from, VerifiedBlock first) throws TallyException {
    StatePage answer = calls.statePage(page(span, from).setAsOfHeight(first.height()));
    VerifiedBlock block = reader.at(answer.getHead(), first.height());
    return page(answer, span, from, same(block, first, log));
  }

  /// The first of two blocks, whose heads must state the same.
  static VerifiedBlock same(VerifiedBlock block, VerifiedBlock first, TrustedLog log)
      throws TallyException {
    if (!block.head().statesSameAs(first.head())) {
      throw log.refused(
          new ProofRejectedException(
              Reason.WRONG_SIZE,
              String.format(
                  Locale.ROOT,
                  "two heads of block %d, of size %s and %s",
                  first.height(),
                  first.head().size(),
                  block.head().size())));
    }
    return first;
  }

  private static ListStateRequest.Builder page(StateSpan span, Bytes from) {
    ListStateRequest.Builder request =
        ListStateRequest.newBuilder().setFrom(WireBytes.toWire(from)).setLimit(span.pageKeys());
    span.to().ifPresent(to -> request.setTo(WireBytes.toWire(to)));
    return request;
  }

  private Page page(StatePage answer, StateSpan span, Bytes from, VerifiedBlock block)
      throws TallyException {
    try {
      RangeOfState proof = RangeOfState.decode(WireBytes.bytes(answer.getProof()));
      List<StateEntry> entries = proof.verify(from, span.to(), block.head());
      if (answer.getValuesCount() != entries.size()) {
        throw new ProofRejectedException(
            Reason.MISSING,
            String.format(
                Locale.ROOT, "%d values of %d keys", answer.getValuesCount(), entries.size()));
      }
      Map<Jsn, ErasedBody> erased = new HashMap<>();
      List<StateItem> items = new ArrayList<>(entries.size());
      for (StateEntry entry : entries) {
        checkWriter(entry, block);
        io.tallystick.api.v1.StateItem item = answer.getValues(items.size());
        items.add(
            new StateItem(
                entry,
                HeldValue.read(
                    entry, item.getValueState(), item.getValue(), jsn -> once(jsn, erased))));
      }
      return new Page(new StateRangePage(block, proof, items), nextFrom(proof, span));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("page of the state", e);
    }
  }

  /// A journal may have written many of the keys.
  private ErasedBody once(Jsn jsn, Map<Jsn, ErasedBody> known) throws TallyException {
    ErasedBody erased = known.get(jsn);
    if (erased == null) {
      erased = erasures.of(jsn);
      known.put(jsn, erased);
    }
    return erased;
  }

  /// Where the proof itself ends. A page may end early, behind a deleted key too: the next one
  /// begins there, so no key is left out.
  private static Optional<Bytes> nextFrom(RangeOfState proof, StateSpan span) {
    return proof.to().equals(span.to()) ? Optional.empty() : proof.to();
  }

  // ---- saved files

  /// Verifies a saved reading and joins its head.
  public StateFile.Verified verify(StateFile file) throws TallyException {
    return reader.join(
        keys -> file.verify(log.trust().strand(), keys, log.signatures()),
        StateFile.Verified::head);
  }

  /// Verifies saved readings of several keys and joins their head.
  public LookupFile.Verified verify(LookupFile file) throws TallyException {
    return reader.join(
        keys -> file.verify(log.trust().strand(), keys, log.signatures()),
        LookupFile.Verified::head);
  }

  /// Verifies a saved range and joins its head.
  public RangeFile.Verified verify(RangeFile file) throws TallyException {
    return reader.join(
        keys -> file.verify(log.trust().strand(), keys, log.signatures()),
        RangeFile.Verified::head);
  }

  // ---- histories

  /// @param asOfHeight of the block it is as of; empty: the newest
  public StateVersions history(Bytes key, OptionalLong asOfHeight, int pageVersions) {
    return new StateVersions(this, key, asOfHeight, pageVersions, true);
  }

  HistoryReader histories() {
    return new HistoryReader(calls, reader, erasures, log);
  }
}
