package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// With what the audit of a log begins whose prefix was purged, after it was verified.
///
/// @param kept the journals below that stay, without genesis, ascending
public record Beginning(PseudoGenesis.Verified start, Bytes window, List<Kept> kept) {
  public Beginning {
    kept = List.copyOf(kept);
  }

  /// @param kids of all who signed it, the service too
  /// @param path its inclusion path in the tree of size `firstKept`
  public record Kept(
      ShownJournal journal, Event.Shown shown, List<Digest> kids, List<Digest> path) {
    public Kept {
      kids = List.copyOf(kids);
      path = List.copyOf(path);
    }

    public long jsn() {
      return journal.jsn().value();
    }
  }

  /// The lowest leaf that the log has.
  public long firstKept() {
    return start.snapshot().firstKept().value();
  }

  public Snapshot snapshot() {
    return start.snapshot();
  }

  public SealLeaf seal() {
    return start.seal();
  }

  /// @param chain of the log's service, as its source has it
  /// @throws FaultException unless all of it holds
  public static Beginning verify(
      PurgedStart source, StrandId strand, Optional<Bytes> chain, Signatures signatures)
      throws FaultException {
    try {
      KeyChain keys = chain.isPresent() ? KeyChain.decode(chain.get()) : new KeyChain(List.of());
      PseudoGenesis.Verified start =
          PseudoGenesis.decode(source.pseudoGenesis()).verify(strand, keys, signatures);
      checkWindow(start.snapshot(), source.window());
      List<Kept> kept = new ArrayList<>();
      List<Snapshot.Kept> shown = start.snapshot().kept();
      for (Snapshot.Kept each : shown.subList(1, shown.size())) {
        ShownJournal journal = ShownJournal.of(each.leaf());
        Attestation attestation = Attestation.decode(each.attestation(), journal.header().kind());
        List<Digest> kids = new ArrayList<>();
        for (CoseSign1 signature : attestation.signatures()) {
          kids.add(ProtectedHeader.kid(signature.protectedHeader()));
        }
        kept.add(
            new Kept(journal, new Event.Shown(each.leaf(), each.attestation()), kids, each.path()));
      }
      return new Beginning(start, source.window(), kept);
    } catch (MalformedException | ProofRejectedException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
  }

  private static void checkWindow(Snapshot snapshot, Bytes window) throws FaultException {
    int size = Snapshot.WINDOW_ENTRY_BYTES;
    if (window.size() != snapshot.windowCount() * size) {
      throw invalid(
          String.format(
              Locale.ROOT,
              "window of %d bytes, want %d entries of %d",
              window.size(),
              snapshot.windowCount(),
              size));
    }
    List<Bytes> entries = new ArrayList<>();
    for (int at = 0; at < window.size(); at += size) {
      Bytes entry = window.slice(at, size);
      if (!entries.isEmpty() && entries.getLast().compareTo(entry) >= 0) {
        throw invalid("entries of the window do not ascend at " + entries.size());
      }
      entries.add(entry);
    }
    Digest root = Snapshot.windowRoot(entries);
    if (!root.equals(snapshot.windowRoot())) {
      throw invalid(
          String.format(
              Locale.ROOT,
              "the window has root %s, the snapshot states %s",
              root,
              snapshot.windowRoot()));
    }
  }

  /// The hash of the seal that it begins behind.
  public Digest sealHash() {
    return Leaf.hash(snapshot().seal());
  }

  private static FaultException invalid(String detail) {
    return new FaultException(0, FaultKind.PSEUDO_GENESIS_INVALID, detail);
  }
}
