package io.tallystick.bench.soak;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Body;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.receipt.Receipt;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/// One request, or a batch under one signature, signed once: whatever becomes of its sender, only
/// these bytes are ever sent.
record SoakRequest(StrandId strand, List<SignedRequest> requests, Bytes attestation) {
  private static final int SALT_BYTES = 32;
  private static final int FIELD_BYTES_MAX = 1 << 20;
  private static final int COUNT_MAX = 1000;

  SoakRequest {
    requests = List.copyOf(requests);
  }

  static SoakRequest sign(
      StrandId strand, List<Bytes> payloads, Signer owner, RandomGenerator random) {
    long now = System.currentTimeMillis();
    List<SignedRequest> requests = new ArrayList<>(payloads.size());
    List<Digest> hashes = new ArrayList<>(payloads.size());
    for (Bytes payload : payloads) {
      byte[] salt = new byte[SALT_BYTES];
      random.nextBytes(salt);
      SignedRequest request =
          RequestDraft.append(strand, payload, "application/octet-stream", now, Bytes.wrap(salt))
              .build();
      requests.add(request);
      hashes.add(RequestHeader.hash(request.header()));
    }
    Attestation attestation =
        requests.size() == 1
            ? RequestSigner.sign(strand, hashes.getFirst(), List.of(owner))
            : RequestSigner.signBatch(strand, hashes, List.of(owner));
    return new SoakRequest(strand, requests, attestation.encode());
  }

  List<Bytes> payloads() throws MalformedException {
    List<Bytes> payloads = new ArrayList<>(requests.size());
    for (SignedRequest request : requests) {
      payloads.add(Body.decode(request.body()).payload());
    }
    return payloads;
  }

  /// Checks that an answer proves these journals: the leaves are rebuilt from the request, of the
  /// answer only jsn and time are taken.
  void check(Answer.Receipted answer, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException, MalformedException {
    Digest attestHash = Attestation.hash(attestation);
    List<Bytes> leaves = new ArrayList<>(requests.size());
    for (int i = 0; i < requests.size(); i++) {
      Jsn jsn = new Jsn(answer.firstJsn() + i);
      Bytes header = requests.get(i).header();
      leaves.add(
          new JournalLeaf(jsn, answer.timeMs(), header, attestHash, i, requests.size()).encode());
    }
    if (!answer.isRange()) {
      Receipt receipt = Receipt.decode(answer.evidence());
      receipt.verify(leaves.getFirst(), strand, keys, signatures);
      return;
    }
    RangeReceipt receipt = RangeReceipt.decode(answer.evidence());
    if (receipt.proof().first() != answer.firstJsn() || receipt.proof().count() != leaves.size()) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "receipt of %d journals from %d, want %d from %d",
              receipt.proof().count(),
              receipt.proof().first(),
              leaves.size(),
              answer.firstJsn()));
    }
    receipt.verify(leaves, strand, keys, signatures);
  }

  void write(DataOutputStream out) throws IOException {
    out.write(strand.ledger().digest().toArray());
    out.writeInt(strand.strand());
    write(out, attestation);
    out.writeInt(requests.size());
    for (SignedRequest request : requests) {
      write(out, request.header());
      write(out, request.salt());
      write(out, request.body());
    }
  }

  static SoakRequest read(DataInputStream in) throws IOException {
    LedgerId ledger = new LedgerId(Digest.of(in.readNBytes(Digest.BYTES)));
    StrandId strand = new StrandId(ledger, in.readInt());
    Bytes attestation = readBytes(in);
    int count = in.readInt();
    if (count < 1 || count > COUNT_MAX) {
      throw new IOException("a book has a request of " + count + " journals");
    }
    List<SignedRequest> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(new SignedRequest(readBytes(in), readBytes(in), readBytes(in)));
    }
    return new SoakRequest(strand, requests, attestation);
  }

  static void write(DataOutputStream out, Bytes bytes) throws IOException {
    out.writeInt(bytes.size());
    out.write(bytes.unsafeArray());
  }

  static Bytes readBytes(DataInputStream in) throws IOException {
    int size = in.readInt();
    if (size < 0 || size > FIELD_BYTES_MAX) {
      throw new IOException("a book has a field of " + size + " bytes");
    }
    return Bytes.wrap(in.readNBytes(size));
  }
}
