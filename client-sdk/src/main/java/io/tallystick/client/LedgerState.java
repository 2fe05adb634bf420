package io.tallystick.client;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.state.StateAtTime;
import io.tallystick.client.state.StateReader;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateReadings;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.state.StateVersions;
import io.tallystick.client.state.StateWalk;
import io.tallystick.client.state.StateWrite;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The state of one ledger: values by key, written by journals, read as of any block that the
/// service keeps. Every read is verified: what it says of a key is what the block's signed head
/// commits to. That this follows from the journals is for an audit to say. Thread-safe.
///
/// A ledger founded without a state answers `feature_not_enabled`.
public final class LedgerState {
  private static final int PAGE_VERSIONS = 100;
  private static final int CONFLICT = 409;

  private final LedgerHandle ledger;

  LedgerState(LedgerHandle ledger) {
    this.ledger = ledger;
  }

  private StateReader reader() throws TallyException {
    return ledger.open().state();
  }

  // ---- write

  public VerifiedReceipt put(Bytes key, Bytes value) throws TallyException {
    return write(StateWrite.put(key, value));
  }

  /// Writes a text to a key that is a text, both in UTF-8.
  public VerifiedReceipt put(String key, String value) throws TallyException {
    return write(StateWrite.put(key, value));
  }

  public VerifiedReceipt delete(Bytes key) throws TallyException {
    return write(StateWrite.delete(key));
  }

  public VerifiedReceipt delete(String key) throws TallyException {
    return write(StateWrite.delete(key));
  }

  /// Writes in one journal: all or none, in this order, each to a key of its own.
  ///
  /// @throws IllegalArgumentException if there is none, or they break a limit of the format
  /// @throws RequestRefusedException `precondition_failed` if a condition does not hold. An
  ///   `ifValue` that does not hold when the client reads is told so by the client: then nothing
  ///   was sent
  public VerifiedReceipt write(StateWrite... writes) throws TallyException {
    return write(JournalDraft.of(Bytes.EMPTY, ""), List.of(writes));
  }

  /// The same in a journal with a payload and clues.
  public VerifiedReceipt write(JournalDraft journal, List<StateWrite> writes)
      throws TallyException {
    if (writes.isEmpty()) {
      throw new IllegalArgumentException("no writes");
    }
    List<DraftOp> ops = new ArrayList<>(journal.ops());
    writes.forEach(write -> ops.add(write.op()));
    JournalDraft draft = journal.withOps(ops); // before anything is read or sent
    int first = journal.ops().size();
    for (int i = 0; i < writes.size(); i++) {
      Bytes wanted = writes.get(i).ifValue();
      if (wanted != null) {
        ops.set(first + i, writes.get(i).committed(commitOf(first + i, writes.get(i), wanted)));
      }
    }
    return ledger.append(draft.withOps(ops));
  }

  private Digest commitOf(int index, StateWrite write, Bytes wanted) throws TallyException {
    StateReading now = reader().newest(write.op().key());
    Optional<Bytes> value = now.value();
    if (now.answer() instanceof StateAnswer.Present(StateEntry entry)
        && value.equals(Optional.of(wanted))) {
      return entry.valueCommit().orElseThrow();
    }
    throw new RequestRefusedException(
        RejectionCode.PRECONDITION_FAILED.wire(),
        String.format(
            Locale.ROOT,
            "operation %d: its key holds %s as of block %d; nothing was sent",
            index,
            value.isEmpty() ? "no value" : "another value",
            now.height()),
        false,
        OptionalInt.empty(),
        OptionalLong.empty(),
        now.entry().map(entry -> OptionalLong.of(entry.jsn().value())).orElse(OptionalLong.empty()),
        Duration.ZERO,
        CONFLICT,
        OptionalInt.of(index),
        Optional.of(write.op().key()));
  }

  // ---- read

  /// The key as the state holds it now, under a head that is not behind any that was trusted
  /// before.
  public StateReading get(Bytes key) throws TallyException {
    checkKey(key);
    return reader().newest(key);
  }

  public StateReading get(String key) throws TallyException {
    return get(Bytes.utf8(key));
  }

  /// The key as the state held it at the end of a block.
  ///
  /// @throws RequestRefusedException `out_of_range` if there is no such block yet, `pruned` if the
  ///   service does not keep its state any more
  public StateReading get(Bytes key, long asOfHeight) throws TallyException {
    checkKey(key);
    checkHeight(asOfHeight);
    return reader().asOf(key, asOfHeight);
  }

  public StateReading get(String key, long asOfHeight) throws TallyException {
    return get(Bytes.utf8(key), asOfHeight);
  }

  /// Several keys as the state holds them now, all under one head, which is not behind any that was
  /// trusted before. Up to 1,000 keys come with one proof. All values are in memory.
  ///
  /// @param keys at least one; one that is given twice is answered once
  public StateReadings getAll(Collection<Bytes> keys) throws TallyException {
    return reader().several(sorted(keys), OptionalLong.empty());
  }

  public StateReadings getAll(String... keys) throws TallyException {
    return getAll(Stream.of(keys).map(Bytes::utf8).toList());
  }

  /// Several keys as the state held them at the end of a block.
  ///
  /// @throws RequestRefusedException as {@link #get(Bytes, long)}
  public StateReadings getAll(Collection<Bytes> keys, long asOfHeight) throws TallyException {
    checkHeight(asOfHeight);
    return reader().several(sorted(keys), OptionalLong.of(asOfHeight));
  }

  private static List<Bytes> sorted(Collection<Bytes> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("no keys");
    }
    keys.forEach(LedgerState::checkKey);
    return List.copyOf(new TreeSet<>(keys));
  }

  /// The key as the state held it at a time, by the service's clock: as of the last block whose
  /// time is not after it. Of the newest block that is not final, as {@link StateAtTime#isFinal}
  /// says.
  ///
  /// @param time not before the Unix epoch
  /// @throws RequestRefusedException `time_out_of_range` before genesis and after the service's
  ///   clock
  public StateAtTime get(Bytes key, Instant time) throws TallyException {
    checkKey(key);
    return reader().at(key, checked(time));
  }

  public StateAtTime get(String key, Instant time) throws TallyException {
    return get(Bytes.utf8(key), time);
  }

  /// All keys of a range that had a value at a time; {@link StateWalk#atTime} says of which block.
  ///
  /// @param span without a height
  /// @throws RequestRefusedException as {@link #get(Bytes, Instant)}
  public StateWalk range(StateSpan span, Instant time) throws TallyException {
    if (span.asOfHeight().isPresent()) {
      throw new IllegalArgumentException("a height and a time exclude each other");
    }
    return reader().walk(span, checked(time));
  }

  private static Instant checked(Instant time) {
    long ms;
    try {
      ms = time.toEpochMilli();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("time " + time + " is too far", e);
    }
    if (ms < 0) {
      throw new IllegalArgumentException("time " + time + " is before the Unix epoch");
    }
    return time;
  }

  /// All keys of a range that have a value, in order, and no others.
  public StateWalk range(StateSpan span) throws TallyException {
    return reader().walk(span);
  }

  /// @param to behind the last key
  public StateWalk range(Bytes from, Bytes to) throws TallyException {
    return range(StateSpan.between(from, to));
  }

  public StateWalk range(String from, String to) throws TallyException {
    return range(Bytes.utf8(from), Bytes.utf8(to));
  }

  /// The writes of a key, newest first, back to founding or to the last purge; read as they are
  /// asked for. They come from the log: the service needs to keep no older state for them.
  public StateVersions history(Bytes key) throws TallyException {
    checkKey(key);
    return reader().history(key, OptionalLong.empty(), PAGE_VERSIONS);
  }

  public StateVersions history(String key) throws TallyException {
    return history(Bytes.utf8(key));
  }

  /// The writes of the key up to a block.
  public StateVersions history(Bytes key, long asOfHeight) throws TallyException {
    checkKey(key);
    checkHeight(asOfHeight);
    return reader().history(key, OptionalLong.of(asOfHeight), PAGE_VERSIONS);
  }

  /// Verifies a saved reading and joins its head to the trusted log; the caller compares the key.
  /// Without the service: {@link ReceiptVerifier}.
  public StateFile.Verified verify(StateFile file) throws TallyException {
    return ledger.open().freshEnough().state().verify(file);
  }

  /// The same of saved readings of several keys; the caller compares the keys.
  public LookupFile.Verified verify(LookupFile file) throws TallyException {
    return ledger.open().freshEnough().state().verify(file);
  }

  /// The same of a saved range; the caller compares its ends.
  public RangeFile.Verified verify(RangeFile file) throws TallyException {
    return ledger.open().freshEnough().state().verify(file);
  }

  private static void checkKey(Bytes key) {
    if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "key of " + key.size() + " bytes, want 1 to " + Limits.KEY_BYTES_MAX);
    }
  }

  private static void checkHeight(long height) {
    if (height < 0) {
      throw new IllegalArgumentException("height " + height + " is negative");
    }
  }
}
