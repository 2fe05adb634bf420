package io.tallystick.proxy.witness;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.master.witness.WitnessSettings;
import io.tallystick.master.witness.WitnessStatus;
import io.tallystick.master.witness.Witnessing;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.note.SignedNote;
import java.util.Optional;

/// The heads of this service with what its witnesses say of them, if it has any. All else works
/// without. Thread-safe.
public final class CosignedHeads implements AutoCloseable {
  private final Optional<Witnessing> witnessing;

  private CosignedHeads(Optional<Witnessing> witnessing) {
    this.witnessing = witnessing;
  }

  /// No witness is configured.
  public static CosignedHeads off(MeterRegistry meters) {
    new WitnessMetrics(meters).follow(() -> WitnessStatus.NONE, () -> 0);
    return new CosignedHeads(Optional.empty());
  }

  /// Asks every witness about every listed ledger, once, and goes on doing so in the background.
  public static CosignedHeads of(
      LedgerNode node, WitnessSettings settings, Signatures signatures, MeterRegistry meters)
      throws InterruptedException {
    WitnessMetrics metrics = new WitnessMetrics(meters);
    Witnessing witnessing = new Witnessing(node, settings, signatures, metrics);
    metrics.follow(witnessing::status, node::timeMs);
    try {
      witnessing.start();
    } catch (InterruptedException | RuntimeException e) {
      witnessing.close();
      throw e;
    }
    return new CosignedHeads(Optional.of(witnessing));
  }

  /// A head to be shown.
  ///
  /// @param newest the newest signed head
  /// @param cosigned whether the newest head that enough witnesses have cosigned is wanted, which
  ///   may be older
  /// @return `newest` with the cosignatures it has, also if none was cosigned since the start
  public Bytes note(StrandId strand, Bytes newest, boolean cosigned) {
    if (witnessing.isEmpty() || strand.strand() != 0) {
      return newest;
    }
    Optional<SignedNote> older =
        cosigned ? witnessing.get().cosigned(strand.ledger()) : Optional.empty();
    return older
        .orElseGet(() -> witnessing.get().withCosignatures(strand.ledger(), decoded(newest)))
        .encode();
  }

  private static SignedNote decoded(Bytes newest) {
    try {
      return SignedNote.decode(newest);
    } catch (MalformedException e) {
      throw new AssertionError("our own checkpoint", e);
    }
  }

  /// How it stands; empty without witnesses.
  public Optional<WitnessStatus> status() {
    return witnessing.map(Witnessing::status);
  }

  @Override
  public void close() {
    witnessing.ifPresent(Witnessing::close);
  }
}
