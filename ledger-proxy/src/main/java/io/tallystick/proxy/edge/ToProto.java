package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.ConsistencyProof;
import io.tallystick.api.v1.CreateLedgerResponse;
import io.tallystick.api.v1.Deferred;
import io.tallystick.api.v1.Erasure;
import io.tallystick.api.v1.GetReceiptResponse;
import io.tallystick.api.v1.InclusionProof;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.KeyVersion;
import io.tallystick.api.v1.Ledger;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.api.v1.ListLedgersResponse;
import io.tallystick.api.v1.ListMembersResponse;
import io.tallystick.api.v1.LogChunk;
import io.tallystick.api.v1.LogEntry;
import io.tallystick.api.v1.Member;
import io.tallystick.api.v1.Receipted;
import io.tallystick.api.v1.RequestedTime;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateItem;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StateOfKeys;
import io.tallystick.api.v1.StatePage;
import io.tallystick.api.v1.Verdict;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.journal.BodyState;
import io.tallystick.master.anchor.TimeRequests.Granted;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.BlockView;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerView;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenJournal;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.node.ProvenLineage;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StampedHead;
import io.tallystick.proxy.read.ListedJournals;
import io.tallystick.proxy.read.LogPage;
import io.tallystick.proxy.read.LogWalk;
import io.tallystick.proxy.read.ReadableLedgers;
import io.tallystick.proxy.read.ReadableLedgers.SignedLedger;
import io.tallystick.proxy.read.ReceiptedLeaf;
import io.tallystick.proxy.read.ScannedJournals;
import io.tallystick.proxy.read.ShownMembers;
import io.tallystick.state.WriteProof;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Wire messages out of model records. Byte strings are handed on without a copy: both kinds are
/// immutable.
final class ToProto {
  private ToProto() {}

  static ByteString bytes(Bytes value) {
    return UnsafeByteOperations.unsafeWrap(value.unsafeArray());
  }

  /// Takes ownership of `fresh`.
  static ByteString bytes(byte[] fresh) {
    return UnsafeByteOperations.unsafeWrap(fresh);
  }

  static ByteString bytes(Digest value) {
    return bytes(value.toArray());
  }

  private static ByteString orEmpty(@Nullable Bytes value) {
    return value == null ? ByteString.EMPTY : bytes(value);
  }

  private static List<ByteString> path(List<Digest> path) {
    return path.stream().map(ToProto::bytes).toList();
  }

  /// As a list shows it: without genesis and checkpoint.
  static Ledger ledgerRow(LedgerView ledger) {
    return Ledger.newBuilder()
        .setLedgerId(bytes(ledger.id().digest()))
        .setName(ledger.name())
        .setOrigin(ledger.origin())
        .setSize(ledger.size())
        .setHeight(ledger.height())
        .setNewestTimeMs(ledger.timeMs())
        .build();
  }

  static Ledger ledger(SignedLedger ledger) {
    return ledgerRow(ledger.view()).toBuilder()
        .setGenesisParams(bytes(ledger.view().genesisParams()))
        .setCheckpoint(bytes(ledger.checkpoint()))
        .build();
  }

  static CreateLedgerResponse created(CreatedLedger created, SignedLedger ledger) {
    return CreateLedgerResponse.newBuilder()
        .setLedger(ledger(ledger))
        .setExisted(created.existed())
        .setGenesisLeaf(bytes(created.genesisLeaf()))
        .setGenesisReceipt(bytes(created.genesisReceipt()))
        .build();
  }

  static ListLedgersResponse page(ReadableLedgers.Page page) {
    ListLedgersResponse.Builder response = ListLedgersResponse.newBuilder();
    page.ledgers().forEach(ledger -> response.addLedgers(ledgerRow(ledger)));
    page.next().ifPresent(last -> response.setNextAfterLedgerId(bytes(last.digest())));
    return response.build();
  }

  static ListMembersResponse members(ShownMembers shown) {
    ListMembersResponse.Builder response =
        ListMembersResponse.newBuilder().setAsOfSize(shown.view().asOfSize());
    shown
        .view()
        .members()
        .forEach(member -> response.addMembers(member(member, shown.subject(member))));
    return response.build();
  }

  private static Member member(io.tallystick.node.Member member, Optional<String> subject) {
    Member.Builder message =
        Member.newBuilder()
            .setKid(bytes(member.key().kid()))
            .setRole(member.role().code())
            .setSpki(bytes(member.key().spki()))
            .setAddedJsn(member.addedJsn());
    if (member.revoked()) {
      message.setRevokedJsn(member.revokedJsn());
    }
    if (member.grantedJsn() != member.addedJsn()) {
      message.setGrantedJsn(member.grantedJsn());
    }
    if (member.expires()) {
      message.setNotAfterMs(member.terms().notAfterMs());
    }
    message.setDelegated(member.terms().delegated());
    member.terms().certDigest().ifPresent(digest -> message.setCertDigest(bytes(digest)));
    subject.ifPresent(message::setSubject);
    member.replacedBy().ifPresent(kid -> message.setReplacedBy(bytes(kid)));
    return message.build();
  }

  static Receipted receipted(Committed committed, Bytes rangeReceipt) {
    return Receipted.newBuilder()
        .setFirstJsn(committed.firstJsn())
        .setCount(committed.count())
        .setTimeMs(committed.timeMs())
        .setRepeated(committed.repeated())
        .setDelegated(committed.delegated())
        .setRangeReceipt(bytes(rangeReceipt))
        .build();
  }

  /// Under the receipt of an answer before it.
  static Receipted receipted(Committed committed) {
    return receipted(committed, Bytes.EMPTY);
  }

  static Deferred deferred(Committed committed) {
    return Deferred.newBuilder()
        .setFirstJsn(committed.firstJsn())
        .setCount(committed.count())
        .setTimeMs(committed.timeMs())
        .setRepeated(committed.repeated())
        .setDelegated(committed.delegated())
        .build();
  }

  static JournalEntry journal(ProvenJournal proven) {
    JournalView view = proven.journal();
    JournalEntry.Builder entry =
        JournalEntry.newBuilder()
            .setJsn(view.jsn())
            .setLeaf(bytes(view.leaf()))
            .setAttestation(orEmpty(view.attestation()))
            .setBodyState(bodyState(view.bodyState()))
            .setSalt(orEmpty(view.salt()))
            .setBody(orEmpty(view.body()))
            .setOps(bytes(view.ops()))
            .setInclusion(bytes(InclusionProofBytes.encode(proven.inclusion())));
    if (view.batchProof() != null) {
      entry.setBatchProof(bytes(InclusionProofBytes.encode(view.batchProof())));
    }
    return entry.build();
  }

  static ListJournalsResponse page(ListedJournals page) {
    ListJournalsResponse.Builder response = ListJournalsResponse.newBuilder().setSize(page.size());
    page.journals().forEach(item -> response.addJournals(journal(item)));
    page.next().ifPresent(cursor -> response.setNextFromJsn(cursor.next()));
    return response.build();
  }

  static ListJournalsResponse found(ScannedJournals found) {
    ListJournalsResponse.Builder response =
        ListJournalsResponse.newBuilder().setSize(found.size()).setScannedTo(found.scannedTo());
    found.journals().forEach(proven -> response.addJournals(journal(proven)));
    found.next().ifPresent(cursor -> response.setNextFromJsn(cursor.next()));
    return response.build();
  }

  private static JournalEntry journal(LogPage.Item item) {
    return JournalEntry.newBuilder()
        .setJsn(item.jsn())
        .setLeaf(bytes(item.leaf()))
        .setBodyState(bodyState(item.bodyState()))
        .setSalt(orEmpty(item.salt()))
        .setBody(orEmpty(item.body()))
        .setOps(bytes(item.ops()))
        .build();
  }

  static LogChunk chunk(LogWalk.Part part) {
    LogChunk.Builder chunk = LogChunk.newBuilder();
    part.leaves().forEach(item -> chunk.addEntries(logEntry(item)));
    part.end()
        .ifPresent(end -> {
          chunk.setHeadReceipt(bytes(end.headReceipt()));
          end.checkpoint().ifPresent(note -> chunk.setCheckpoint(bytes(note)));
        });
    return chunk.build();
  }

  private static LogEntry logEntry(LogPage.Item item) {
    return LogEntry.newBuilder()
        .setLeaf(bytes(item.leaf()))
        .setAttestation(orEmpty(item.attestation()))
        .setBodyState(bodyState(item.bodyState()))
        .setSalt(orEmpty(item.salt()))
        .setBody(orEmpty(item.body()))
        .setOps(bytes(item.ops()))
        .build();
  }

  private static io.tallystick.api.v1.BodyState bodyState(BodyState state) {
    return switch (state) {
      case NONE -> io.tallystick.api.v1.BodyState.BODY_NONE;
      case PRESENT -> io.tallystick.api.v1.BodyState.BODY_PRESENT;
      case ERASED -> io.tallystick.api.v1.BodyState.BODY_ERASED;
      case DAMAGED -> io.tallystick.api.v1.BodyState.BODY_DAMAGED;
    };
  }

  static GetReceiptResponse receipt(ReceiptedLeaf leaf) {
    return GetReceiptResponse.newBuilder()
        .setLeaf(bytes(leaf.leaf()))
        .setReceipt(bytes(leaf.receipt()))
        .build();
  }

  static Erasure erasure(io.tallystick.node.Erasure erasure) {
    Erasure.Builder answer =
        Erasure.newBuilder()
            .setRemovalJsn(erasure.removal())
            .setReceiptFile(bytes(erasure.receiptFile()))
            .setAttestation(bytes(erasure.attestation()));
    erasure.doneMs().ifPresent(answer::setDoneMs);
    return answer.build();
  }

  static InclusionProof inclusion(ProvenLeaf leaf) {
    return InclusionProof.newBuilder()
        .setJsn(leaf.inclusion().index())
        .setSize(leaf.inclusion().size())
        .setLeafHash(bytes(leaf.leafHash()))
        .addAllPath(path(leaf.inclusion().path()))
        .build();
  }

  static ConsistencyProof consistency(io.tallystick.merkle.ConsistencyProof proof) {
    return ConsistencyProof.newBuilder()
        .setFromSize(proof.from())
        .setToSize(proof.to())
        .addAllPath(path(proof.path()))
        .build();
  }

  static Clue clue(Digest clueId, ProvenClue clue) {
    Clue.Builder answer =
        Clue.newBuilder()
            .setClueId(bytes(clueId))
            .setHead(block(clue.head()))
            .setProof(bytes(clue.proof().encode()));
    clue.value()
        .ifPresent(value -> answer.setCount(value.count()).setDeletedJsn(value.deletedJsn()));
    return answer.build();
  }

  static Lineage lineage(Digest clueId, ProvenLineage page) {
    Lineage.Builder answer =
        Lineage.newBuilder()
            .setClue(clue(clueId, page.clue()))
            .setTotal(page.total())
            .setFirst(page.first())
            .addAllJsn(page.jsns());
    page.proof().ifPresent(proof -> answer.setProof(bytes(proof.encode())));
    page.next().ifPresent(answer::setNextIndex);
    return answer.build();
  }

  static StateOfKey state(ProvenState state) {
    return StateOfKey.newBuilder()
        .setHead(block(state.head()))
        .setProof(bytes(state.proof().encode()))
        .setValue(value(state.value()))
        .setValueState(bodyState(state.value().state()))
        .build();
  }

  private static ByteString value(ReadValue value) {
    return value.value().map(it -> bytes(it.encode())).orElse(ByteString.EMPTY);
  }

  private static StateItem item(ReadValue value) {
    return StateItem.newBuilder()
        .setValue(value(value))
        .setValueState(bodyState(value.state()))
        .build();
  }

  static StateOfKeys states(ProvenStates states) {
    StateOfKeys.Builder answer =
        StateOfKeys.newBuilder().setHead(block(states.head())).setProof(bytes(states.proof()));
    states.values().forEach(each -> answer.addValues(item(each)));
    states.next().ifPresent(next -> answer.setNextKey(bytes(next)));
    return answer.build();
  }

  static StatePage statePage(ProvenStatePage page) {
    StatePage.Builder answer =
        StatePage.newBuilder().setHead(block(page.head())).setProof(bytes(page.proof().encode()));
    page.values().forEach(each -> answer.addValues(item(each)));
    page.next().ifPresent(next -> answer.setNextFrom(bytes(next)));
    return answer.build();
  }

  static StateHistory history(io.tallystick.node.StateHistory history) {
    StateHistory.Builder answer =
        StateHistory.newBuilder()
            .setSize(history.size())
            .setScannedTo(history.scannedTo())
            .setOver(history.over());
    history.versions().forEach(version -> answer.addVersions(version(version)));
    history.purgeJsn().ifPresent(answer::setPurgeJsn);
    history.before().ifPresent(before -> answer.setBefore(state(before)));
    return answer.build();
  }

  private static KeyVersion version(io.tallystick.node.KeyVersion version) {
    WriteProof proof = version.proof();
    KeyVersion.Builder answer =
        KeyVersion.newBuilder()
            .setLeaf(bytes(proof.leaf()))
            .setInclusion(bytes(InclusionProofBytes.encode(proof.inclusion())))
            .setOp(bytes(proof.op()))
            .setOpInclusion(bytes(InclusionProofBytes.encode(proof.inOps())))
            .setSealLeaf(bytes(proof.seal()))
            .setSealInclusion(bytes(InclusionProofBytes.encode(proof.sealInclusion())))
            .setValue(value(version.value()))
            .setValueState(bodyState(version.value().state()));
    version.still().ifPresent(still -> answer.setStill(state(still)));
    return answer.build();
  }

  static Block block(BlockView block) {
    return Block.newBuilder()
        .setHeight(block.height())
        .setFirstJsn(block.firstJsn())
        .setSealJsn(block.sealJsn())
        .setTimeMs(block.timeMs())
        .setSealLeaf(bytes(block.sealLeaf()))
        .setBlockHash(bytes(block.blockHash()))
        .setSize(block.size())
        .setRoot(bytes(block.root()))
        .setHeadReceipt(bytes(block.headReceipt()))
        .build();
  }

  static Verdict verdict(io.tallystick.proxy.verify.Verdict verdict) {
    Verdict.Builder wire =
        Verdict.newBuilder()
            .setVerified(verdict.verified())
            .setLevel(io.tallystick.proxy.verify.Verdict.LEVEL)
            .setNotice(io.tallystick.proxy.verify.Verdict.NOTICE);
    verdict.jsn().ifPresent(wire::setJsn);
    verdict.count().ifPresent(wire::setCount);
    verdict.size().ifPresent(wire::setSize);
    verdict.head().ifPresent(head -> wire.setRoot(bytes(head.root().digest())));
    verdict.failure().ifPresent(why -> wire.setReason(why.reason()).setDetail(why.detail()));
    return wire.build();
  }

  static RequestedTime requestedTime(Granted granted) {
    StampedHead stamped = granted.stamped();
    return RequestedTime.newBuilder()
        .setJsn(stamped.jsn())
        .setTimeMs(stamped.timeMs())
        .setProvenMs(stamped.provenMs())
        .setSize(stamped.head().size().value())
        .setRoot(bytes(stamped.head().root().digest()))
        .setExisted(granted.existed())
        .build();
  }
}
