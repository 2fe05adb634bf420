package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures;
import java.util.List;

/// Makes the golden vectors of proofs, checkpoints, cosignatures, receipts, the trust rule, key
/// chains, journal proofs, proposals, anchors, misbehaviour, removals, T-Ledger entries, lineage
/// and the state. They are always the same; a test says so.
public final class ProofVectorGenerator {
  /// The folders it owns.
  public static final List<String> TOPICS =
      List.of(
          "inclusion",
          "consistency",
          "range",
          "checkpoint",
          "cosignature",
          "receipt",
          "rangereceipt",
          "trust",
          "keychain",
          "journal-proof",
          "proposal",
          "anchor",
          "misbehaviour",
          "removal-certificate",
          "pseudo-genesis",
          "t-ledger",
          "cluetrie",
          "clueproof",
          "lineage",
          "forest",
          "forest-replay");

  private ProofVectorGenerator() {}

  public static List<Vector> generate(Signatures signatures) {
    VectorSet set = new VectorSet(new VectorRunner(signatures));
    new InclusionVectors(set).make();
    new ConsistencyVectors(set).make();
    new RangeVectors(set).make();
    new CheckpointVectors(set).make();
    new CosignatureVectors(set).make();
    new ReceiptVectors(set).make();
    new RangeReceiptVectors(set).make();
    new TrustVectors(set).make();
    new KeyChainVectors(set).make();
    new JournalProofVectors(set).make();
    new ProposalVectors(set).make();
    new MisbehaviourVectors(set).make();
    new RemovalCertificateVectors(set).make();
    new PseudoGenesisVectors(set).make();
    new TLedgerVectors(set).make();
    new ClueTrieVectors(set).make();
    new LineageVectors(set).make();
    new ForestByteVectors(set).make();
    new ForestLookupVectors(set).make();
    new ForestLookupsVectors(set).make();
    new ForestLieVectors(set).make();
    new ForestRangeVectors(set).make();
    new ForestFileVectors(set).make();
    new ForestReplayVectors(set).make();
    return set.vectors();
  }
}
