package io.tallystick.client.internal.read;

import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetReceiptResponse;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.StaleHeadException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Reads proofs and heads, and believes them only as far as the trusted log goes. Thread-safe.
public final class LedgerReader {
  /// How a service refuses what it calls beyond its log.
  private static final Set<String> BEYOND =
      Set.of(RejectionCode.FUTURE_SIZE.wire(), RejectionCode.OUT_OF_RANGE.wire());

  private final LedgerCalls calls;
  private final TrustedLog log;
  private final NewestSeal seal;

  public LedgerReader(LedgerCalls calls, TrustedLog log, NewestSeal seal) {
    this.calls = calls;
    this.log = log;
    this.seal = seal;
  }

  /// A read under a head that is trusted.
  @FunctionalInterface
  public interface Read<T> {
    T answer() throws TallyException;
  }

  /// Asks for what a trusted head covers. A service that calls it beyond its log has to show its
  /// newest head, which is evidence if it is behind the trusted one.
  public <T> T covered(Read<T> read) throws TallyException {
    try {
      return read.answer();
    } catch (RequestRefusedException e) {
      if (BEYOND.contains(e.code())) {
        var unused = unlimitedNewest();
      }
      throw e;
    }
  }

  /// The newest block that this client has verified.
  public Optional<VerifiedBlock> newestSeen() {
    return seal.block();
  }

  /// That the newest head is not too old: that of the newest block at hand, or of a newer one.
  ///
  /// @throws StaleHeadException if it is
  public void checkAge() throws TallyException {
    if (!seal.fresh()) {
      var unused = newestBlock();
    }
  }

  public VerifiedBlock newestBlock() throws TallyException {
    return block(GetBlockRequest.newBuilder().setLatest(true));
  }

  /// The newest head the service has signed, joined to the trusted log.
  public SignedHead newest() throws TallyException {
    return seal.limited() ? newestBlock().head() : unlimitedNewest();
  }

  private SignedHead unlimitedNewest() throws TallyException {
    Optional<SignedHead> before = log.head();
    Bytes note = calls.checkpoint();
    SignedHead head;
    try {
      head =
          log.judge(keys -> Checkpoint.verify(note, log.trust().strand(), keys, log.signatures()));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
    log.joinNewest(before, head);
    return head;
  }

  /// A trusted head: the nearest anchor above `last`, else the newest one at hand if it covers
  /// `last`, else the newest; whether there is such a jsn is the service's to say.
  SignedHead reaching(Jsn last) throws TallyException {
    checkAge();
    Optional<SignedHead> anchor = log.anchors().above(last);
    if (anchor.isPresent()) {
      // It may have been set by a client that demanded no witnesses.
      log.awaitWitnesses(anchor.get());
      return anchor.get();
    }
    Optional<SignedHead> trusted = log.believed();
    return trusted.isPresent() && trusted.get().size().covers(last) ? trusted.get() : newest();
  }

  /// A trusted head that covers `last`, which is known to be there.
  public SignedHead covering(Jsn last) throws TallyException {
    SignedHead head = reaching(last);
    if (!head.size().covers(last)) {
      throw log.refused(
          new ProofRejectedException(
              Reason.SIZE_OUT_OF_RANGE,
              String.format(
                  Locale.ROOT,
                  "jsn %s is shown, but the newest signed head has size %s",
                  last,
                  head.size())));
    }
    return head;
  }

  /// Checks that leaves with these hashes stand in the log from `first` on.
  public void verifyRun(Jsn first, List<Digest> leafHashes) throws TallyException {
    Jsn last = new Jsn(first.value() + leafHashes.size() - 1);
    SignedHead head = covering(last);
    InclusionProof firstProof = covered(() -> calls.inclusion(first, head.size()));
    InclusionProof lastProof =
        leafHashes.size() == 1 ? firstProof : covered(() -> calls.inclusion(last, head.size()));
    try {
      LeafRun.verify(firstProof, lastProof, leafHashes, head.root());
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  public ReceiptFile receipt(Jsn jsn) throws TallyException {
    checkAge();
    ReceiptFile file = unverifiedReceipt(jsn);
    join(file);
    return file;
  }

  public ReceiptFile unverifiedReceipt(Jsn jsn) throws TallyException {
    GetReceiptResponse answer = calls.receipt(jsn);
    try {
      Receipt receipt = Receipt.decode(WireBytes.bytes(answer.getReceipt()));
      checkJsn(jsn, receipt.proof().index());
      return new ReceiptFile(WireBytes.bytes(answer.getLeaf()), receipt);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw malformed("receipt", e);
    }
  }

  /// Verifies a receipt and joins its head.
  public SignedHead join(ReceiptFile file) throws TallyException {
    SignedHead head = verified(file);
    log.join(head);
    return head;
  }

  /// Verifies what a saved file shows, and joins the head that it is under.
  public <T> T join(TrustedLog.Judgement<T> file, Function<T, SignedHead> headOf)
      throws TallyException {
    T shown;
    try {
      shown = log.judge(file);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
    log.join(headOf.apply(shown));
    return shown;
  }

  /// The same of a ledger that was founded just now: no witness knows it.
  public void joinFounded(ReceiptFile genesis) throws TallyException {
    log.joinUnwitnessed(verified(genesis));
  }

  private SignedHead verified(ReceiptFile file) throws TallyException {
    try {
      return log.judge(keys -> file.verify(log.trust().strand(), keys, log.signatures()));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  public VerifiedBlock block(GetBlockRequest.Builder which) throws TallyException {
    Optional<SignedHead> before = log.head();
    if (!which.getLatest()) {
      checkAge();
    }
    Block answer = calls.block(which);
    return verified(answer, which, which.getLatest() ? before : Optional.empty());
  }

  /// A block that an answer brings along and calls the newest.
  ///
  /// @param before a trusted head that the block's must not be behind
  public VerifiedBlock newest(Block answer, Optional<SignedHead> before) throws TallyException {
    return verified(answer, GetBlockRequest.newBuilder().setLatest(true), before);
  }

  /// The block of this height, which an answer brings along.
  public VerifiedBlock at(Block answer, long height) throws TallyException {
    checkAge();
    return verified(answer, GetBlockRequest.newBuilder().setHeight(height), Optional.empty());
  }

  private VerifiedBlock verified(
      Block answer, GetBlockRequest.Builder which, Optional<SignedHead> before)
      throws TallyException {
    try {
      Bytes leaf = WireBytes.bytes(answer.getSealLeaf());
      if (!(Leaf.decode(leaf) instanceof SealLeaf shown)) {
        throw new ProofRejectedException(Reason.WRONG_TYPE, "the block's last leaf is no seal");
      }
      Receipt receipt = Receipt.decode(WireBytes.bytes(answer.getHeadReceipt()));
      SignedHead head =
          log.judge(keys -> receipt.verify(leaf, log.trust().strand(), keys, log.signatures()));
      checkBlock(which, shown, head);
      log.joinNewest(before, head);
      VerifiedBlock block = new VerifiedBlock(shown, TreeHasher.leafHash(leaf), head);
      seal.saw(block);
      if (which.getLatest()) {
        seal.check(block);
      }
      return block;
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw malformed("block", e);
    }
  }

  private static void checkBlock(GetBlockRequest.Builder which, SealLeaf seal, SignedHead head)
      throws ProofRejectedException {
    if (head.size().value() != seal.jsn().value() + 1) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "head of size " + head.size() + " over the seal " + seal.jsn());
    }
    boolean right =
        switch (which.getWhichCase()) {
          case HEIGHT -> seal.height() == which.getHeight();
          case JSN ->
              seal.firstJsn().value() <= which.getJsn() && which.getJsn() <= seal.jsn().value();
          case LATEST, WHICH_NOT_SET -> true;
        };
    if (!right) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "block %d of leaves %s to %s is not the one asked for",
              seal.height(),
              seal.firstJsn(),
              seal.jsn()));
    }
  }

  /// A proof that `older` is the beginning of `newer`, verified.
  public ConsistencyProof consistency(SignedHead older, SignedHead newer) throws TallyException {
    ConsistencyProof proof = covered(() -> calls.consistency(older.size(), newer.size()));
    try {
      proof.verify(older.root(), newer.root());
      return proof;
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  public VerificationException malformed(String what, MalformedException cause) {
    return log.refused(
        new ProofRejectedException(Reason.MALFORMED, what + ": " + cause.getMessage(), cause));
  }

  private static void checkJsn(Jsn want, long actual) throws ProofRejectedException {
    if (actual != want.value()) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "answer for jsn " + actual + ", asked for " + want);
    }
  }
}
