package io.tallystick.client;

import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.FoundJournals;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.lineage.ClueLineage;
import io.tallystick.client.lineage.LineageLimits;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.client.lineage.LineageWalk;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.trust.ServiceTrust;
import io.tallystick.crypto.PublicKey;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// One pinned ledger, through one client and with the keys it was opened with. Everything it
/// returns is verified, but for {@link Promise}s, which say so: receipts and journals under the
/// keys of the ledger's genesis and those it was rotated to since, and every head joined to the one
/// log this client has ever seen of the ledger.
///
/// An answer that breaks that is a {@link VerificationException}. Thread-safe; share one handle.
public final class LedgerHandle {
  /// The most journals one {@link #list} gives.
  public static final int LIST_LIMIT_MAX = JournalPage.LIMIT_MAX;

  /// The most journals one {@link #get(List)} asks for.
  public static final int GET_COUNT_MAX = 1000;

  /// The most journals one {@link #lineage} or {@link #lineageAsOf} gives.
  public static final int LINEAGE_JOURNALS_MAX = LineageLimits.JOURNALS_MAX;

  private final LedgerId id;
  private final Opening opening;
  private final LedgerState state = new LedgerState(this);
  private final PromiseBook promises = new PromiseBook();

  LedgerHandle(LedgerId id, Opening opening) {
    this.id = id;
    this.opening = opening;
  }

  public LedgerId id() {
    return id;
  }

  /// The ledger's genesis and the keys its evidence is judged by.
  public ServiceTrust trust() throws TallyException {
    return open().log().trust();
  }

  /// The newest head this client trusts; on the disk already.
  public Optional<SignedHead> trustedHead() {
    return opening.now().flatMap(it -> it.log().head());
  }

  /// The newest head that the demanded witnesses were seen to have cosigned, a head of the log that
  /// this client trusts; empty without a quorum, and before the first. No service is asked.
  public Optional<SignedHead> witnessedHead() {
    return opening.now().flatMap(it -> it.log().witnessedHead());
  }

  /// The first evidence of this ledger that failed in the lifetime of this client, whichever call
  /// met it: whatever the service answers since, somebody has to look. Empty if none has.
  public Optional<VerificationException> alarm() {
    return opening.alarm();
  }

  OpenLedger open() throws TallyException {
    return opening.get();
  }

  // ---- append

  /// Signs and appends one journal; returns when its receipt is verified.
  ///
  /// @throws IllegalArgumentException if the draft breaks a limit of the format
  public VerifiedReceipt append(JournalDraft draft) throws TallyException {
    return single(open().appender().append(sign(List.of(draft))));
  }

  /// As {@link #append}, without waiting. Blocks only while too many bytes are in flight.
  ///
  /// @return completes with the verified receipt, or with a {@link TallyException}
  public CompletableFuture<VerifiedReceipt> appendAsync(JournalDraft draft)
      throws ServiceUnavailableException {
    return appendBatchAsync(List.of(draft)).thenApply(LedgerHandle::single);
  }

  /// Appends 1 to 10,000 journals under one signature: all or none, in order, in one block. Each
  /// stays provable alone.
  public VerifiedBatch appendBatch(List<JournalDraft> batch) throws TallyException {
    return open().appender().append(sign(batch));
  }

  /// As {@link #appendBatch}, without waiting. Blocks only while too many bytes are in flight.
  public CompletableFuture<VerifiedBatch> appendBatchAsync(List<JournalDraft> batch)
      throws ServiceUnavailableException {
    return Starting.of(() -> open().appender().appendAsync(sign(batch)));
  }

  /// Appends without waiting for evidence: the answer says where the journals are committed, and is
  /// only the service's word until {@link #verifyPromises} has looked.
  public Promise appendDeferred(List<JournalDraft> batch) throws TallyException {
    SignedSubmission submission = sign(batch);
    return promises.added(open().appender().appendDeferred(submission), submission.leaves());
  }

  /// As {@link #appendDeferred}, without waiting.
  public CompletableFuture<Promise> appendDeferredAsync(List<JournalDraft> batch)
      throws ServiceUnavailableException {
    return Starting.of(() -> {
      SignedSubmission submission = sign(batch);
      return open()
          .appender()
          .appendDeferredAsync(submission)
          .thenApply(promise -> promises.added(promise, submission.leaves()));
    });
  }

  /// Checks every open promise: that the journals we signed stand at the promised jsns, with the
  /// promised time, under one signed head. Two inclusion proofs per promise, and one consistency
  /// proof in all.
  public Optional<Jsn> verifyPromises() throws TallyException {
    if (promises.isOpen()) {
      promises.verify(open().reader());
    }
    return verifiedUpTo();
  }

  /// Every promise this handle got up to this jsn is verified; empty if none is.
  public Optional<Jsn> verifiedUpTo() {
    return promises.verifiedUpTo();
  }

  // ---- members

  /// Adds a member; needs an owner's key.
  public VerifiedReceipt addMember(Role role, PublicKey key) throws TallyException {
    return govern(Kind.MEMBER_ADD, new Extension.MemberAdd(role, key));
  }

  /// Revokes a member for ever; needs an owner's key.
  public VerifiedReceipt revokeMember(Digest kid) throws TallyException {
    return govern(Kind.MEMBER_REVOKE, new Extension.MemberRevoke(kid));
  }

  /// Gives a key a role from the next journal on: a new key, or one of a member that is not
  /// revoked, of which all is said anew. It may expire, replace another member's key, which is
  /// revoked for ever, and be marked as an agent's. Needs an owner's key.
  public VerifiedReceipt grant(Extension.Grant grant) throws TallyException {
    return govern(Kind.GRANT, grant);
  }

  /// The same of a key with a certificate: shows the chain, then grants.
  ///
  /// @throws IllegalArgumentException unless the grant names this chain
  public VerifiedReceipt grant(Extension.Grant grant, CertificateChain chain)
      throws TallyException {
    if (!grant.certDigest().equals(Optional.of(chain.digest()))) {
      throw new IllegalArgumentException(
          "the grant names certificates " + grant.certDigest() + ", these are " + chain.digest());
    }
    open().certificates().show(chain);
    return grant(grant);
  }

  /// The certificates that members show for their keys.
  public LedgerCertificates certificates() throws TallyException {
    return open().certificates();
  }

  /// Closes the ledger for ever: it stays readable and takes no more journals of its members. Needs
  /// the key of every valid owner.
  public VerifiedReceipt closeLedger() throws TallyException {
    return govern(Kind.CLOSE, Extension.Close.INSTANCE);
  }

  /// Rotates the service's keys for this ledger to a pair that the service holds; needs an owner's
  /// key. The head of the rotation's own block is the last of the old keys. The service adds its
  /// signatures, and what they show is verified by the ledger's key chain, which is followed.
  public VerifiedReceipt rotateKeys(Extension.KeyRotation rotation) throws TallyException {
    return open().followed(govern(Kind.KEY_ROTATION, rotation), rotation);
  }

  /// Looks for rotations of the service's keys. It needs no call: whatever is verified and signed
  /// by a key not known yet makes the client look.
  public ServiceTrust followKeys() throws TallyException {
    return open().log().followKeys();
  }

  /// Requests that several members sign, as the service keeps them.
  public LedgerProposals proposals() throws TallyException {
    return open().proposals();
  }

  /// Submits a proposal as a whole, with the signatures it has; the handle's own keys sign nothing.
  ///
  /// @throws IllegalArgumentException if it is another ledger's
  /// @throws IllegalStateException if nobody has signed it
  public VerifiedReceipt submit(Proposal proposal) throws TallyException {
    StrandId strand = trust().strand();
    if (!proposal.request().strand().equals(strand)) {
      throw new IllegalArgumentException(
          "proposal for " + proposal.request().strand() + ", this is " + strand);
    }
    VerifiedReceipt receipt = single(open().appender().append(SignedSubmission.of(proposal)));
    return proposal.request().extension() instanceof Extension.KeyRotation rotation
        ? open().followed(receipt, rotation)
        : receipt;
  }

  /// All members, revoked ones included, each verified in the ledger.
  public List<LedgerMember> members() throws TallyException {
    return open().freshEnough().members().members();
  }

  private VerifiedReceipt govern(Kind kind, Extension extension) throws TallyException {
    OpenLedger ledger = open();
    return single(ledger.signedAndAppended(ledger.drafts().govern(kind, extension)));
  }

  // ---- read

  /// One journal with its signatures and, if it is not erased, its body; {@link #erasure} says by
  /// whom it was.
  ///
  /// @throws RequestRefusedException `purged` if a purge removed it, which {@link #erasure} shows
  public LedgerJournal get(Jsn jsn) throws TallyException {
    return open().members().journal(jsn);
  }

  /// As {@link #get(Jsn)}, by the number alone.
  ///
  /// @throws IllegalArgumentException if `jsn` is negative
  public LedgerJournal get(long jsn) throws TallyException {
    return get(new Jsn(jsn));
  }

  /// Several journals, each as by {@link #get(Jsn)}, at far less than the cost of as many calls. A
  /// failure of one is its outcome and does not concern the others.
  ///
  /// @param jsns 1 to {@link #GET_COUNT_MAX}, in any order
  /// @return one outcome for each, in the same order
  /// @throws TallyException if the service could not be asked, or its newest head is not to be
  ///   trusted
  public List<JournalOutcome> get(List<Jsn> jsns) throws TallyException {
    if (jsns.isEmpty() || jsns.size() > GET_COUNT_MAX) {
      throw new IllegalArgumentException(jsns.size() + " jsns, want 1 to " + GET_COUNT_MAX);
    }
    return open().members().journals(List.copyOf(jsns));
  }

  /// Up to `limit` journals from `from` on, genesis and seals included; signatures are not fetched.
  ///
  /// @param limit 1 to {@link #LIST_LIMIT_MAX}
  public JournalPage list(Jsn from, int limit) throws TallyException {
    JournalPage.checkLimit(limit);
    return open().journals().list(from, limit);
  }

  /// The journals from `from` on that fit the filter, each as by {@link #get(Jsn)}: as many as the
  /// service finds in one call, `limit` (as of {@link #list}) at most. That none is left out is its
  /// word.
  public FoundJournals scan(JournalFilter filter, Jsn from, int limit) throws TallyException {
    JournalPage.checkLimit(limit);
    return open().members().scan(filter, from, limit);
  }

  /// The newest head the service has signed. A smaller one than was trusted before is a rollback.
  public SignedHead checkpoint() throws TallyException {
    return open().reader().newest();
  }

  public VerifiedBlock block(long height) throws TallyException {
    return open().reader().block(GetBlockRequest.newBuilder().setHeight(height));
  }

  public VerifiedBlock newestBlock() throws TallyException {
    return open().reader().newestBlock();
  }

  /// The newest block that this client has verified; no service is asked. Empty before the first.
  public Optional<VerifiedBlock> newestSeen() {
    return opening.now().flatMap(it -> it.reader().newestSeen());
  }

  /// The block that holds the leaf `jsn`.
  public VerifiedBlock blockOf(Jsn jsn) throws TallyException {
    return open().reader().block(GetBlockRequest.newBuilder().setJsn(jsn.value()));
  }

  /// The standard COSE receipt of a journal, with its leaf, to keep.
  public ReceiptFile receipt(Jsn jsn) throws TallyException {
    return open().reader().receipt(jsn);
  }

  /// A verified proof that `older` is the beginning of `newer`.
  public ConsistencyProof consistency(SignedHead older, SignedHead newer) throws TallyException {
    return open().reader().consistency(older, newer);
  }

  /// Verifies a saved receipt and joins its head to the trusted log, with the service's help if it
  /// is not joined yet. Without the service: {@link ReceiptVerifier}.
  public SignedHead verify(ReceiptFile file) throws TallyException {
    return open().freshEnough().reader().join(file);
  }

  /// Proof files, each of which ties one document to its journal.
  public LedgerProofs proofs() throws TallyException {
    return open().proofs();
  }

  // ---- removal

  /// Erases bodies for good, and waits for the receipt of the occult, not for the erasing; needs
  /// the keys of an owner and of a regulator. Where they are not in one hand, {@link #proposals}
  /// collects their signatures.
  ///
  /// @param target as {@link LedgerRemovals} makes it
  /// @param basis on what ground, at most 128 bytes of UTF-8
  public VerifiedReceipt occult(ErasureTarget target, String basis) throws TallyException {
    return govern(Kind.OCCULT, new Extension.Occult(target, basis));
  }

  /// By whose order the body of a journal was erased, or all of the journal; empty if it is not.
  public Optional<ErasedBody> erasure(Jsn jsn) throws TallyException {
    return open().removals().erasure(jsn);
  }

  /// The removals of the ledger: what an occult would erase, and what was erased.
  public LedgerRemovals removals() throws TallyException {
    return open().removals();
  }

  // ---- anchors

  /// Heads up to which nothing is verified again, this user's and those that members share.
  public LedgerAnchors anchors() throws TallyException {
    return open().anchors();
  }

  /// One journal, verified under the nearest trusted anchor above it.
  public AnchoredJournal verify(Jsn jsn) throws TallyException {
    return open().anchors().verify(jsn);
  }

  /// The journals of a clue above the newest trusted anchor, and no others.
  ///
  /// @throws LineageTooLongException if they are more than {@link #LINEAGE_JOURNALS_MAX}
  public AnchoredClue verify(String clue) throws TallyException {
    return open().anchors().verify(clue);
  }

  /// The time journal with the latest proven time that is not after `timeMs`, verified; that none
  /// is later is the service's word.
  public GrantedTime lastGrantTime(long timeMs) throws TallyException {
    return open().anchors().lastGrantTime(timeMs);
  }

  // ---- clues

  /// How many journals name a clue, or that none does, under the newest head.
  public ClueState clue(String clue) throws TallyException {
    return open().lineage().state(clue);
  }

  /// All journals that name a clue, in order, and no others: complete under the newest head.
  ///
  /// @throws RequestRefusedException `clue_deleted` if the clue is, which is verified too
  /// @throws LineageTooLongException if they are more than {@link #LINEAGE_JOURNALS_MAX} or their
  ///   headers more than 64 MiB
  public ClueLineage lineage(String clue) throws TallyException {
    return open().lineage().lineage(clue, Optional.empty(), LineageLimits.DEFAULT);
  }

  /// The same as of an older state of the log: those among its first `size` leaves.
  public ClueLineage lineageAsOf(String clue, TreeSize size) throws TallyException {
    return open().lineage().lineage(clue, Optional.of(size), LineageLimits.DEFAULT);
  }

  /// The journals that name a clue page by page, in either direction, from its end or a jsn: each
  /// page is verified to follow the one before, all under the head that was newest at the start. Of
  /// a purged ledger it begins with the first journal kept, or above; that those before it went
  /// with the purge is the service's word.
  ///
  /// @throws RequestRefusedException `clue_deleted` if the clue is, which is verified too
  public LineageWalk walkLineage(String clue, LineageRange range) throws TallyException {
    return open().lineage().walk(clue, range);
  }

  /// That the newest head's trie lists a journal under a clue, deleted since or not. That the
  /// journal stands in the log so, {@link #get(Jsn)} shows, and an audit for all of them.
  public LineageEntry membership(String clue, Jsn jsn) throws TallyException {
    return open().lineage().membership(clue, jsn);
  }

  /// A clue's whole lineage, or that it was never used, as evidence for others: complete in itself
  /// but for the service's keys.
  ///
  /// @throws LineageTooLongException if there are more than {@link LineageProof#COUNT_MAX} journals
  public LineageFile lineageFile(String clue) throws TallyException {
    return open().lineage().lineageFile(clue);
  }

  /// The same of the journals from a jsn on, which need to be the first one that a purge left, or
  /// above; it shows how many there are before, and that they are other ones.
  public LineageFile lineageFile(String clue, Jsn from) throws TallyException {
    return open().lineage().lineageFile(clue, from);
  }

  /// Verifies a saved lineage as {@link #verify(ReceiptFile)} does; compare the clue id.
  public LineageFile.Verified verify(LineageFile file) throws TallyException {
    return open().freshEnough().lineage().verify(file);
  }

  /// Deletes a clue: it is not listed any more until it is used again. Its journals stay readable
  /// by jsn, and this one is its last.
  public VerifiedReceipt deleteClue(String clue) throws TallyException {
    OpenLedger ledger = open();
    return single(ledger.signedAndAppended(ledger.drafts().clueDelete(clue)));
  }

  /// Lets journals name clues from the block `firstHeight` on, in a ledger founded without; needs
  /// an owner's key.
  ///
  /// @param firstHeight above the newest block's
  public VerifiedReceipt enableClueTrie(long firstHeight) throws TallyException {
    return govern(
        Kind.PARAMETERS, new Extension.Parameters(firstHeight, Set.of(Feature.CLUE_TRIE)));
  }

  // ---- state

  /// The ledger's state, which operations of its journals write: values by key, of every block.
  public LedgerState state() {
    return state;
  }

  private SignedSubmission sign(List<JournalDraft> batch) throws TallyException {
    return open().appender().sign(open().drafts().append(batch));
  }

  private static VerifiedReceipt single(VerifiedBatch batch) {
    return batch.receipt(0);
  }

  @Override
  public String toString() {
    return "LedgerHandle[" + id() + "]";
  }
}
