package io.tallystick.client.state;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetStateHistoryRequest;
import io.tallystick.api.v1.KeyVersion;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.KeyWrite;
import io.tallystick.state.LookupProof;
import io.tallystick.state.WriteProof;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Reads pages of a key's history: each write by its proof under one trusted head, in order, and
/// what is shown of the states between them compared with the writes. Thread-safe.
final class HistoryReader {
  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final StateReader.Erasures erasures;
  private final TrustedLog log;

  HistoryReader(
      LedgerCalls calls, LedgerReader reader, StateReader.Erasures erasures, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.erasures = erasures;
    this.log = log;
  }

  /// A verified page.
  ///
  /// @param scannedTo all journals from it on were looked at, says the service
  /// @param over whether it says that there is no further page
  /// @param before the key in the state before its oldest write, if the page is the last
  record Page(
      List<StateVersion> versions,
      long scannedTo,
      boolean over,
      Optional<Jsn> purge,
      Optional<StateReading> before) {}

  /// The block that a history is as of.
  ///
  /// @param height empty: the newest
  VerifiedBlock tree(OptionalLong height) throws TallyException {
    return height.isEmpty()
        ? reader.newestBlock()
        : reader.block(GetBlockRequest.newBuilder().setHeight(height.getAsLong()));
  }

  /// @param tree the block whose head all writes are proven under
  /// @param before only journals below it; empty: all of the tree
  /// @param newer the oldest write of the pages before; null: none yet
  Page read(
      Bytes key,
      VerifiedBlock tree,
      OptionalLong before,
      @Nullable StateVersion newer,
      int limit,
      boolean withValues)
      throws TallyException {
    long size = tree.head().size().value();
    GetStateHistoryRequest.Builder request =
        GetStateHistoryRequest.newBuilder()
            .setKey(WireBytes.toWire(key))
            .setSize(size)
            .setLimit(limit)
            .setWithoutValues(!withValues);
    before.ifPresent(request::setBeforeJsn);
    if (newer != null) {
      request.setNewerJsn(newer.jsn().value());
    }
    StateHistory answer = reader.covered(() -> calls.stateHistory(request));
    try {
      checkScan(answer, size, before.orElse(size));
      List<StateVersion> versions = new ArrayList<>();
      StateVersion last = newer;
      long below = before.orElse(size);
      for (KeyVersion each : answer.getVersionsList()) {
        StateVersion version = version(key, tree, each, last, withValues);
        long jsn = version.jsn().value();
        if (jsn >= below || jsn < answer.getScannedTo()) {
          throw new ProofRejectedException(
              Reason.WRONG_JSN,
              String.format(
                  Locale.ROOT,
                  "a write by journal %d, want one from %d to below %d",
                  jsn,
                  answer.getScannedTo(),
                  below));
        }
        versions.add(version);
        last = version;
        below = jsn;
      }
      return new Page(
          versions,
          answer.getScannedTo(),
          answer.getOver(),
          answer.hasPurgeJsn() ? Optional.of(new Jsn(answer.getPurgeJsn())) : Optional.empty(),
          answer.hasBefore() ? Optional.of(before(key, tree, answer, last)) : Optional.empty());
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("history of a key", e);
    }
  }

  private static void checkScan(StateHistory answer, long size, long before)
      throws ProofRejectedException {
    if (answer.getSize() != size) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "a history in " + answer.getSize() + " leaves, want " + size);
    }
    long end = answer.getScannedTo();
    boolean right =
        answer.getOver()
            ? answer.hasPurgeJsn() == (end != 0) && end <= before
            : end > 0 && end < before && !answer.hasPurgeJsn() && !answer.hasBefore();
    if (end < 0 || !right || (answer.hasPurgeJsn() && answer.getPurgeJsn() < end)) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "a history of the leaves below %d that ends at %d and %s",
              before,
              end,
              answer.getOver() ? "is said to be over" : "goes on"));
    }
  }

  private StateVersion version(
      Bytes key,
      VerifiedBlock tree,
      KeyVersion shown,
      @Nullable StateVersion newer,
      boolean withValues)
      throws ProofRejectedException, MalformedException, TallyException {
    WriteProof proof =
        new WriteProof(
            WireBytes.bytes(shown.getLeaf()),
            inclusion(shown.getInclusion()),
            WireBytes.bytes(shown.getOp()),
            inclusion(shown.getOpInclusion()),
            WireBytes.bytes(shown.getSealLeaf()),
            inclusion(shown.getSealInclusion()));
    KeyWrite write = proof.verify(key, tree.head());
    HeldValue value = HeldValue.NONE;
    if (write.entry().isPresent() && withValues) {
      value = HeldValue.read(write.entry(), shown.getValueState(), shown.getValue(), erasures);
    } else if (!shown.getValue().isEmpty()) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "a value where none was written or asked for");
    }
    Optional<StateReading> still = Optional.empty();
    if (shown.hasStill()) {
      still = Optional.of(state(key, tree, shown.getStill(), newer, value));
      checkStill(write, still.get().answer());
    }
    return new StateVersion(write, value, still);
  }

  private static InclusionProof inclusion(ByteString encoded) throws MalformedException {
    return InclusionProofBytes.decode(WireBytes.bytes(encoded));
  }

  /// The key in the state before the block of a write; without a write that of the whole tree.
  private StateReading state(
      Bytes key,
      VerifiedBlock tree,
      StateOfKey shown,
      @Nullable StateVersion newer,
      HeldValue value)
      throws ProofRejectedException, MalformedException, TallyException {
    long height = newer == null ? tree.height() : newer.height() - 1;
    long size =
        newer == null ? tree.head().size().value() : newer.write().seal().firstJsn().value();
    VerifiedBlock block = reader.at(shown.getHead(), height);
    if (block.head().size().value() != size) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT,
              "block %d of size %s, the one after it begins at %d",
              height,
              block.head().size(),
              size));
    }
    LookupProof proof = LookupProof.decode(WireBytes.bytes(shown.getProof()));
    return new StateReading(block, proof.verify(key, block.head()), proof, value);
  }

  /// The state may have dropped a deletion, and nothing else.
  private static void checkStill(KeyWrite write, StateAnswer answer) throws ProofRejectedException {
    switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> checkSame(write, entry);
      case StateAnswer.Deleted(StateEntry entry) -> checkSame(write, entry);
      case StateAnswer.Absent absent -> {
        if (write.entry().isPresent() || absent.neverWritten()) {
          throw new ProofRejectedException(
              Reason.BROKEN_CHAIN,
              String.format(
                  Locale.ROOT, "journal %s wrote the key, the state has nothing", write.jsn()));
        }
      }
    }
  }

  private static void checkSame(KeyWrite write, StateEntry entry) throws ProofRejectedException {
    if (entry.equals(write.entry())) {
      return;
    }
    boolean newer = entry.jsn().compareTo(write.jsn()) > 0;
    throw new ProofRejectedException(
        newer ? Reason.MISSING : Reason.BROKEN_CHAIN,
        String.format(
            Locale.ROOT,
            newer
                ? "journal %s wrote the key, the history passes from a newer one to journal %s"
                : "the state holds what journal %s wrote, after journal %s wrote the key",
            entry.jsn(),
            write.jsn()));
  }

  /// Before the oldest write the state holds nothing, or what a purged journal wrote.
  private StateReading before(
      Bytes key, VerifiedBlock tree, StateHistory answer, @Nullable StateVersion oldest)
      throws ProofRejectedException, MalformedException, TallyException {
    StateReading before = state(key, tree, answer.getBefore(), oldest, HeldValue.NONE);
    Optional<StateEntry> entry = before.entry();
    if (entry.isPresent() && entry.get().jsn().value() >= answer.getScannedTo()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT,
              "journal %s wrote the key, the history leaves it out",
              entry.get().jsn()));
    }
    return before;
  }
}
