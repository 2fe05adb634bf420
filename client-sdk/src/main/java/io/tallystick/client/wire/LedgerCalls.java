package io.tallystick.client.wire;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.EraseCertificatesRequest;
import io.tallystick.api.v1.Erasure;
import io.tallystick.api.v1.GetBlockRequest;
import io.tallystick.api.v1.GetCertificatesRequest;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.GetClueRequest;
import io.tallystick.api.v1.GetConsistencyProofRequest;
import io.tallystick.api.v1.GetErasureRequest;
import io.tallystick.api.v1.GetInclusionProofRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.GetKeyChainRequest;
import io.tallystick.api.v1.GetLastGrantTimeRequest;
import io.tallystick.api.v1.GetLedgerRequest;
import io.tallystick.api.v1.GetMembershipRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetReceiptResponse;
import io.tallystick.api.v1.GetRemovalCertificateRequest;
import io.tallystick.api.v1.GetStateHistoryRequest;
import io.tallystick.api.v1.GetStateOfKeysRequest;
import io.tallystick.api.v1.GetStateRequest;
import io.tallystick.api.v1.GetTrustedAnchorRequest;
import io.tallystick.api.v1.GrantedTime;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.ListLineageRequest;
import io.tallystick.api.v1.ListMembersRequest;
import io.tallystick.api.v1.ListMembersResponse;
import io.tallystick.api.v1.ListStateRequest;
import io.tallystick.api.v1.PreparePurgeRequest;
import io.tallystick.api.v1.RequestTimeRequest;
import io.tallystick.api.v1.RequestedTime;
import io.tallystick.api.v1.SetTrustedAnchorRequest;
import io.tallystick.api.v1.ShowCertificatesRequest;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StateOfKeys;
import io.tallystick.api.v1.StatePage;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Leaf;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The reads of one strand, as the service answers them: form checked, nothing verified.
public final class LedgerCalls {
  /// So long the service waits for its time authorities.
  private static final Duration TIME_MAX = Duration.ofSeconds(60);

  private final ServiceCalls calls;
  private final StrandId strand;
  private final ByteString ledger;

  public LedgerCalls(ServiceCalls calls, StrandId strand) {
    this.calls = calls;
    this.strand = strand;
    this.ledger = WireBytes.toWire(strand.ledger().digest());
  }

  /// The parameters of a ledger's genesis; of a deleted ledger from the leaf of jsn 0, which stays.
  public static Bytes genesisParams(ServiceCalls calls, LedgerId id) throws TallyException {
    ByteString ledger = WireBytes.toWire(id.digest());
    try {
      return WireBytes.bytes(
          calls
              .ledgers(
                  "GetLedger",
                  stub -> stub.getLedger(GetLedgerRequest.newBuilder().setLedgerId(ledger).build()))
              .getGenesisParams());
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.PURGED.wire())) {
        throw e;
      }
      return ofGenesis(new LedgerCalls(calls, new StrandId(id, 0)).receipt(new Jsn(0)));
    }
  }

  private static Bytes ofGenesis(GetReceiptResponse shown) throws VerificationException {
    try {
      if (Leaf.decode(WireBytes.bytes(shown.getLeaf())) instanceof GenesisLeaf genesis) {
        return genesis.genesisParams();
      }
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(
              ProofRejectedException.Reason.MALFORMED, "genesis: " + e.getMessage(), e));
    }
    throw new VerificationException(
        new ProofRejectedException(
            ProofRejectedException.Reason.WRONG_TYPE, "the leaf of jsn 0 is no genesis"));
  }

  public ListMembersResponse members() throws TallyException {
    return calls.ledgers(
        "ListMembers",
        stub -> stub.listMembers(ListMembersRequest.newBuilder().setLedgerId(ledger).build()));
  }

  /// @return the digest by which the service keeps the chain
  public Digest showCertificates(CertificateChain chain) throws TallyException {
    ShowCertificatesRequest request =
        ShowCertificatesRequest.newBuilder()
            .setLedgerId(ledger)
            .setChain(WireBytes.toWire(chain.encode()))
            .build();
    var answer =
        calls.changing().ledgers("ShowCertificates", stub -> stub.showCertificates(request));
    try {
      return WireBytes.digest("cert_digest", answer.getCertDigest());
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  public Bytes certificates(Digest certDigest) throws TallyException {
    GetCertificatesRequest request =
        GetCertificatesRequest.newBuilder()
            .setLedgerId(ledger)
            .setCertDigest(WireBytes.toWire(certDigest))
            .build();
    return WireBytes.bytes(
        calls.ledgers("GetCertificates", stub -> stub.getCertificates(request)).getChain());
  }

  public void eraseCertificates(Digest certDigest) throws TallyException {
    EraseCertificatesRequest request =
        EraseCertificatesRequest.newBuilder()
            .setLedgerId(ledger)
            .setCertDigest(WireBytes.toWire(certDigest))
            .build();
    var unused =
        calls.changing().ledgers("EraseCertificates", stub -> stub.eraseCertificates(request));
  }

  /// @param size of the tree its inclusion is wanted in
  public JournalEntry journal(Jsn jsn, TreeSize size) throws TallyException {
    GetJournalRequest request =
        GetJournalRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setJsn(jsn.value())
            .setSize(size.value())
            .build();
    return calls.journals("GetJournal", stub -> stub.getJournal(request));
  }

  /// Answers for the first of `jsns`, in their order: one at least, or the service is at fault.
  ///
  /// @param size of the tree their inclusion is wanted in
  public List<JournalAnswer> journals(List<Jsn> jsns, TreeSize size) throws TallyException {
    GetJournalsRequest.Builder request =
        GetJournalsRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setSize(size.value());
    jsns.forEach(jsn -> request.addJsn(jsn.value()));
    GetJournalsRequest whole = request.build();
    List<JournalAnswer> answers =
        calls.journals("GetJournals", stub -> stub.getJournals(whole)).getAnswersList();
    if (answers.isEmpty() || answers.size() > jsns.size()) {
      throw new VerificationException(
          new ProofRejectedException(
              ProofRejectedException.Reason.MALFORMED,
              String.format(
                  Locale.ROOT, "%d answers about %d journals", answers.size(), jsns.size())));
    }
    return answers;
  }

  public ListJournalsResponse journals(Jsn from, int limit) throws TallyException {
    ListJournalsRequest request =
        ListJournalsRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setFromJsn(from.value())
            .setLimit(limit)
            .build();
    return calls.journals("ListJournals", stub -> stub.listJournals(request));
  }

  /// @param size of the tree to look at and to prove in
  public ListJournalsResponse scan(JournalFilter filter, Jsn from, int limit, TreeSize size)
      throws TallyException {
    ListJournalsRequest.Builder request =
        ListJournalsRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setFromJsn(from.value())
            .setLimit(limit)
            .setSize(size.value());
    filter.signer().ifPresent(kid -> request.setSigner(WireBytes.toWire(kid.toBytes())));
    filter.kind().ifPresent(kind -> request.setKind(kind.code()));
    filter.fromTimeMs().ifPresent(request::setFromTimeMs);
    filter.toTimeMs().ifPresent(request::setToTimeMs);
    return calls.journals("ListJournals", stub -> stub.listJournals(request.build()));
  }

  public Clue clue(Digest clueId) throws TallyException {
    GetClueRequest request =
        GetClueRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setClueId(WireBytes.toWire(clueId))
            .build();
    return calls.clues("GetClue", stub -> stub.getClue(request));
  }

  /// @param which of the clue's journals; clue and strand are set here
  public Lineage lineage(Digest clueId, ListLineageRequest.Builder which) throws TallyException {
    ListLineageRequest request =
        which
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setClueId(WireBytes.toWire(clueId))
            .build();
    return calls.clues("ListLineage", stub -> stub.listLineage(request));
  }

  public Lineage membership(Digest clueId, Jsn jsn) throws TallyException {
    GetMembershipRequest request =
        GetMembershipRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setClueId(WireBytes.toWire(clueId))
            .setJsn(jsn.value())
            .build();
    return calls.clues("GetMembership", stub -> stub.getMembership(request));
  }

  /// @param which key, as of which block; the strand is set here
  public StateOfKey state(GetStateRequest.Builder which) throws TallyException {
    GetStateRequest request = which.setLedgerId(ledger).setStrand(strand.strand()).build();
    return calls.states("GetState", stub -> stub.getState(request));
  }

  /// @param which keys, as of which block; the strand is set here
  public StateOfKeys stateOfKeys(GetStateOfKeysRequest.Builder which) throws TallyException {
    GetStateOfKeysRequest request = which.setLedgerId(ledger).setStrand(strand.strand()).build();
    return calls.states("GetStateOfKeys", stub -> stub.getStateOfKeys(request));
  }

  /// @param which keys, as of which block; the strand is set here
  public StatePage statePage(ListStateRequest.Builder which) throws TallyException {
    ListStateRequest request = which.setLedgerId(ledger).setStrand(strand.strand()).build();
    return calls.states("ListState", stub -> stub.listState(request));
  }

  /// @param which key, as of which block; the strand is set here
  public StateHistory stateHistory(GetStateHistoryRequest.Builder which) throws TallyException {
    GetStateHistoryRequest request = which.setLedgerId(ledger).setStrand(strand.strand()).build();
    return calls.states("GetStateHistory", stub -> stub.getStateHistory(request));
  }

  /// By which occult a body was erased.
  public Erasure erasure(Jsn jsn) throws TallyException {
    GetErasureRequest request =
        GetErasureRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setJsn(jsn.value())
            .build();
    return calls.journals("GetErasure", stub -> stub.getErasure(request));
  }

  /// The snapshot that a purge may name.
  public Bytes preparePurge(long height, List<Digest> absent) throws TallyException {
    PreparePurgeRequest.Builder request =
        PreparePurgeRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setHeight(height);
    absent.forEach(kid -> request.addAbsentKids(WireBytes.toWire(kid)));
    return WireBytes.bytes(
        calls.removals("PreparePurge", stub -> stub.preparePurge(request.build())).getSnapshot());
  }

  /// The certificate of a removal, or of the one that erased a journal.
  public Bytes removalCertificate(Jsn jsn) throws TallyException {
    GetRemovalCertificateRequest request =
        GetRemovalCertificateRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setJsn(jsn.value())
            .build();
    return WireBytes.bytes(
        calls
            .removals("GetRemovalCertificate", stub -> stub.getRemovalCertificate(request))
            .getCertificate());
  }

  public GetReceiptResponse receipt(Jsn jsn) throws TallyException {
    GetReceiptRequest request =
        GetReceiptRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setJsn(jsn.value())
            .build();
    return calls.journals("GetReceipt", stub -> stub.getReceipt(request));
  }

  /// @param which with exactly one choice set
  public Block block(GetBlockRequest.Builder which) throws TallyException {
    GetBlockRequest request = which.setLedgerId(ledger).setStrand(strand.strand()).build();
    return calls.journals("GetBlock", stub -> stub.getBlock(request));
  }

  /// The newest signed head as a note.
  public Bytes checkpoint() throws TallyException {
    return checkpoint(false);
  }

  /// The newest head that witnesses cosigned, as a note; the newest of all if there is none.
  public Bytes cosignedCheckpoint() throws TallyException {
    return checkpoint(true);
  }

  private Bytes checkpoint(boolean cosigned) throws TallyException {
    GetCheckpointRequest request =
        GetCheckpointRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setCosigned(cosigned)
            .build();
    return WireBytes.bytes(
        calls.journals("GetCheckpoint", stub -> stub.getCheckpoint(request)).getNote());
  }

  /// How the service says that its keys came from those of genesis.
  public KeyChain keyChain() throws TallyException {
    GetKeyChainRequest request =
        GetKeyChainRequest.newBuilder().setLedgerId(ledger).setStrand(strand.strand()).build();
    Bytes encoded =
        WireBytes.bytes(
            calls.journals("GetKeyChain", stub -> stub.getKeyChain(request)).getKeyChain());
    try {
      return KeyChain.decode(encoded);
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(
              ProofRejectedException.Reason.MALFORMED, "key chain: " + e.getMessage(), e));
    }
  }

  /// Has the service keep a trusted anchor for others.
  public void setAnchor(Bytes anchor) throws TallyException {
    SetTrustedAnchorRequest request =
        SetTrustedAnchorRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setAnchor(WireBytes.toWire(anchor))
            .build();
    var unused =
        calls.changing().journals("SetTrustedAnchor", stub -> stub.setTrustedAnchor(request));
  }

  /// The largest anchor of at most `size`, or of all.
  public Bytes anchor(Optional<TreeSize> size) throws TallyException {
    GetTrustedAnchorRequest request =
        GetTrustedAnchorRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setSize(size.map(TreeSize::value).orElse(0L))
            .build();
    return WireBytes.bytes(
        calls.journals("GetTrustedAnchor", stub -> stub.getTrustedAnchor(request)).getAnchor());
  }

  public GrantedTime lastGrantTime(long timeMs) throws TallyException {
    GetLastGrantTimeRequest request =
        GetLastGrantTimeRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setTimeMs(timeMs)
            .build();
    return calls.journals("GetLastGrantTime", stub -> stub.getLastGrantTime(request));
  }

  /// Has the newest head stamped, which takes as long as the authorities take.
  public RequestedTime requestTime() throws TallyException {
    RequestTimeRequest request =
        RequestTimeRequest.newBuilder().setLedgerId(ledger).setStrand(strand.strand()).build();
    return calls.within(TIME_MAX).journals("RequestTime", stub -> stub.requestTime(request));
  }

  public InclusionProof inclusion(Jsn jsn, TreeSize size) throws TallyException {
    GetInclusionProofRequest request =
        GetInclusionProofRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setJsn(jsn.value())
            .setSize(size.value())
            .build();
    var answer = calls.journals("GetInclusionProof", stub -> stub.getInclusionProof(request));
    try {
      // For the leaf and size that were asked for, whatever the answer calls itself.
      return new InclusionProof(
          jsn.value(),
          size.value(),
          WireBytes.digests("path", answer.getPathList(), TreeGeometry.PATH_HASHES_MAX));
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  public ConsistencyProof consistency(TreeSize from, TreeSize to) throws TallyException {
    GetConsistencyProofRequest request =
        GetConsistencyProofRequest.newBuilder()
            .setLedgerId(ledger)
            .setStrand(strand.strand())
            .setFromSize(from.value())
            .setToSize(to.value())
            .build();
    var answer = calls.journals("GetConsistencyProof", stub -> stub.getConsistencyProof(request));
    try {
      return new ConsistencyProof(
          from.value(),
          to.value(),
          WireBytes.digests("path", answer.getPathList(), TreeGeometry.PATH_HASHES_MAX));
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }
}
