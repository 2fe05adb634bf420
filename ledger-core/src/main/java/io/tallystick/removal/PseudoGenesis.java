package io.tallystick.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.List;

/// With what a log begins whose prefix was purged: `[16, Snapshot bstr, receipt file bstr of the
/// purge, its attestation bstr]`. Source: `docs/formats/removal.md`.
///
/// @param snapshot encoded; {@link Snapshot#decode} reads it
/// @param purge a receipt file
public record PseudoGenesis(Bytes snapshot, Bytes purge, Bytes attestation) {
  private static final int TYPE = 16;
  private static final int ITEMS = 4;

  /// The state that a log goes on from.
  ///
  /// @param root of the tree of size `snapshot.firstKept()`
  /// @param purge the journal by which the prefix went
  /// @param purgeContent what it asks
  /// @param signers of the purge, ascending by kid
  /// @param members at `firstKept`, expired ones too; in no order
  /// @param keptKeys the service's keys that the journals kept lead to
  /// @param heads that the service signed, to be believed by the rule of trust
  public record Verified(
      StrandId strand,
      GenesisParams genesis,
      Snapshot snapshot,
      SealLeaf seal,
      JournalRoot root,
      ShownJournal purge,
      Extension.Purge purgeContent,
      List<ShownMember> signers,
      List<ShownMember> members,
      ServiceKeys keptKeys,
      List<SignedHead> heads) {
    public Verified {
      signers = List.copyOf(signers);
      members = List.copyOf(members);
      heads = List.copyOf(heads);
    }
  }

  public Bytes encode() {
    return new CborWriter(snapshot.size() + purge.size() + attestation.size() + 32)
        .array(ITEMS)
        .uint(TYPE)
        .bytes(snapshot)
        .bytes(purge)
        .bytes(attestation)
        .toBytes();
  }

  public static PseudoGenesis decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("pseudo-genesis", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no pseudo-genesis, want " + TYPE);
    }
    Bytes snapshot = Bytes.wrap(in.bytes("snapshot", Snapshot.BYTES_MAX));
    Bytes purge = Bytes.wrap(in.bytes("receipt file", RemovalCertificate.RECEIPT_FILE_BYTES_MAX));
    Bytes attestation = Bytes.wrap(in.bytes("attestation", Limits.ATTESTATION_BYTES_MAX));
    in.end();
    return new PseudoGenesis(snapshot, purge, attestation);
  }

  /// Checks all that follows from genesis, the key chain and this file. That the snapshot leaves
  /// nothing out, only its signers and auditors of the whole log could see.
  ///
  /// @param strand of the log, as the reader knows it
  /// @param chain of the service's keys; with it the journals from `firstKept` on by which signers
  ///   of the purge became members
  public Verified verify(StrandId strand, KeyChain chain, Signatures signatures)
      throws ProofRejectedException {
    try {
      return new PseudoGenesisCheck(this, strand, chain, signatures).verify();
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "pseudo-genesis: " + e.getMessage(), e);
    }
  }
}
