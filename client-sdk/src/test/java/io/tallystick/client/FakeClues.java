package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.Block;
import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.ClueServiceGrpc;
import io.tallystick.api.v1.GetClueRequest;
import io.tallystick.api.v1.GetMembershipRequest;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListLineageRequest;
import io.tallystick.api.v1.Problem;
import io.tallystick.journal.Leaf;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The clues of the fake service, by the reference trie. Its answers are right until a test changes
/// them.
final class FakeClues extends ClueServiceGrpc.ClueServiceImplBase {
  UnaryOperator<Clue> clueTampering = UnaryOperator.identity();
  BiFunction<ListLineageRequest, Lineage, Lineage> lineageTampering = (unused, answer) -> answer;
  UnaryOperator<Lineage> membershipTampering = UnaryOperator.identity();

  /// What a list is answered with, instead of any journal.
  @Nullable Problem refusal;

  /// Of a page.
  int journalsMax = Integer.MAX_VALUE;

  private final FakeService service;

  FakeClues(FakeService service) {
    this.service = service;
  }

  @Override
  public void getClue(GetClueRequest request, StreamObserver<Clue> out) {
    service.answer(
        out,
        () -> {
          FakeLedger ledger = service.ledger(request.getLedgerId());
          return clueTampering.apply(clue(ledger, id(request.getClueId()), ledger.size()));
        });
  }

  @Override
  public void listLineage(ListLineageRequest request, StreamObserver<Lineage> out) {
    service.answer(
        out,
        () -> {
          if (refusal != null) {
            throw FakeService.problem(refusal);
          }
          return lineageTampering.apply(
              request, list(service.ledger(request.getLedgerId()), request));
        });
  }

  @Override
  public void getMembership(GetMembershipRequest request, StreamObserver<Lineage> out) {
    service.answer(
        out,
        () -> {
          FakeLedger ledger = service.ledger(request.getLedgerId());
          Digest clueId = id(request.getClueId());
          List<Long> jsns = jsns(ledger, clueId, ledger.size());
          int index = jsns.indexOf(request.getJsn());
          if (index < 0) {
            throw FakeService.problem(FakeService.problem("out_of_range", false));
          }
          return membershipTampering.apply(page(ledger, clueId, index, 1, ledger.size()));
        });
  }

  private Lineage list(FakeLedger ledger, ListLineageRequest request) {
    int size = request.getHeadSize() == 0 ? ledger.size() : (int) request.getHeadSize();
    Digest clueId = id(request.getClueId());
    List<Long> jsns = jsns(ledger, clueId, size);
    long asOf = request.getAsOfSize() == 0 ? Long.MAX_VALUE : request.getAsOfSize();
    checkNotDeleted(ledger, clueId, size, asOf);
    int total = below(jsns, asOf);
    int limit = Math.min(journalsMax, request.getLimit());
    int first;
    int count;
    if (request.getDescending()) {
      int end = Math.min(total, end(request, jsns));
      first = Math.max(0, end - limit);
      count = end - first;
    } else {
      first = Math.min(total, start(request, jsns));
      count = Math.min(total - first, limit);
    }
    boolean witness = first + count == total && total < jsns.size();
    return page(ledger, clueId, first, witness ? count + 1 : count, size);
  }

  private static int start(ListLineageRequest request, List<Long> jsns) {
    return switch (request.getFromCase()) {
      case INDEX -> (int) request.getIndex();
      case JSN -> below(jsns, request.getJsn());
      case FROM_NOT_SET -> 0;
    };
  }

  private static int end(ListLineageRequest request, List<Long> jsns) {
    return switch (request.getFromCase()) {
      case INDEX -> (int) request.getIndex() + 1;
      case JSN -> below(jsns, request.getJsn() + 1);
      case FROM_NOT_SET -> jsns.size();
    };
  }

  private static int below(List<Long> jsns, long jsn) {
    return (int) jsns.stream().filter(each -> each < jsn).count();
  }

  private static void checkNotDeleted(FakeLedger ledger, Digest clueId, int size, long asOf) {
    ReferenceClues clues = ledger.clues(size);
    if (!clues.journals(clueId).isEmpty()) {
      ClueValue value = clues.value(clueId);
      if (value.isDeleted() && asOf > value.deletedJsn()) {
        throw FakeService.problem(deleted(value.deletedJsn()));
      }
    }
  }

  static Problem deleted(long jsn) {
    return FakeService.problem("clue_deleted", false).toBuilder().setJsn(jsn).build();
  }

  /// A clue's journals `[first, first + count)` under the head of `size` leaves.
  static Lineage page(FakeLedger ledger, Digest clueId, int first, int count, int size) {
    Lineage.Builder page = Lineage.newBuilder().setClue(clue(ledger, clueId, size)).setFirst(first);
    return count == 0
        ? page.build()
        : page.setProof(wire(proof(ledger, clueId, first, count, size).encode())).build();
  }

  static Clue clue(FakeLedger ledger, Digest clueId, int size) {
    return Clue.newBuilder()
        .setClueId(wire(clueId.toBytes()))
        .setHead(
            Block.newBuilder()
                .setSealJsn(size - 1)
                .setSealLeaf(wire(ledger.entries.get(size - 1).leaf()))
                .setHeadReceipt(wire(ledger.receipt(size - 1).encode())))
        .setProof(wire(clueProof(ledger, clueId, size).encode()))
        .build();
  }

  static ClueProof clueProof(FakeLedger ledger, Digest clueId, int size) {
    return new ClueProof(
        ledger.entries.get(size - 1).leaf(),
        ledger.tree().inclusionPath(size - 1, size),
        ledger.clues(size).proof(clueId));
  }

  static LineageProof proof(FakeLedger ledger, Digest clueId, int first, int count, int size) {
    ReferenceClues clues = ledger.clues(size);
    ReferenceTree tree = clues.tree(clueId);
    return new LineageProof(
        clueProof(ledger, clueId, size),
        first,
        tree.outsideRange(first, count, tree.size()),
        clues.journals(clueId).subList(first, first + count));
  }

  private static List<Long> jsns(FakeLedger ledger, Digest clueId, int size) {
    return ledger.clues(size).journals(clueId).stream().map(FakeClues::jsn).toList();
  }

  private static long jsn(Bytes leaf) {
    try {
      return Leaf.decode(leaf).jsn().value();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static Digest id(ByteString bytes) {
    return Digest.of(bytes.toByteArray());
  }

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }
}
