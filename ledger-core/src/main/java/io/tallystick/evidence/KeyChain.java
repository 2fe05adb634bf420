package io.tallystick.evidence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;

/// How the service's keys came from those of genesis to those of today: `[14, [[receipt file bstr,
/// attestation bstr]…]]`. The journals are the rotations in order, each behind the journals by
/// which its signers became members. Source: `docs/formats/people-and-time.md`.
public record KeyChain(List<Entry> entries) {
  /// For keys that were never rotated.
  public static final KeyChain EMPTY = new KeyChain(List.of());

  public static final int ENTRIES_MAX = 1024;

  /// A leaf, a path of 63 hashes, a protected header and a signature.
  static final int RECEIPT_FILE_BYTES_MAX = Limits.LEAF_BYTES_MAX + 4096;

  private static final int TYPE = 14;

  public KeyChain {
    entries = List.copyOf(entries);
    if (entries.size() > ENTRIES_MAX) {
      throw new IllegalArgumentException(
          entries.size() + " journals in a key chain, at most " + ENTRIES_MAX);
    }
  }

  /// A journal of kind 16, 19 or 24.
  ///
  /// @param receiptFile type 9; of a rotation under the head of size jsn + 2
  /// @param attestation whose hash stands in the leaf
  public record Entry(Bytes receiptFile, Bytes attestation) {}

  /// The content of a verified chain.
  ///
  /// @param heads under which its journals lie, to be believed by the rule of trust
  public record Verified(ServiceKeys keys, List<SignedHead> heads) {
    public Verified {
      heads = List.copyOf(heads);
    }
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(64 + 4096 * entries.size());
    out.array(2).uint(TYPE).array(entries.size());
    for (Entry entry : entries) {
      out.array(2).bytes(entry.receiptFile).bytes(entry.attestation);
    }
    return out.toBytes();
  }

  public static KeyChain decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("key chain", 2);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no key chain, want " + TYPE);
    }
    int count = in.arrayAtMost("journals of a key chain", ENTRIES_MAX);
    List<Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("journal of a key chain", 2);
      Bytes file = Bytes.wrap(in.bytes("receipt file", RECEIPT_FILE_BYTES_MAX));
      entries.add(
          new Entry(file, Bytes.wrap(in.bytes("attestation", Limits.ATTESTATION_BYTES_MAX))));
    }
    in.end();
    return new KeyChain(entries);
  }

  /// @param genesisParams as the ledgerId commits to them
  /// @param strand whose log the journals stand in
  public Verified verify(Bytes genesisParams, StrandId strand, Signatures signatures)
      throws ProofRejectedException {
    return verify(genesisParams, strand, signatures, new Jsn(Long.MAX_VALUE)).chain();
  }

  /// The content of a verified chain, and who was a member when one journal was committed.
  ///
  /// @param before the state that the journals below it lead to
  public record AtJournal(Verified chain, GovernanceReplay before) {}

  /// The same for a chain that holds the journals, too, by which the signers of `journal` became
  /// members.
  public AtJournal verify(Bytes genesisParams, StrandId strand, Signatures signatures, Jsn journal)
      throws ProofRejectedException {
    if (!Commitments.ledgerId(genesisParams).equals(strand.ledger())) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, "these GenesisParams found another ledger than " + strand);
    }
    KeyChainReplay replay =
        new KeyChainReplay(decodeGenesis(genesisParams), strand, signatures, journal);
    for (Entry entry : entries) {
      replay.add(entry);
    }
    return new AtJournal(replay.verified(), replay.before());
  }

  private static GenesisParams decodeGenesis(Bytes encoded) throws ProofRejectedException {
    try {
      return GenesisParams.decode(encoded);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "GenesisParams: " + e.getMessage(), e);
    }
  }
}
