package io.tallystick.cluster;

import io.tallystick.cbor.CborReader;
import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The T-Ledger of a cluster, at the path `t-ledger`: `[1, founding request, nonce]`. Source:
/// `docs/formats/replicated.md`.
///
/// @param id that the request founds
/// @param request as {@link TLedgerFounding} keeps it
public record ClusterTLedger(LedgerId id, Bytes request) {
  /// The name of the writer's key in the folder of the service's keys.
  public static final String KEY = "t-ledger.pem";

  private static final int FIELDS = 3;

  /// @return empty if the cluster has none
  /// @throws CorruptStreamException if what stands there is none
  public static Optional<ClusterTLedger> read(ClusterConnection connection)
      throws IOException, CorruptStreamException {
    String path = connection.paths().tLedger();
    return decoded(path, connection.coordination().read(path));
  }

  private static Optional<ClusterTLedger> decoded(String path, Optional<Versioned> there)
      throws CorruptStreamException {
    return there.isEmpty()
        ? Optional.empty()
        : Optional.of(SharedValue.decode(path, there.get(), FIELDS, ClusterTLedger::read));
  }

  private static ClusterTLedger read(CborReader reader) throws MalformedException {
    Bytes request = Bytes.wrap(reader.bytes());
    long _ = SharedValue.nonce(reader);
    return new ClusterTLedger(TLedgerFounding.idOf(request), request);
  }

  /// Writes a founding request in the place of the one that was kept.
  ///
  /// @param before empty: none was
  /// @return false if another one stands there, or was written at the same time
  public static boolean write(
      ClusterConnection connection, Optional<Bytes> before, Bytes request, RandomGenerator nonces)
      throws IOException, CorruptStreamException {
    Coordination coordination = connection.coordination();
    String path = connection.paths().tLedger();
    Bytes value = SharedValue.end(SharedValue.begin(FIELDS).bytes(request), nonces.nextLong());
    Optional<Versioned> there = coordination.read(path);
    if (!decoded(path, there).map(ClusterTLedger::request).equals(before)) {
      return false;
    }
    Change change =
        there.isEmpty()
            ? new Change.Create(path, value, false)
            : new Change.Put(path, value, there.get().version());
    try {
      new SettledChanges(coordination).commit(List.of(change));
      return true;
    } catch (ChangeRefusedException _) {
      return false;
    }
  }
}
