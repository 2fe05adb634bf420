package io.tallystick.client;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;

/// A request that a client signed and sent without learning its outcome: journals, or the founding
/// of a ledger. {@link TallyClient#resend} sends it again byte for byte. It holds salts and bodies,
/// so it is as secret as they are. Source: `docs/formats/pending-request.md`.
public final class PendingRequest {
  /// The largest batch, and room for lengths and the strand.
  public static final int BYTES_MAX =
      Limits.BATCH_BYTES_MAX + 32 * Limits.BATCH_COUNT_MAX + (64 << 10);

  private static final int JOURNALS_TYPE = 33;
  private static final int JOURNALS_ITEMS = 5;
  private static final int FOUNDING_TYPE = 34;
  private static final int FOUNDING_ITEMS = 6;
  private static final int REQUEST_ITEMS = 4;

  /// The content that was sent.
  sealed interface Content {
    /// One journal or a batch.
    record Journals(SignedSubmission submission) implements Content {}

    /// A ledger.
    record Founding(LedgerFounding founding) implements Content {}
  }

  private final Content content;

  private PendingRequest(Content content) {
    this.content = content;
  }

  static PendingRequest of(SignedSubmission submission) {
    return new PendingRequest(new Content.Journals(submission));
  }

  static PendingRequest of(LedgerFounding founding) {
    return new PendingRequest(new Content.Founding(founding));
  }

  Content content() {
    return content;
  }

  /// The ledger that it was sent to, or that it founds.
  public LedgerId ledger() {
    return switch (content) {
      case Content.Journals(SignedSubmission submission) -> submission.strand().ledger();
      case Content.Founding(LedgerFounding founding) -> founding.ledgerId();
    };
  }

  /// How many journals it is, 0 if it founds a ledger.
  public int journals() {
    return switch (content) {
      case Content.Journals(SignedSubmission submission) -> submission.count();
      case Content.Founding unused -> 0;
    };
  }

  /// Whether it founds a ledger of this name, by these owners, with these options. The invitation,
  /// the first members and the first time do not matter.
  public boolean founds(String name, List<ClientKey> owners, LedgerOptions options) {
    return content instanceof Content.Founding(LedgerFounding founding)
        && founding.isFor(name, owners, options);
  }

  /// Whether it founds a ledger of this service.
  public boolean foundsAt(ServiceInfo service) {
    return content instanceof Content.Founding(LedgerFounding founding) && founding.isOf(service);
  }

  public Bytes encode() {
    CborWriter out = new CborWriter();
    switch (content) {
      case Content.Journals(SignedSubmission sent) -> {
        out.array(JOURNALS_ITEMS).uint(JOURNALS_TYPE);
        out.digest(sent.strand().ledger().digest()).uint(sent.strand().strand());
        out.array(sent.count());
        for (SignedRequest each : sent.requests()) {
          out.array(REQUEST_ITEMS).bytes(each.header()).bytes(each.salt());
          out.bytes(each.body()).bytes(each.ops());
        }
        out.bytes(sent.attestation());
      }
      case Content.Founding(LedgerFounding sent) -> {
        out.array(FOUNDING_ITEMS).uint(FOUNDING_TYPE);
        out.bytes(sent.encoded()).bytes(sent.attestation().encode()).bytes(sent.nameSalt());
        out.text(sent.name()).text(sent.invitation());
      }
    }
    return out.toBytes();
  }

  public static PendingRequest decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    int items = in.arrayAtMost("pending request", FOUNDING_ITEMS);
    long type = in.uint();
    if (type == JOURNALS_TYPE && items == JOURNALS_ITEMS) {
      return of(journals(in));
    }
    if (type == FOUNDING_TYPE && items == FOUNDING_ITEMS) {
      return of(founding(in));
    }
    throw new MalformedException(
        "type " + type + " of " + items + " items is no pending request, want 33 or 34");
  }

  private static SignedSubmission journals(CborReader in) throws MalformedException {
    LedgerId ledger = new LedgerId(in.digest());
    int strand = (int) in.uint("strand", Limits.STRANDS_MAX - 1);
    int count = in.arrayAtMost("requests", Limits.BATCH_COUNT_MAX);
    if (count == 0) {
      throw new MalformedException("no requests");
    }
    List<SignedRequest> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("request", REQUEST_ITEMS);
      SignedRequest request =
          new SignedRequest(
              bytes(in, "header", Limits.HEADER_BYTES_MAX),
              bytes(in, "salt", Limits.SALT_BYTES),
              bytes(in, "body", Limits.REQUEST_BYTES_MAX),
              bytes(in, "ops", Limits.REQUEST_BYTES_MAX));
      RequestHeader header = RequestHeader.decode(request.header());
      if (request.salt().size() != Limits.SALT_BYTES
          || !Commitments.body(request.salt(), request.body()).equals(header.bodyCommit())) {
        throw new MalformedException("salt and body do not open bodyCommit of request " + i);
      }
      requests.add(request);
    }
    Bytes attestation = bytes(in, "attestation", Limits.ATTESTATION_BYTES_MAX);
    in.end();
    return SignedSubmission.of(new StrandId(ledger, strand), requests, attestation);
  }

  private static LedgerFounding founding(CborReader in) throws MalformedException {
    Bytes params = bytes(in, "genesisParams", Limits.LEAF_BYTES_MAX);
    Attestation attestation =
        Attestation.decode(bytes(in, "attestation", Limits.ATTESTATION_BYTES_MAX));
    Bytes nameSalt = bytes(in, "nameSalt", Limits.SALT_BYTES);
    String name = in.text();
    String invitation = in.text();
    in.end();
    GenesisParams decoded = GenesisParams.decode(params);
    if (nameSalt.size() != Limits.SALT_BYTES
        || !Commitments.name(nameSalt, name).equals(decoded.nameCommit())) {
      throw new MalformedException("name and salt do not open nameCommit");
    }
    return new LedgerFounding(decoded, params, attestation, nameSalt, name, invitation);
  }

  private static Bytes bytes(CborReader in, String name, int bytesMax) throws MalformedException {
    return Bytes.wrap(in.bytes(name, bytesMax));
  }

  /// Without salts and bodies.
  @Override
  public String toString() {
    return "PendingRequest[" + ledger() + "]";
  }
}
