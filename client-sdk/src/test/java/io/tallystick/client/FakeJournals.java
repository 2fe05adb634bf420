package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.GetJournalsRequest;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;

/// The journals of a fake ledger as the wire has them, with proofs by the reference tree.
final class FakeJournals {
  private FakeJournals() {}

  /// What a client sends.
  static List<SignedRequest> requests(AppendRequest request) {
    return request.getRequestsList().stream()
        .map(each ->
            new SignedRequest(
                bytes(each.getHeader()),
                bytes(each.getSalt()),
                bytes(each.getBody()),
                bytes(each.getOps())))
        .toList();
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  /// As a page has it.
  static JournalEntry entry(FakeLedger ledger, long jsn) {
    if (jsn >= ledger.size()) {
      throw FakeService.problem(FakeService.problem("out_of_range", false));
    }
    FakeLedger.Entry entry = ledger.entries.get((int) jsn);
    return JournalEntry.newBuilder()
        .setJsn(jsn)
        .setLeaf(wire(entry.leaf()))
        .setAttestation(wire(entry.attestation()))
        .setBodyState(entry.salt().isEmpty() ? BodyState.BODY_NONE : BodyState.BODY_PRESENT)
        .setSalt(wire(entry.salt()))
        .setBody(wire(entry.body()))
        .setOps(wire(entry.ops()))
        .build();
  }

  /// As a read alone has it.
  static JournalEntry proven(FakeLedger ledger, long jsn, long size) {
    JournalEntry.Builder entry = entry(ledger, jsn).toBuilder();
    FakeLedger.Entry stored = ledger.entries.get((int) jsn);
    if (!stored.batch().isEmpty()) {
      ReferenceTree batch =
          new ReferenceTree(stored.batch().stream().map(Digest::toBytes).toList());
      entry.setBatchProof(proof(batch, stored.batchIndex(), stored.batch().size()));
    }
    return entry.setInclusion(proof(ledger.tree(), jsn, (int) size)).build();
  }

  /// To the first `max` of those asked for.
  static List<JournalAnswer> answers(FakeLedger ledger, GetJournalsRequest request, int max) {
    List<JournalAnswer> answers = new ArrayList<>();
    for (long jsn : request.getJsnList().stream().limit(max).toList()) {
      JournalAnswer.Builder answer = JournalAnswer.newBuilder();
      answers.add(
          jsn < ledger.size()
              ? answer.setJournal(proven(ledger, jsn, request.getSize())).build()
              : answer.setProblem(FakeService.problem("out_of_range", false)).build());
    }
    return answers;
  }

  private static ByteString proof(ReferenceTree tree, long index, int size) {
    return wire(
        InclusionProofBytes.encode(
            new InclusionProof(index, size, tree.inclusionPath((int) index, size))));
  }

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }
}
