package io.tallystick.evidence;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Kind;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Replays the journals of a key chain: who is a member as far as they tell, and which keys are the
/// service's. Not thread-safe.
final class KeyChainReplay {
  private final StrandId strand;
  private final Signatures signatures;
  private final GovernanceReplay replay;
  private final Jsn journal;

  /// The files of all journals so far. Which key one verifies by follows from its signed size, and
  /// that may be behind a rotation to come.
  private final List<ReceiptFile> files = new ArrayList<>();

  private @Nullable GovernanceReplay before;

  /// @param journal whose signers are asked for
  KeyChainReplay(GenesisParams genesis, StrandId strand, Signatures signatures, Jsn journal) {
    this.strand = strand;
    this.signatures = signatures;
    this.journal = journal;
    this.replay = new GovernanceReplay(genesis, strand, signatures);
  }

  /// The result of all journals.
  ///
  /// @throws ProofRejectedException unless each receipt is by the key valid for its size
  KeyChain.Verified verified() throws ProofRejectedException {
    List<SignedHead> heads = new ArrayList<>(files.size());
    for (ReceiptFile file : files) {
      heads.add(file.verify(strand, replay.keys(), signatures));
    }
    return new KeyChain.Verified(replay.keys(), heads);
  }

  /// As it stood right before the journal.
  GovernanceReplay before() {
    return before == null ? replay : before;
  }

  void add(KeyChain.Entry entry) throws ProofRejectedException {
    ReceiptFile file;
    ShownJournal shown;
    try {
      file = ReceiptFile.decode(entry.receiptFile());
      shown = ShownJournal.of(file.leaf());
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "journal of a key chain: " + e.getMessage(), e);
    }
    checkKind(shown.header().kind());
    replay.checkPlace(shown);
    if (shown.header().kind() == Kind.KEY_ROTATION) {
      checkSize(shown, file);
      var unused = file.verify(strand, replay.keys(), signatures);
    }
    files.add(file);
    if (before == null && shown.jsn().compareTo(journal) >= 0) {
      before = replay.copy();
    }
    replay.signers(shown, entry.attestation());
    replay.apply(shown);
  }

  private static void checkKind(Kind kind) throws ProofRejectedException {
    if (kind != Kind.MEMBER_ADD && kind != Kind.KEY_ROTATION && kind != Kind.GRANT) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "kind " + kind.code() + " in a key chain, want 16, 19 or 24");
    }
  }

  private static void checkSize(ShownJournal shown, ReceiptFile file)
      throws ProofRejectedException {
    long size = file.receipt().head().header().treeSize().value();
    if (size != shown.jsn().value() + 2) {
      // The head that the rotation's own block leaves: the last one the old keys judge.
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "rotation %s is under size %d, want %d",
              shown.jsn(),
              size,
              shown.jsn().value() + 2));
    }
  }
}
