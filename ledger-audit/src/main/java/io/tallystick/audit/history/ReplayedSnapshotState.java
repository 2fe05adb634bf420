package io.tallystick.audit.history;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.replay.StateReplay;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogSource;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// The state as of the seal that a purged log begins behind, as its source has it. It needs no
/// signature: it must give the state root of that seal. Source: `docs/formats/audit-statement.md`,
/// "State as of a purge".
public final class ReplayedSnapshotState {
  private static final int BUFFER_BYTES = 1 << 16;

  private ReplayedSnapshotState() {}

  private static boolean isEmpty(Beginning beginning) {
    return beginning.seal().stateRoot().equals(SealLeaf.EMPTY_STATE_ROOT);
  }

  /// @param state empty; may hold a part if this fails
  /// @throws MalformedException unless the source has it and it gives that root
  static void read(LogSource source, Beginning beginning, StateReplay state)
      throws IOException, LogFormatException, MalformedException {
    if (isEmpty(beginning)) {
      return;
    }
    Optional<InputStream> file = source.purgedState();
    if (file.isEmpty()) {
      throw invalid("the source does not have it");
    }
    try (InputStream in = new BufferedInputStream(file.get(), BUFFER_BYTES)) {
      state.readImage(in, beginning.seal().stateRoot());
    } catch (MalformedException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
  }

  private static MalformedException invalid(String detail) {
    return new MalformedException("state of what was purged: " + detail);
  }

  /// The file, to be kept beside the log.
  ///
  /// @param bytesMax that it may have
  /// @return empty if the ledger had no state as of that seal
  /// @throws LogFormatException unless the source has it and it gives the state root of the seal
  ///   that the log begins behind
  /// @throws AuditLimitException if it has more bytes
  public static Optional<Bytes> of(LogSource source, Beginning beginning, int bytesMax)
      throws IOException, LogFormatException, AuditLimitException {
    StateParams params = beginning.start().genesis().stateParams();
    if (params == null || isEmpty(beginning)) {
      return Optional.empty();
    }
    Optional<InputStream> file = source.purgedState();
    if (file.isEmpty()) {
      throw LogFormatException.truncated("the source has no state of what was purged");
    }
    byte[] bytes;
    try (InputStream in = file.get()) {
      bytes = in.readNBytes(bytesMax);
      if (in.read() >= 0) {
        throw LogCopy.tooLarge("state", bytesMax);
      }
    }
    try (StateReplay state = new StateReplay(params, ReplayMemory.defaults())) {
      state.readImage(new ByteArrayInputStream(bytes), beginning.seal().stateRoot());
    } catch (MalformedException e) {
      throw LogFormatException.malformed("state of what was purged: " + e.getMessage());
    }
    return Optional.of(Bytes.wrap(bytes));
  }
}
