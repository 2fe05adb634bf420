package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.Erasure;
import io.tallystick.api.v1.GetErasureRequest;
import io.tallystick.api.v1.GetReceiptRequest;
import io.tallystick.api.v1.GetReceiptResponse;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;

/// What a fake service says of one journal, and of the newest removal, which it shows for every
/// body.
class FakeErasures extends JournalServiceGrpc.JournalServiceImplBase {
  private final FakeService service;

  FakeErasures(FakeService service) {
    this.service = service;
  }

  @Override
  public void getReceipt(GetReceiptRequest request, StreamObserver<GetReceiptResponse> out) {
    service.answer(
        out,
        () -> {
          FakeLedger ledger = service.ledger(request.getLedgerId());
          return GetReceiptResponse.newBuilder()
              .setLeaf(wire(ledger.entries.get((int) request.getJsn()).leaf()))
              .setReceipt(wire(ledger.receipt(request.getJsn()).encode()))
              .build();
        });
  }

  @Override
  public void getErasure(GetErasureRequest request, StreamObserver<Erasure> out) {
    service.answer(
        out, () -> service.erasureTampering.apply(erasure(service.ledger(request.getLedgerId()))));
  }

  private static Erasure erasure(FakeLedger ledger) {
    for (int jsn = ledger.size() - 1; jsn > 0; jsn--) {
      FakeLedger.Entry entry = ledger.entries.get(jsn);
      if (isRemoval(entry.leaf())) {
        return of(ledger, jsn).build();
      }
    }
    throw FakeService.problem(FakeService.problem("out_of_range", false));
  }

  /// As if the journal at `jsn` were the occult.
  static Erasure.Builder of(FakeLedger ledger, long jsn) {
    FakeLedger.Entry entry = ledger.entries.get((int) jsn);
    return Erasure.newBuilder()
        .setRemovalJsn(jsn)
        .setReceiptFile(wire(new ReceiptFile(entry.leaf(), ledger.receipt(jsn)).encode()))
        .setAttestation(wire(entry.attestation()));
  }

  private static boolean isRemoval(Bytes leaf) {
    try {
      return Leaf.decode(leaf) instanceof JournalLeaf journal
          && List.of(Kind.OCCULT, Kind.PURGE)
              .contains(RequestHeader.decode(journal.header()).kind());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }
}
