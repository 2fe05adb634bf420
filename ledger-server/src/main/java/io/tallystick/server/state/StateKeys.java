package io.tallystick.server.state;

import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.server.seal.StrandIndex;
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

/// Reads of several keys with one proof. One that would be too large, or whose values would be, is
/// of the first keys alone.
final class StateKeys {
  private StateKeys() {}

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

  /// The answer of one key, which has a proof of its own.
  ///
  /// @param sorted the keys asked for, of which it is the first
  static ProvenStates one(List<Bytes> sorted, ProvenState state, boolean withValues) {
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
  static Optional<ProvenStates> several(
      StrandIndex strand,
      List<Bytes> sorted,
      ProvenStateReader.At at,
      ValueReader values,
      boolean withValues)
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
        int kept = values.countOfPage(strand, present);
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
      List<ReadValue> read = withValues ? values(strand, answers, present, values) : List.of();
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
      List<Bytes> keys, ForestReader.SeveralProven proven, ProvenStateReader.At at)
      throws RequestRejectedException {
    try {
      List<StateAnswer> answers = proven.lookups().verify(keys, at.root(), at.height());
      for (StateAnswer answer : answers) {
        Optional<StateEntry> found =
            Optional.ofNullable(proven.held().get(answer.key())).map(HeldEntry::entry);
        if (!entry(answer).equals(found)) {
          throw new AssertionError("the proof shows another entry than was found");
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
      StrandIndex strand, List<StateAnswer> answers, List<HeldEntry> present, ValueReader values)
      throws IOException {
    List<ReadValue> read = values.read(strand, present);
    List<ReadValue> all = new ArrayList<>(answers.size());
    int next = 0;
    for (StateAnswer answer : answers) {
      all.add(answer instanceof StateAnswer.Present ? read.get(next++) : ReadValue.NONE);
    }
    return all;
  }
}
