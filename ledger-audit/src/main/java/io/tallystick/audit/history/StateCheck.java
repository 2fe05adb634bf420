package io.tallystick.audit.history;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.OpRow;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.replay.StateOp;
import io.tallystick.audit.replay.StateReplay;
import io.tallystick.audit.source.LogSource;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Carries out the operations of the journals again, each where the replay has got, and judges
/// their preconditions. Does nothing in a ledger without a state. Not thread-safe.
final class StateCheck implements AutoCloseable {
  private final @Nullable StateReplay state;
  private final long bytesMax;
  private final Findings findings;
  private final RunningCounts counts;
  private List<OpRow.Journal> journals = List.of();
  private int next;

  StateCheck(GenesisParams genesis, ReplayMemory memory, Findings findings, RunningCounts counts) {
    StateParams params = genesis.stateParams();
    this.state = params == null ? null : new StateReplay(params, memory);
    this.bytesMax = memory.bytesMax();
    this.findings = findings;
    this.counts = counts;
  }

  /// Takes the state over as of the seal that a purged log begins behind.
  ///
  /// @throws FaultException unless the source has it and it gives the state root of that seal
  void begin(LogSource source, Beginning beginning)
      throws FaultException, IOException, AuditLimitException, LogFormatException {
    if (state != null) {
      try {
        ReplayedSnapshotState.read(source, beginning, state);
      } catch (MalformedException e) {
        throw new FaultException(
            0, FaultKind.PSEUDO_GENESIS_INVALID, String.valueOf(e.getMessage()));
      }
      checkMemory(state);
    }
  }

  /// Begins with the next chunk.
  void begin(OpRow chunk) {
    journals = chunk.journals();
    next = 0;
  }

  /// The operations of a journal.
  ///
  /// @param leaf its index in the chunk
  void apply(int leaf, long jsn) throws FaultException, IOException, AuditLimitException {
    StateReplay replay = state;
    if (replay == null || next == journals.size() || journals.get(next).leaf() != leaf) {
      return;
    }
    List<StateOp> ops = journals.get(next++).ops();
    for (int i = 0; i < ops.size(); i++) {
      Optional<String> ignored = replay.add(jsn, ops.get(i));
      counts.operations++;
      if (ignored.isPresent()) {
        findings.add(
            new AuditFault(
                jsn,
                FaultKind.PRECONDITION_IGNORED,
                String.format(
                    Locale.ROOT,
                    "operation %d on key %s %s",
                    i,
                    Printable.name(ops.get(i).key()),
                    ignored.get())));
      }
    }
    checkMemory(replay);
  }

  /// The operations of the block that ends have come.
  ///
  /// @return the state root its seal must have; null in a ledger without a state
  @Nullable Digest endBlock(long height) throws IOException, AuditLimitException {
    StateReplay replay = state;
    if (replay == null) {
      return null;
    }
    Digest root = replay.endBlock(height);
    checkMemory(replay);
    return root;
  }

  private void checkMemory(StateReplay replay) throws AuditLimitException {
    if (replay.bytes() > bytesMax) {
      throw new AuditLimitException(
          String.format(
              Locale.ROOT,
              "the newest part of the state takes %d bytes of memory, this auditor keeps %d",
              replay.bytes(),
              bytesMax));
    }
  }

  /// The replay of the state; empty in a ledger without one.
  Optional<StateReplay> state() {
    return Optional.ofNullable(state);
  }

  @Override
  public void close() throws IOException {
    if (state != null) {
      state.close();
    }
  }
}
