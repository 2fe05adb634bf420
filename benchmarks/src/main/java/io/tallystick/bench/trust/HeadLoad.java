package io.tallystick.bench.trust;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.SealLeaf;
import io.tallystick.master.tledger.SubmittedHead;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.testkit.reference.ReferenceTree;
import io.tallystick.tledger.HeadEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// Heads of many ledgers, made and signed before they are submitted, so that what they cost their
/// own services is not measured. The ledgers' logs are alike, of some {@link #LEAVES} leaves: their
/// paths are as long as those of real ones.
final class HeadLoad {
  private static final int LEAVES = (1 << 14) - 1;
  private static final Bytes EMPTY_CHAIN = KeyChain.EMPTY.encode();

  private final Authority authority = new Authority("localhost");
  private final Signer noteSigner;
  private final List<Submitting> ledgers = new ArrayList<>();
  private final List<Bytes> leaves = new ArrayList<>();
  private long height = 1;

  /// A ledger that submits.
  record Submitting(LedgerId id, Bytes genesisParams) {}

  HeadLoad(Signatures signatures, int count) {
    this.noteSigner = signatures.generate(SignatureAlgorithm.ED25519);
    Signer receipts = signatures.generate(SignatureAlgorithm.ED25519);
    Signer owner = signatures.generate(SignatureAlgorithm.ED25519);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < count; i++) {
      byte[] own = new byte[GenesisParams.RANDOM_BYTES];
      random.nextBytes(own);
      Bytes params =
          new GenesisParams(
                  authority,
                  Digest.ZERO,
                  Bytes.wrap(own),
                  List.of(owner.publicKey()),
                  noteSigner.publicKey(),
                  receipts.publicKey(),
                  System.currentTimeMillis(),
                  false,
                  1,
                  GenesisParams.DEFAULT_WINDOW_MS,
                  Set.of(),
                  null)
              .encode();
      ledgers.add(new Submitting(Commitments.ledgerId(params), params));
    }
    for (int i = 0; i < LEAVES; i++) {
      leaves.add(Bytes.utf8("leaf " + i));
    }
  }

  int ledgers() {
    return ledgers.size();
  }

  /// The next heads of every ledger, ledger by ledger, in their order.
  ///
  /// @param sealedMs when their blocks were closed
  List<List<SubmittedHead>> next(int headsEach, long sealedMs) {
    List<Sealed> heads = new ArrayList<>();
    int before = height == 1 ? 0 : leaves.size();
    for (int i = 0; i < headsEach; i++) {
      int first = leaves.size();
      leaves.add(Bytes.utf8("journal " + first));
      leaves.add(seal(first, sealedMs));
    }
    ReferenceTree tree = new ReferenceTree(leaves);
    for (int i = headsEach - 1; i >= 0; i--) {
      int size = leaves.size() - 2 * i;
      heads.add(sealed(tree, before, size));
      before = size;
    }
    return ledgers.stream().map(ledger -> submitted(ledger, heads)).toList();
  }

  private Bytes seal(int first, long sealedMs) {
    return new SealLeaf(
            new Jsn(first + 1L),
            sealedMs,
            height++,
            Digest.ZERO,
            new Jsn(first),
            Digest.ZERO,
            SealLeaf.EMPTY_CLUE_ROOT,
            SealLeaf.EMPTY_STATE_ROOT)
        .encode();
  }

  /// A head of every ledger, but for the note.
  private record Sealed(
      int size, Digest root, Bytes seal, List<Digest> path, Optional<HeadEntry.Growth> growth) {}

  private Sealed sealed(ReferenceTree tree, int before, int size) {
    return new Sealed(
        size,
        tree.root(size),
        leaves.get(size - 1),
        tree.inclusionPath(size - 1, size),
        before == 0
            ? Optional.empty()
            : Optional.of(new HeadEntry.Growth(before, tree.consistencyPath(before, size))));
  }

  private List<SubmittedHead> submitted(Submitting ledger, List<Sealed> heads) {
    StrandId strand = new StrandId(ledger.id, 0);
    List<SubmittedHead> submitted = new ArrayList<>(heads.size());
    for (Sealed head : heads) {
      Bytes note =
          Checkpoint.sign(
                  noteSigner,
                  authority,
                  strand,
                  new TreeSize(head.size),
                  new JournalRoot(head.root))
              .encode();
      HeadEntry entry = new HeadEntry(note, head.seal, head.path, head.growth);
      submitted.add(new SubmittedHead(ledger.genesisParams, EMPTY_CHAIN, entry.encode()));
    }
    return submitted;
  }
}
