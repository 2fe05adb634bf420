package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.GetStateHistoryRequest;
import io.tallystick.api.v1.GetStateOfKeysRequest;
import io.tallystick.api.v1.GetStateRequest;
import io.tallystick.api.v1.KeyVersion;
import io.tallystick.api.v1.ListStateRequest;
import io.tallystick.api.v1.Problem;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateItem;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StateOfKeys;
import io.tallystick.api.v1.StatePage;
import io.tallystick.api.v1.StateServiceGrpc;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.head.LastSeal;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.ReferenceStates;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The state of the fake service, by the reference forest. Its answers are right until a test
/// changes them. It judges no precondition.
final class FakeStates extends StateServiceGrpc.StateServiceImplBase {
  UnaryOperator<StateOfKey> keyTampering = UnaryOperator.identity();
  BiFunction<ListStateRequest, StatePage, StatePage> pageTampering = (unused, page) -> page;
  BiFunction<GetStateOfKeysRequest, StateOfKeys, StateOfKeys> keysTampering =
      (unused, keys) -> keys;
  UnaryOperator<StateHistory> historyTampering = UnaryOperator.identity();

  /// Heights below it are pruned.
  long oldestKept;

  /// Of a page.
  int pageMax = Integer.MAX_VALUE;

  /// Pages that were asked for.
  int pages;

  private final FakeService service;

  FakeStates(FakeService service) {
    this.service = service;
  }

  // ---- the state of a fake ledger

  /// The writes of the journals `[first, end)`.
  static List<StateEntry> writes(FakeLedger ledger, int first, int end) {
    List<StateEntry> writes = new ArrayList<>();
    for (int jsn = first; jsn < end; jsn++) {
      writes.addAll(ReferenceStates.writes(ledger.entries.get(jsn).ops(), jsn));
    }
    return writes;
  }

  private static List<Op> ops(FakeLedger ledger, int jsn) {
    try {
      return Ops.decode(ledger.entries.get(jsn).ops()).values();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// As of the block with this number.
  static ReferenceForest forest(FakeLedger ledger, int height) {
    ReferenceForest forest =
        new ReferenceForest(Objects.requireNonNull(ledger.params.stateParams()));
    for (int h = 0; h <= height; h++) {
      forest.apply(h, ledger.writes.get(h));
    }
    return forest;
  }

  private static NavigableMap<Bytes, StateEntry> present(FakeLedger ledger, int height) {
    ReferenceForest forest = forest(ledger, height);
    NavigableMap<Bytes, StateEntry> present = new TreeMap<>();
    for (List<StateEntry> block : ledger.writes.subList(0, height + 1)) {
      for (StateEntry entry : block) {
        forest
            .newest(entry.key())
            .filter(StateEntry::isPresent)
            .ifPresent(newest -> present.put(newest.key(), newest));
      }
    }
    return present;
  }

  static StateValue value(FakeLedger ledger, StateEntry entry) {
    int jsn = (int) entry.jsn().value();
    List<Op> ops = ops(ledger, jsn);
    int next = 0;
    for (int i = 0; i < ops.size(); i++) {
      boolean put = ops.get(i) instanceof Op.Put;
      if (put && ops.get(i).key().equals(entry.key())) {
        try {
          Body body = Body.decode(ledger.entries.get(jsn).body());
          return new StateValue(
              Commitments.valueOpening(ledger.entries.get(jsn).salt(), i), body.values().get(next));
        } catch (MalformedException e) {
          throw new AssertionError(e);
        }
      }
      next += put ? 1 : 0;
    }
    throw new AssertionError("journal " + jsn + " does not put " + entry.key());
  }

  // ---- answers

  static Block head(FakeLedger ledger, int height) {
    int seal = ledger.seals.get(height);
    return Block.newBuilder()
        .setHeight(height)
        .setSealJsn(seal)
        .setSealLeaf(wire(ledger.entries.get(seal).leaf()))
        .setHeadReceipt(wire(ledger.receipt(seal).encode()))
        .build();
  }

  static LastSeal seal(FakeLedger ledger, int height) {
    int seal = ledger.seals.get(height);
    return new LastSeal(
        ledger.entries.get(seal).leaf(), ledger.tree().inclusionPath(seal, seal + 1));
  }

  static StateOfKey key(FakeLedger ledger, Bytes key, int height) {
    StateLookup lookup = ReferenceForestProofs.lookup(forest(ledger, height), key);
    StateOfKey.Builder answer =
        StateOfKey.newBuilder()
            .setHead(head(ledger, height))
            .setProof(wire(new LookupProof(seal(ledger, height), key, lookup).encode()))
            .setValueState(BodyState.BODY_NONE);
    forest(ledger, height)
        .newest(key)
        .filter(StateEntry::isPresent)
        .ifPresent(entry ->
            answer
                .setValue(wire(value(ledger, entry).encode()))
                .setValueState(BodyState.BODY_PRESENT));
    return answer.build();
  }

  /// @param sorted those that are answered
  static StateOfKeys keys(FakeLedger ledger, List<Bytes> sorted, int height) {
    StateOfKeys.Builder answer = StateOfKeys.newBuilder().setHead(head(ledger, height));
    ReferenceForest forest = forest(ledger, height);
    if (sorted.size() == 1) {
      answer.setProof(key(ledger, sorted.getFirst(), height).getProof());
    } else {
      StateLookups lookups = ReferenceForestProofs.lookups(forest, sorted);
      answer.setProof(wire(new LookupsProof(seal(ledger, height), sorted, lookups).encode()));
    }
    for (Bytes key : sorted) {
      StateOfKey one = key(ledger, key, height);
      answer.addValues(
          StateItem.newBuilder().setValue(one.getValue()).setValueState(one.getValueState()));
    }
    return answer.build();
  }

  /// @param to behind the last key; null for all from `from` on
  static StatePage page(FakeLedger ledger, Bytes from, @Nullable Bytes to, int limit, int height) {
    NavigableMap<Bytes, StateEntry> all = present(ledger, height);
    List<StateEntry> within =
        List.copyOf((to == null ? all.tailMap(from) : all.subMap(from, to)).values());
    List<StateEntry> shown = within.subList(0, Math.min(limit, within.size()));
    boolean early = shown.size() < within.size();
    Optional<Bytes> end =
        early ? Optional.of(behind(shown.getLast().key())) : Optional.ofNullable(to);
    StatePage.Builder page =
        StatePage.newBuilder()
            .setHead(head(ledger, height))
            .setProof(wire(range(ledger, from, end, height).encode()));
    for (StateEntry entry : shown) {
      page.addValues(
          StateItem.newBuilder()
              .setValue(wire(value(ledger, entry).encode()))
              .setValueState(BodyState.BODY_PRESENT));
    }
    if (early) {
      page.setNextFrom(wire(end.orElseThrow()));
    }
    return page.build();
  }

  static RangeOfState range(FakeLedger ledger, Bytes from, Optional<Bytes> end, int height) {
    StateRange range = ReferenceForestProofs.range(forest(ledger, height), from, end);
    return new RangeOfState(seal(ledger, height), from, end, range);
  }

  private static Bytes behind(Bytes key) {
    byte[] next = new byte[key.size() + 1];
    key.copyInto(next, 0);
    return Bytes.wrap(next);
  }

  /// Index of the block that holds a journal.
  static int blockOf(FakeLedger ledger, long jsn) {
    return ledger.seals.indexOf(ledger.headSize(jsn) - 1);
  }

  private StateHistory history(FakeLedger ledger, GetStateHistoryRequest request) {
    Bytes key = bytes(request.getKey());
    int size = (int) request.getSize();
    int limit = Math.min(pageMax, request.getLimit());
    int jsn = request.hasBeforeJsn() ? (int) request.getBeforeJsn() : size;
    int last =
        request.hasNewerJsn()
            ? blockOf(ledger, request.getNewerJsn()) - 1
            : blockOf(ledger, size - 1L);
    StateHistory.Builder history = StateHistory.newBuilder().setSize(size);
    while (jsn > 0 && history.getVersionsCount() < limit) {
      jsn--;
      List<Op> ops = ops(ledger, jsn);
      for (int i = 0; i < ops.size(); i++) {
        if (ops.get(i).key().equals(key)) {
          KeyVersion.Builder version = version(ledger, ops, i, jsn, size);
          int height = blockOf(ledger, jsn);
          if (height <= last && last >= oldestKept) {
            version.setStill(bare(key(ledger, key, last)));
          }
          last = height - 1;
          if (request.getWithoutValues()) {
            version.clearValue().setValueState(BodyState.BODY_NONE);
          }
          history.addVersions(version);
        }
      }
    }
    history.setScannedTo(jsn).setOver(jsn == 0);
    if (jsn == 0 && last >= oldestKept) {
      history.setBefore(bare(key(ledger, key, last)));
    }
    return history.build();
  }

  /// The writes of a key in the whole log, without states.
  static StateHistory historyOf(FakeLedger ledger, Bytes key) {
    int size = ledger.entries.size();
    StateHistory.Builder history = StateHistory.newBuilder().setSize(size).setOver(true);
    for (int jsn = size - 1; jsn >= 0; jsn--) {
      List<Op> ops = ops(ledger, jsn);
      for (int i = 0; i < ops.size(); i++) {
        if (ops.get(i).key().equals(key)) {
          history.addVersions(version(ledger, ops, i, jsn, size));
        }
      }
    }
    return history.build();
  }

  private static StateOfKey bare(StateOfKey answer) {
    return answer.toBuilder().clearValue().setValueState(BodyState.BODY_NONE).build();
  }

  static KeyVersion.Builder version(FakeLedger ledger, List<Op> ops, int index, int jsn, int size) {
    int seal = ledger.seals.get(blockOf(ledger, jsn));
    List<Bytes> encoded = ops.stream().map(Op::encode).toList();
    KeyVersion.Builder version =
        KeyVersion.newBuilder()
            .setLeaf(wire(ledger.entries.get(jsn).leaf()))
            .setInclusion(inclusion(ledger, jsn, size))
            .setOp(wire(encoded.get(index)))
            .setOpInclusion(wire(InclusionProofBytes.encode(OpsRoot.proof(encoded, index))))
            .setSealLeaf(wire(ledger.entries.get(seal).leaf()))
            .setSealInclusion(inclusion(ledger, seal, size));
    StateEntry entry =
        ReferenceStates.writes(ledger.entries.get(jsn).ops(), jsn).stream()
            .filter(each -> each.key().equals(ops.get(index).key()))
            .findFirst()
            .orElseThrow();
    return entry.isPresent()
        ? version
            .setValue(wire(value(ledger, entry).encode()))
            .setValueState(BodyState.BODY_PRESENT)
        : version.setValueState(BodyState.BODY_NONE);
  }

  private static ByteString inclusion(FakeLedger ledger, int jsn, int size) {
    return wire(
        InclusionProofBytes.encode(
            new InclusionProof(jsn, size, ledger.tree().inclusionPath(jsn, size))));
  }

  private int height(FakeLedger ledger, boolean asked, long height) {
    if (ledger.params.stateParams() == null) {
      throw FakeService.problem(FakeService.problem("feature_not_enabled", false));
    }
    int newest = ledger.seals.size() - 1;
    if (asked && height > newest) {
      throw FakeService.problem(limited("out_of_range", newest));
    }
    if (asked && height < oldestKept) {
      throw FakeService.problem(limited("pruned", oldestKept));
    }
    return asked ? (int) height : newest;
  }

  static long sealedMs(FakeLedger ledger, int height) {
    try {
      return Leaf.decode(ledger.entries.get(ledger.seals.get(height)).leaf()).timeMs();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static int heightAt(FakeLedger ledger, long timeMs) {
    int height = ledger.seals.size() - 1;
    while (sealedMs(ledger, height) > timeMs) {
      height--;
    }
    return height;
  }

  private static Optional<Block> next(FakeLedger ledger, int height) {
    return height + 1 < ledger.seals.size()
        ? Optional.of(head(ledger, height + 1))
        : Optional.empty();
  }

  private static Problem limited(String code, long limit) {
    return FakeService.problem(code, false).toBuilder().setLimit(limit).build();
  }

  @Override
  public void getState(GetStateRequest request, StreamObserver<StateOfKey> out) {
    service.answer(
        out,
        () -> {
          FakeLedger ledger = service.ledger(request.getLedgerId());
          Bytes key = bytes(request.getKey());
          if (!request.hasAtTimeMs()) {
            int height = height(ledger, request.hasAsOfHeight(), request.getAsOfHeight());
            return keyTampering.apply(key(ledger, key, height));
          }
          int height = heightAt(ledger, request.getAtTimeMs());
          StateOfKey.Builder answer = key(ledger, key, height).toBuilder();
          next(ledger, height).ifPresent(answer::setNextBlock);
          return keyTampering.apply(answer.build());
        });
  }

  @Override
  public void getStateOfKeys(GetStateOfKeysRequest request, StreamObserver<StateOfKeys> out) {
    service.answer(
        out,
        () -> {
          pages++;
          FakeLedger ledger = service.ledger(request.getLedgerId());
          int height = height(ledger, request.hasAsOfHeight(), request.getAsOfHeight());
          List<Bytes> all = request.getKeysList().stream().map(FakeStates::bytes).sorted().toList();
          List<Bytes> shown = all.subList(0, Math.min(pageMax, all.size()));
          StateOfKeys.Builder answer = keys(ledger, shown, height).toBuilder();
          if (shown.size() < all.size()) {
            answer.setNextKey(wire(all.get(shown.size())));
          }
          return keysTampering.apply(request, answer.build());
        });
  }

  @Override
  public void listState(ListStateRequest request, StreamObserver<StatePage> out) {
    service.answer(
        out,
        () -> {
          pages++;
          FakeLedger ledger = service.ledger(request.getLedgerId());
          int height =
              request.hasAtTimeMs()
                  ? heightAt(ledger, request.getAtTimeMs())
                  : height(ledger, request.hasAsOfHeight(), request.getAsOfHeight());
          Bytes to = request.hasTo() ? bytes(request.getTo()) : null;
          int limit = Math.min(pageMax, request.getLimit());
          StatePage.Builder page =
              page(ledger, bytes(request.getFrom()), to, limit, height).toBuilder();
          if (request.hasAtTimeMs()) {
            next(ledger, height).ifPresent(page::setNextBlock);
          }
          return pageTampering.apply(request, page.build());
        });
  }

  @Override
  public void getStateHistory(GetStateHistoryRequest request, StreamObserver<StateHistory> out) {
    service.answer(
        out,
        () -> {
          FakeLedger ledger = service.ledger(request.getLedgerId());
          int unused = height(ledger, false, 0);
          pages++;
          return historyTampering.apply(history(ledger, request));
        });
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }
}
