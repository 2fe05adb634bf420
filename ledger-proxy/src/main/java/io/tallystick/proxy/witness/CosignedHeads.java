package io.tallystick.proxy.witness;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.master.witness.WitnessSettings;
import io.tallystick.master.witness.WitnessStatus;
import io.tallystick.master.witness.Witnessing;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.OutsideRead;
import io.tallystick.note.SignedNote;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The heads of this service with what its witnesses say of them, if it has any. All else works
/// without. Thread-safe.
public final class CosignedHeads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CosignedHeads.class);

  private final Heads heads;
  private final Optional<Witnessing> witnessing;

  /// Where heads with their cosignatures are found.
  private interface Heads {
    /// The newest that enough witnesses have cosigned; empty if there is none.
    Optional<SignedNote> cosigned(LedgerId ledger);

    /// A note with the cosignatures that its head has.
    SignedNote with(LedgerId ledger, SignedNote newest);
  }

  private record Asked(Witnessing witnessing) implements Heads {
    @Override
    public Optional<SignedNote> cosigned(LedgerId ledger) {
      return witnessing.cosigned(ledger);
    }

    @Override
    public SignedNote with(LedgerId ledger, SignedNote newest) {
      return witnessing.withCosignatures(ledger, newest);
    }
  }

  /// What the leading master of a cluster has shown. Without an answer there are no cosignatures.
  private record Shown(LedgerNode node) implements Heads {
    @Override
    public Optional<SignedNote> cosigned(LedgerId ledger) {
      try {
        return node.ask(new OutsideRead.Cosigned(new StrandId(ledger, 0)))
            .map(CosignedHeads::decoded);
      } catch (RequestRejectedException e) {
        LOG.debug("ledger {}: cosignatures: {}", ledger, e.getMessage());
        return Optional.empty();
      }
    }

    @Override
    public SignedNote with(LedgerId ledger, SignedNote newest) {
      return cosigned(ledger).filter(note -> note.text().equals(newest.text())).orElse(newest);
    }
  }

  private record None() implements Heads {
    @Override
    public Optional<SignedNote> cosigned(LedgerId ledger) {
      return Optional.empty();
    }

    @Override
    public SignedNote with(LedgerId ledger, SignedNote newest) {
      return newest;
    }
  }

  private CosignedHeads(Heads heads, Optional<Witnessing> witnessing) {
    this.heads = heads;
    this.witnessing = witnessing;
  }

  /// No witness is configured.
  public static CosignedHeads off(LedgerNode node, MeterRegistry meters) {
    new WitnessMetrics(meters).follow(() -> WitnessStatus.NONE, node);
    return new CosignedHeads(new None(), Optional.empty());
  }

  /// Those that the leading master of a cluster, which asks the witnesses, shows through the node.
  public static CosignedHeads shown(LedgerNode node, MeterRegistry meters) {
    new WitnessMetrics(meters).follow(() -> WitnessStatus.NONE, node);
    return new CosignedHeads(new Shown(node), Optional.empty());
  }

  /// Asks every witness about every listed ledger, once, and goes on doing so in the background.
  ///
  /// @param shelf is shown each cosigned head
  public static CosignedHeads of(
      LedgerNode node,
      WitnessSettings settings,
      Signatures signatures,
      Witnessing.Shelf shelf,
      MeterRegistry meters)
      throws InterruptedException {
    WitnessMetrics metrics = new WitnessMetrics(meters);
    Witnessing witnessing = new Witnessing(node, settings, signatures, metrics, shelf);
    metrics.follow(witnessing::status, node);
    try {
      witnessing.start();
    } catch (InterruptedException | RuntimeException e) {
      witnessing.close();
      throw e;
    }
    return new CosignedHeads(new Asked(witnessing), Optional.of(witnessing));
  }

  /// A head to be shown.
  ///
  /// @param newest the newest signed head
  /// @param cosigned whether the newest head that enough witnesses have cosigned is wanted, which
  ///   may be older
  /// @return `newest` with the cosignatures it has, also if none was cosigned since the start
  public Bytes note(StrandId strand, Bytes newest, boolean cosigned) {
    if (heads instanceof None || strand.strand() != 0) {
      return newest;
    }
    Optional<SignedNote> older = cosigned ? heads.cosigned(strand.ledger()) : Optional.empty();
    return older.orElseGet(() -> heads.with(strand.ledger(), decoded(newest))).encode();
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
