package io.tallystick.cluster;

import io.tallystick.cbor.CborReader;
import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
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
    Optional<Versioned> there = connection.coordination().read(path);
    return there.isEmpty()
        ? Optional.empty()
        : Optional.of(SharedValue.decode(path, there.get(), FIELDS, ClusterTLedger::read));
  }

  private static ClusterTLedger read(CborReader reader) throws MalformedException {
    Bytes request = Bytes.wrap(reader.bytes());
    long _ = SharedValue.nonce(reader);
    return new ClusterTLedger(TLedgerFounding.idOf(request), request);
  }

  /// Writes a founding request in the place of what was kept.
  ///
  /// @throws IOException also if another process writes one at the same time
  public static void write(ClusterConnection connection, Bytes request, RandomGenerator nonces)
      throws IOException {
    String path = connection.paths().tLedger();
    Bytes value = SharedValue.end(SharedValue.begin(FIELDS).bytes(request), nonces.nextLong());
    Optional<Versioned> there = connection.coordination().read(path);
    Change change =
        there.isEmpty()
            ? new Change.Create(path, value, false)
            : new Change.Put(path, value, there.get().version());
    new SettledChanges(connection.coordination()).commit(List.of(change));
  }
}
