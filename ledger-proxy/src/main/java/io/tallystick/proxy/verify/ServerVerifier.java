package io.tallystick.proxy.verify;

import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.JournalSigners;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.BodyOpening;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenJournal;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import io.tallystick.proxy.execute.MemberKeys;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.read.LineagePage;
import io.tallystick.proxy.read.LineageRequest;
import io.tallystick.proxy.read.LogPage;
import io.tallystick.proxy.read.ReadableClues;
import io.tallystick.proxy.trace.LineLimit;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// LedgerDB's server-side level of verification: the service judges by its own keys and against its
/// own log, and says what it found. Worth as much as the service is trusted; who does not trust it
/// verifies by itself. Source: LedgerDB section 3.2, `Verify` with level server.
public final class ServerVerifier {
  /// The most journals of a clue whose bodies are compared with data.
  public static final int CLUE_JOURNALS_MAX = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(ServerVerifier.class);
  private static final LineLimit LINES = new LineLimit();
  private static final LineLimit CONTRADICTIONS = new LineLimit();

  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final Signatures signatures;
  private final ProxyMetrics metrics;

  public ServerVerifier(
      LedgerRegistry registry, ReadAccess access, Signatures signatures, ProxyMetrics metrics) {
    this.registry = registry;
    this.access = access;
    this.signatures = signatures;
    this.metrics = metrics;
  }

  /// One caller's questions about one log. Every one checks the caller's access first.
  public Caller of(StrandId strand, Bearer bearer) {
    return new Caller(strand, bearer);
  }

  /// Where the questions are asked for a caller.
  public final class Caller {
    private final StrandId strand;
    private final Bearer bearer;

    private Caller(StrandId strand, Bearer bearer) {
      this.strand = strand;
      this.bearer = bearer;
    }

    /// The verdict on bytes that are no receipt.
    public Verdict malformed(MalformedException why) throws RequestRejectedException {
      LedgerNode _ = node(Scope.EVIDENCE);
      return failed(
          Verdict.failed(new Verdict.Failure("malformed", String.valueOf(why.getMessage()))));
    }

    public Verdict receipt(ReceiptFile file) throws RequestRejectedException {
      LedgerNode node = node(Scope.EVIDENCE);
      SignedHead head;
      try {
        head = file.verify(strand, node.serviceKeys(strand.ledger()), signatures);
      } catch (ProofRejectedException e) {
        return failed(Verdict.failed(Verdict.Failure.of(e)));
      }
      long jsn = file.receipt().proof().index();
      String contradiction = contradiction(node, file, head.size().value());
      if (contradiction != null) {
        // Its signature is good: a fork of this log, or a log that was set back.
        CONTRADICTIONS.line(end ->
            LOG.error(
                "A valid receipt of journal {} contradicts the log {}: {}{}",
                jsn,
                strand,
                contradiction,
                end));
        return failed(Verdict.failed(new Verdict.Failure("log_contradicts", contradiction)));
      }
      return Verdict.of(jsn, head);
    }

    /// The contradiction of the log itself to a receipt that verifies; null if it agrees.
    private @Nullable String contradiction(LedgerNode node, ReceiptFile file, long size)
        throws RequestRejectedException {
      InclusionProof proof = file.receipt().proof();
      long jsn = proof.index();
      long newest = node.newestSize(strand);
      if (size > newest) {
        return String.format(
            Locale.ROOT, "it is signed for %d leaves, the log has %d", size, newest);
      }
      if (!node.journal(strand, jsn, false).leaf().equals(file.leaf())) {
        return "the log holds another leaf at " + jsn;
      }
      // Same leaf, place, size and path: the same root.
      return node.inclusion(strand, jsn, size).inclusion().path().equals(proof.path())
          ? null
          : "the log's tree of " + size + " leaves is another";
    }

    /// Whether a journal stands in the log as its signers signed it, and has this payload.
    ///
    /// @param data the payload; whoever names it must be one that may read bodies, who else could
    ///   test guesses
    /// @throws RequestRejectedException `OUT_OF_RANGE`, `PURGED`; with data also `ERASED`,
    ///   `DAMAGED`, and `MALFORMED` for a leaf that has no body
    public Verdict journal(long jsn, Optional<Bytes> data) throws RequestRejectedException {
      LedgerNode node = node(data.isPresent() ? Scope.BODIES : Scope.EVIDENCE);
      ServiceKeys keys = node.serviceKeys(strand.ledger());
      SignedHead head = head(node.newestBlock(strand), keys);
      ProvenJournal proven = node.provenJournal(strand, jsn, head.size().value());
      if (data.isPresent()) {
        checkBody(node, proven.journal());
      }
      Verdict verdict = Verdict.of(jsn, head);
      MemberKeys members = MemberKeys.at(registry, strand.ledger(), jsn);
      try {
        proven.inclusion().verify(TreeHasher.leafHash(proven.journal().leaf()), head.root());
        checkSigners(proven.journal(), keys, members);
        if (data.isPresent()) {
          checkPayload(proven.journal().leaf(), parts(proven.journal()), data.get());
        }
        return verdict;
      } catch (ProofRejectedException e) {
        if (members.refusal().isPresent()) {
          // A key that was not looked up is no verdict.
          throw members.refusal().get();
        }
        return failed(verdict.butFailed(Verdict.Failure.of(e)));
      } catch (MalformedException e) {
        return failed(
            verdict.butFailed(new Verdict.Failure("malformed", String.valueOf(e.getMessage()))));
      }
    }

    private void checkBody(LedgerNode node, JournalView journal) throws RequestRejectedException {
      switch (journal.bodyState()) {
        case PRESENT -> {}
        case ERASED -> {
          long by = node.erasure(strand, journal.jsn()).removal();
          throw new RequestRejectedException(
                  RejectionCode.ERASED,
                  String.format(
                      Locale.ROOT,
                      "the body of journal %d was erased by journal %d",
                      journal.jsn(),
                      by))
              .atJsn(by);
        }
        case DAMAGED ->
            throw new RequestRejectedException(
                    RejectionCode.DAMAGED, "the body of journal " + journal.jsn() + " is damaged")
                .atJsn(journal.jsn());
        case NONE ->
            throw new RequestRejectedException(
                RejectionCode.MALFORMED,
                "leaf " + journal.jsn() + " is genesis or a seal, which has no payload");
      }
    }

    private void checkSigners(JournalView journal, ServiceKeys keys, MemberKeys members)
        throws MalformedException, ProofRejectedException {
      switch (Leaf.decode(journal.leaf())) {
        case SealLeaf _ -> {}
        case GenesisLeaf genesis -> {
          var _ =
              GenesisVerifier.verify(
                  genesis.genesisParams(), Attestation.decode(attestation(journal)), signatures);
        }
        case JournalLeaf _ -> {
          ShownJournal shown = ShownJournal.of(journal.leaf());
          var _ =
              new JournalSigners(strand, keys, signatures)
                  .verify(
                      shown,
                      JournalSigners.attestation(shown, attestation(journal)),
                      Optional.ofNullable(journal.batchProof()).map(InclusionProofBytes::encode),
                      members);
        }
      }
    }

    /// Whether journals name a clue; with data, whether one of them has this payload, and which is
    /// the newest of these.
    ///
    /// @param data as of {@link #journal}
    /// @throws RequestRejectedException with data also `CLUE_DELETED`, and `TOO_LARGE` if more than
    ///   {@link #CLUE_JOURNALS_MAX} journals name the clue
    public Verdict clue(Digest clueId, Optional<Bytes> data) throws RequestRejectedException {
      LedgerNode node = node(data.isPresent() ? Scope.BODIES : Scope.EVIDENCE);
      ServiceKeys keys = node.serviceKeys(strand.ledger());
      ProvenClue shown = node.clue(strand, clueId);
      SignedHead head = head(shown.head(), keys);
      long count = shown.value().map(ClueValue::count).orElse(0L);
      Verdict verdict = Verdict.ofClue(OptionalLong.empty(), count, head);
      try {
        var _ = shown.proof().verify(clueId, head);
      } catch (ProofRejectedException e) {
        return failed(verdict.butFailed(Verdict.Failure.of(e)));
      }
      if (count == 0) {
        return failed(
            verdict.butFailed(new Verdict.Failure("missing", "no journal names this clue")));
      }
      return data.isEmpty() ? verdict : found(clueId, data.get(), verdict);
    }

    private Verdict found(Digest clueId, Bytes data, Verdict ofClue)
        throws RequestRejectedException {
      long count = ofClue.count().orElse(0);
      if (count > CLUE_JOURNALS_MAX) {
        throw new RequestRejectedException(
                RejectionCode.TOO_LARGE,
                String.format(
                    Locale.ROOT,
                    "%d journals name the clue, at most %d are compared; name the jsn",
                    count,
                    CLUE_JOURNALS_MAX))
            .withLimit(CLUE_JOURNALS_MAX);
      }
      ReadableClues clues = new ReadableClues(access, bearer, strand);
      Optional<LineageQuery> query =
          Optional.of(
              new LineageQuery(
                  clueId, LineageQuery.FROM_END, false, true, CLUE_JOURNALS_MAX, 0, 0));
      while (query.isPresent()) {
        LineagePage page = clues.pageWithJournals(new LineageRequest(query.get()));
        for (LogPage.Item item : page.journals()) {
          if (has(item, data)) {
            Verdict verdict = journal(item.jsn(), Optional.of(data));
            return new Verdict(verdict.jsn(), ofClue.count(), verdict.head(), verdict.failure());
          }
        }
        query = page.next().map(next -> next.query(clueId, CLUE_JOURNALS_MAX));
      }
      return failed(
          ofClue.butFailed(
              new Verdict.Failure(
                  "commitment_mismatch",
                  String.format(
                      Locale.ROOT, "none of the clue's %d journals commits to this data", count))));
    }

    private static boolean has(LogPage.Item item, Bytes data) {
      if (item.salt() == null || item.body() == null) {
        return false;
      }
      try {
        checkPayload(item.leaf(), BodyOpening.of(item.salt(), item.body()), data);
        return true;
      } catch (ProofRejectedException | MalformedException e) {
        return false;
      }
    }

    private LedgerNode node(Scope scope) throws RequestRejectedException {
      LedgerNode node = access.node(strand.ledger(), bearer, scope);
      LedgerView _ = node.ledger(strand.ledger());
      return node;
    }

    private Verdict failed(Verdict verdict) {
      metrics.verifyFailed();
      Verdict.Failure why = verdict.failure().orElseThrow();
      LINES.line(end -> LOG.warn("Evidence shown for {} fails: {}{}", strand, why.reason(), end));
      return verdict;
    }

    private SignedHead head(BlockView block, ServiceKeys keys) {
      try {
        return Receipt.decode(block.headReceipt())
            .verify(block.sealLeaf(), strand, keys, signatures);
      } catch (ProofRejectedException | MalformedException e) {
        throw new AssertionError("a head of ours does not verify", e);
      }
    }
  }

  private static Bytes attestation(JournalView journal) {
    return Objects.requireNonNull(journal.attestation());
  }

  private static BodyOpening parts(JournalView journal) throws MalformedException {
    return BodyOpening.of(
        Objects.requireNonNull(journal.salt()), Objects.requireNonNull(journal.body()));
  }

  private static void checkPayload(Bytes leaf, BodyOpening opening, Bytes data)
      throws MalformedException, ProofRejectedException {
    int _ = opening.verify(ShownJournal.of(leaf).header(), data);
  }
}
