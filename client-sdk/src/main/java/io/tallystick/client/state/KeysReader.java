package io.tallystick.client.state;

import io.tallystick.api.v1.GetStateOfKeysRequest;
import io.tallystick.api.v1.StateItem;
import io.tallystick.api.v1.StateOfKeys;
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
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Reads several keys, page by page under one head, until all are answered. What the service says
/// of a page's end does not count: the proof names the keys. Of one call.
final class KeysReader {
  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final StateReader.Erasures erasures;
  private final TrustedLog log;
  private final Map<Jsn, ErasedBody> erased = new HashMap<>();

  KeysReader(
      LedgerCalls calls, LedgerReader reader, StateReader.Erasures erasures, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.erasures = erasures;
    this.log = log;
  }

  /// @param sorted strictly ascending, at least one
  /// @param height empty: the newest
  StateReadings read(List<Bytes> sorted, OptionalLong height) throws TallyException {
    Optional<SignedHead> before = log.head();
    List<KeysPage> pages = new ArrayList<>();
    VerifiedBlock block = null;
    int done = 0;
    while (block == null || done < sorted.size()) {
      List<Bytes> wanted =
          sorted.subList(done, Math.min(done + StateLookups.KEYS_MAX, sorted.size()));
      StateOfKeys answer = calls.stateOfKeys(of(wanted, block, height));
      block = block(answer, block, height, before);
      KeysPage page = page(answer, wanted, block);
      pages.add(page);
      done += page.keys().size();
    }
    return new StateReadings(block, pages);
  }

  private static GetStateOfKeysRequest.Builder of(
      List<Bytes> wanted, @Nullable VerifiedBlock block, OptionalLong height) {
    GetStateOfKeysRequest.Builder request = GetStateOfKeysRequest.newBuilder();
    wanted.forEach(key -> request.addKeys(WireBytes.toWire(key)));
    if (block != null) {
      request.setAsOfHeight(block.height());
    } else {
      height.ifPresent(request::setAsOfHeight);
    }
    return request;
  }

  private VerifiedBlock block(
      StateOfKeys answer,
      @Nullable VerifiedBlock first,
      OptionalLong height,
      Optional<SignedHead> before)
      throws TallyException {
    if (first != null) {
      return StateReader.same(reader.at(answer.getHead(), first.height()), first, log);
    }
    return height.isPresent()
        ? reader.at(answer.getHead(), height.getAsLong())
        : reader.newest(answer.getHead(), before);
  }

  private KeysPage page(StateOfKeys answer, List<Bytes> wanted, VerifiedBlock block)
      throws TallyException {
    try {
      Bytes encoded = WireBytes.bytes(answer.getProof());
      if (!LookupsProof.isOne(encoded)) {
        LookupProof one = LookupProof.decode(encoded);
        StateAnswer state = one.verify(wanted.getFirst(), block.head());
        return page(answer, new KeysPage.Proof.OfOne(one), List.of(state), block);
      }
      LookupsProof several = LookupsProof.decode(encoded);
      List<StateAnswer> states = several.verify(wanted, block.head());
      return page(answer, new KeysPage.Proof.OfSeveral(several), states, block);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("state of several keys", e);
    }
  }

  private KeysPage page(
      StateOfKeys answer, KeysPage.Proof proof, List<StateAnswer> states, VerifiedBlock block)
      throws ProofRejectedException, MalformedException, TallyException {
    if (answer.getValuesCount() != states.size()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT, "%d values of %d keys", answer.getValuesCount(), states.size()));
    }
    List<HeldKey> keys = new ArrayList<>(states.size());
    for (StateAnswer state : states) {
      keys.add(new HeldKey(state, value(state, answer.getValues(keys.size()), block)));
    }
    return new KeysPage(block.head(), proof, keys);
  }

  private HeldValue value(StateAnswer state, StateItem item, VerifiedBlock block)
      throws ProofRejectedException, MalformedException, TallyException {
    Optional<StateEntry> entry = HeldKey.entry(state);
    if (entry.isPresent()) {
      StateReader.checkWriter(entry.get(), block);
    }
    if (state instanceof StateAnswer.Present present) {
      return HeldValue.read(
          present.entry(), item.getValueState(), item.getValue(), this::erasedOnce);
    }
    StateReader.checkNoValue(item.getValue());
    return HeldValue.NONE;
  }

  /// A journal may have written many of the keys.
  private ErasedBody erasedOnce(Jsn jsn) throws TallyException {
    ErasedBody known = erased.get(jsn);
    if (known == null) {
      known = erasures.of(jsn);
      erased.put(jsn, known);
    }
    return known;
  }
}
