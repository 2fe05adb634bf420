package io.tallystick.proxy.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.proxy.read.BlockAtTime;
import io.tallystick.state.StateValue;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The answers of REST about a ledger's state. Keys come as base64, and as text where they are
/// UTF-8.
final class StateJson {
  private StateJson() {}

  /// One operation of a journal.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Operation(
      String op,
      String key,
      @Nullable String keyText,
      @Nullable String valueCommit,
      @Nullable Integer valueSize,
      @Nullable Boolean ifAbsent,
      @Nullable Long ifVersion,
      @Nullable String ifCommit) {
    static Operation of(Op op) {
      Op.Put put = op instanceof Op.Put it ? it : null;
      return new Operation(
          put == null ? "delete" : "put",
          Json.base64(op.key()),
          text(op.key()),
          put == null ? null : put.valueCommit().hex(),
          put == null ? null : put.valueSizeBytes(),
          op.precondition() instanceof Precondition.IfAbsent ? true : null,
          op.precondition() instanceof Precondition.IfVersion it ? it.jsn().value() : null,
          op.precondition() instanceof Precondition.IfCommit it ? it.valueCommit().hex() : null);
    }
  }

  static List<Operation> operations(Bytes encoded) throws MalformedException {
    return Ops.decode(encoded).values().stream().map(Operation::of).toList();
  }

  /// An entry of a key that has a value.
  ///
  /// @param value absent if it was not asked for, or cannot be read
  /// @param opening beside the value: SHA-256 of both makes the commitment
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Entry(
      String key,
      @Nullable String keyText,
      long jsn,
      String valueCommit,
      long valueSize,
      @Nullable String valueState,
      @Nullable String value,
      @Nullable String opening) {
    static Entry of(StateEntry entry, @Nullable ReadValue read) {
      StateValue value = read == null ? null : read.value().orElse(null);
      return new Entry(
          Json.base64(entry.key()),
          text(entry.key()),
          entry.jsn().value(),
          entry.valueCommit().map(Digest::hex).orElseThrow(),
          entry.valueSizeBytes(),
          read == null ? null : state(read),
          value == null ? null : Json.base64(value.value()),
          value == null ? null : value.opening().hex());
    }
  }

  static @Nullable String state(ReadValue read) {
    return read.state() == BodyState.NONE ? null : read.state().name().toLowerCase(Locale.ROOT);
  }

  /// What the state of a block holds of a key.
  ///
  /// @param state present, deleted or absent
  /// @param neverWritten of an absent key: whether no journal ever wrote it
  /// @param deletedJsn the journal that deleted it
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record KeyState(
      String key,
      @Nullable String keyText,
      String state,
      @Nullable Boolean neverWritten,
      @Nullable Long deletedJsn,
      @Nullable Entry entry) {
    static KeyState of(StateAnswer answer, @Nullable ReadValue value) {
      String base64 = Json.base64(answer.key());
      String text = text(answer.key());
      return switch (answer) {
        case StateAnswer.Present(StateEntry entry) ->
            new KeyState(base64, text, "present", null, null, Entry.of(entry, value));
        case StateAnswer.Deleted(StateEntry tombstone) ->
            new KeyState(base64, text, "deleted", null, tombstone.jsn().value(), null);
        case StateAnswer.Absent(Bytes _, boolean neverWritten) ->
            new KeyState(base64, text, "absent", neverWritten, null, null);
      };
    }
  }

  /// The entries of several keys in the state of a block.
  ///
  /// @param head the block that the proof is under
  /// @param proof absent if it was not asked for
  /// @param nextKey the first key that is not answered; absent if all are
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Keys(
      List<KeyState> states, Json.Block head, @Nullable String proof, @Nullable String nextKey) {
    static Keys of(ProvenStates proven, boolean withProof) {
      List<KeyState> states = new ArrayList<>();
      for (int i = 0; i < proven.answers().size(); i++) {
        ReadValue value = proven.values().isEmpty() ? null : proven.values().get(i);
        states.add(KeyState.of(proven.answers().get(i), value));
      }
      return new Keys(
          states,
          Json.Block.of(proven.head()),
          withProof ? Json.base64(proven.proof()) : null,
          proven.next().map(Json::base64).orElse(null));
    }
  }

  /// The entry of a key in the state of a block.
  ///
  /// @param head the block that the proof is under
  /// @param proof absent if it was not asked for
  /// @param settled of an answer at a time: whether the block is the last with a time not after it
  /// @param next the block after it, which shows that
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Key(
      @JsonUnwrapped KeyState of,
      Json.Block head,
      @Nullable String proof,
      @JsonProperty("final") @Nullable Boolean settled,
      Json.@Nullable Block next) {
    static Key of(ProvenState proven, boolean withProof) {
      return of(proven, Optional.empty(), withProof);
    }

    static Key of(ProvenState proven, Optional<BlockAtTime> at, boolean withProof) {
      String proof = withProof ? Json.base64(proven.proof().encode()) : null;
      KeyState state = KeyState.of(proven.answer(), proven.value());
      return new Key(state, Json.Block.of(proven.head()), proof, isFinal(at), nextOf(at));
    }
  }

  private static @Nullable Boolean isFinal(Optional<BlockAtTime> at) {
    return at.map(found -> found.next().isPresent()).orElse(null);
  }

  private static Json.@Nullable Block nextOf(Optional<BlockAtTime> at) {
    return at.flatMap(BlockAtTime::next).map(Json.Block::of).orElse(null);
  }

  /// @param proof of the page; absent if it was not asked for
  /// @param cursor of the next page; absent if this was the last
  /// @param settled as of a key
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Page(
      List<Entry> entries,
      Json.Block head,
      @Nullable String proof,
      @Nullable String cursor,
      @JsonProperty("final") @Nullable Boolean settled,
      Json.@Nullable Block next) {
    static Page of(
        LedgerId ledger,
        ProvenStatePage page,
        Optional<Bytes> to,
        Optional<BlockAtTime> at,
        boolean withProof) {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < page.entries().size(); i++) {
        ReadValue value = page.values().isEmpty() ? null : page.values().get(i);
        entries.add(Entry.of(page.entries().get(i), value));
      }
      String cursor =
          page.next()
              .map(next -> new StateCursor(page.head().height(), next, to).text(ledger))
              .orElse(null);
      return new Page(
          entries,
          Json.Block.of(page.head()),
          withProof ? Json.base64(page.proof().encode()) : null,
          cursor,
          isFinal(at),
          nextOf(at));
    }
  }

  /// The key as text; null if it is not UTF-8.
  static @Nullable String text(Bytes key) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key.toArray())).toString();
    } catch (CharacterCodingException _) {
      return null;
    }
  }
}
