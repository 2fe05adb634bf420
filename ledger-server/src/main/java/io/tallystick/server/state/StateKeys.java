package io.tallystick.server.state;

import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Reads of one key, and of several with one proof. One that would be too large, or whose values
/// would be, is of the first keys alone.
final class StateKeys {
  private StateKeys() {}

  /// What one key holds.
  static ProvenState look(Bytes key, StateAt at, boolean withValue)
      throws IOException, CorruptStreamException, RequestRejectedException {
    ForestReader.Proven proven = at.reader().proven(key);
    StateLookup lookup = proven.lookup();
    StateAnswer answer;
    try {
      answer = lookup.verify(key, at.root(), at.height());
    } catch (ProofRejectedException e) {
      throw ProvenStateReader.damaged(e);
    }
    LookupProof proof = new LookupProof(at.seal(), key, lookup);
    int bytes = proof.encode().size();
    if (bytes > LookupProof.BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              String.format(
                  Locale.ROOT, "the proof has %d bytes, at most %d", bytes, LookupProof.BYTES_MAX))
          .withLimit(LookupProof.BYTES_MAX);
    }
    ReadValue value = ReadValue.NONE;
    if (withValue && answer instanceof StateAnswer.Present(StateEntry entry)) {
      value = at.values().read(heldAs(entry, proven.held()));
    }
    return new ProvenState(at.view(), proof, answer, value);
  }

  private static HeldEntry heldAs(StateEntry shown, Optional<HeldEntry> found)
      throws RequestRejectedException {
    if (found.isEmpty() || !found.get().entry().equals(shown)) {
      throw ProvenStateReader.damaged("it shows another entry than was found");
    }
    return found.get();
  }

  /// Keys to be read with one proof.
  ///
  /// @throws RequestRejectedException `OPERATION_INVALID`
  static List<Bytes> sorted(List<Bytes> keys) throws RequestRejectedException {
    if (keys.isEmpty() || keys.size() > StateLookups.KEYS_MAX) {
      throw new RequestRejectedException(
              RejectionCode.OPERATION_INVALID,
              String.format(
                  Locale.ROOT, "%d keys, want 1 to %d", keys.size(), StateLookups.KEYS_MAX))
          .withLimit(StateLookups.KEYS_MAX);
    }
    Map<Bytes, Integer> seen = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      checkKey(keys.get(i), i);
      Integer before = seen.putIfAbsent(keys.get(i), i);
      if (before != null) {
        throw new RequestRejectedException(
                RejectionCode.OPERATION_INVALID,
                String.format(
                    Locale.ROOT,
                    "keys %d and %d are the same: %s",
                    before,
                    i,
                    Printable.name(keys.get(i))))
            .atIndex(i);
      }
    }
    return keys.stream().sorted().toList();
  }

  private static void checkKey(Bytes key, int index) throws RequestRejectedException {
    try {
      ProvenStateReader.checkKey(key);
    } catch (RequestRejectedException e) {
      throw e.atIndex(index);
    }
  }

  /// What several keys hold, or the first of them.
  ///
  /// @param sorted the keys asked for
  static ProvenStates look(List<Bytes> sorted, StateAt at, boolean withValues)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Optional<ProvenStates> several = several(sorted, at, withValues);
    return several.isPresent()
        ? several.get()
        : one(sorted, look(sorted.getFirst(), at, withValues), withValues);
  }

  /// The answer of one key, which has a proof of its own.
  ///
  /// @param sorted the keys asked for, of which it is the first
  private static ProvenStates one(List<Bytes> sorted, ProvenState state, boolean withValues) {
    return new ProvenStates(
        state.head(),
        state.proof().encode(),
        List.of(state.answer()),
        withValues ? List.of(state.value()) : List.of(),
        next(sorted, 1));
  }

  private static Optional<Bytes> next(List<Bytes> sorted, int answered) {
    return answered < sorted.size() ? Optional.of(sorted.get(answered)) : Optional.empty();
  }

  /// @param sorted the keys asked for
  /// @return empty if only one key can be answered
  private static Optional<ProvenStates> several(List<Bytes> sorted, StateAt at, boolean withValues)
      throws IOException, CorruptStreamException, RequestRejectedException {
    int count = sorted.size();
    while (count >= StateLookups.KEYS_MIN) {
      List<Bytes> keys = sorted.subList(0, count);
      Optional<ForestReader.SeveralProven> proven =
          at.reader().several(keys, LookupsProof.BYTES_MAX);
      if (proven.isEmpty()) {
        count /= 2;
        continue;
      }
      List<HeldEntry> present = present(keys, proven.get().held());
      if (withValues && !present.isEmpty()) {
        int kept = at.values().countOfPage(present);
        if (kept < present.size()) {
          count = keys.indexOf(present.get(kept).key());
          continue;
        }
      }
      Bytes proof = new LookupsProof(at.seal(), keys, proven.get().lookups()).encode();
      if (proof.size() > LookupsProof.BYTES_MAX) {
        count /= 2;
        continue;
      }
      List<StateAnswer> answers = verified(keys, proven.get(), at);
      List<ReadValue> read = withValues ? values(answers, present, at.values()) : List.of();
      return Optional.of(new ProvenStates(at.view(), proof, answers, read, next(sorted, count)));
    }
    return Optional.empty();
  }

  private static List<HeldEntry> present(List<Bytes> keys, Map<Bytes, HeldEntry> held) {
    List<HeldEntry> present = new ArrayList<>();
    for (Bytes key : keys) {
      HeldEntry entry = held.get(key);
      if (entry != null && entry.entry().isPresent()) {
        present.add(entry);
      }
    }
    return present;
  }

  private static List<StateAnswer> verified(
      List<Bytes> keys, ForestReader.SeveralProven proven, StateAt at)
      throws RequestRejectedException {
    try {
      List<StateAnswer> answers = proven.lookups().verify(keys, at.root(), at.height());
      for (StateAnswer answer : answers) {
        Optional<StateEntry> found =
            Optional.ofNullable(proven.held().get(answer.key())).map(HeldEntry::entry);
        if (!entry(answer).equals(found)) {
          throw ProvenStateReader.damaged("it shows another entry than was found");
        }
      }
      return answers;
    } catch (ProofRejectedException e) {
      throw ProvenStateReader.damaged(e);
    }
  }

  private static Optional<StateEntry> entry(StateAnswer answer) {
    return switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> Optional.of(entry);
      case StateAnswer.Deleted(StateEntry entry) -> Optional.of(entry);
      case StateAnswer.Absent _ -> Optional.empty();
    };
  }

  private static List<ReadValue> values(
      List<StateAnswer> answers, List<HeldEntry> present, Values values) throws IOException {
    List<ReadValue> read = values.read(present);
    List<ReadValue> all = new ArrayList<>(answers.size());
    int next = 0;
    for (StateAnswer answer : answers) {
      all.add(answer instanceof StateAnswer.Present ? read.get(next++) : ReadValue.NONE);
    }
    return all;
  }
}
