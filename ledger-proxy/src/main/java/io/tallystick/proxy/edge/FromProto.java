package io.tallystick.proxy.edge;

import com.google.protobuf.ByteString;
import io.tallystick.api.WireArray;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.ListJournalsRequest;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerName;
import io.tallystick.node.StateReads;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// Model records out of wire messages. Everything here came from a stranger: what does not fit is
/// rejected, naming the field.
final class FromProto {
  private FromProto() {}

  static Bytes bytes(ByteString value) {
    return Bytes.wrap(WireArray.of(value));
  }

  static LedgerId ledgerId(ByteString value) throws RequestRejectedException {
    return ledgerId("ledger_id", value);
  }

  static LedgerId ledgerId(String field, ByteString value) throws RequestRejectedException {
    return new LedgerId(digest(field, value));
  }

  static StrandId strand(ByteString ledgerId, int strand) throws RequestRejectedException {
    if (strand < 0) {
      throw new RequestRejectedException(
          RejectionCode.OUT_OF_RANGE, "there is no strand " + Integer.toUnsignedString(strand));
    }
    return new StrandId(ledgerId(ledgerId), strand);
  }

  /// A jsn or height. The wire's are unsigned; nothing can be that far.
  static long position(String name, long value) throws RequestRejectedException {
    return notHuge(RejectionCode.OUT_OF_RANGE, name, value);
  }

  static long size(String name, long value) throws RequestRejectedException {
    return notHuge(RejectionCode.FUTURE_SIZE, name, value);
  }

  private static long notHuge(RejectionCode code, String name, long value)
      throws RequestRejectedException {
    if (value < 0) {
      throw new RequestRejectedException(
          code, name + " " + Long.toUnsignedString(value) + " does not exist yet");
    }
    return value;
  }

  /// The conditions of a scan; none if a page is asked for.
  static JournalFilter filter(ListJournalsRequest request) throws RequestRejectedException {
    JournalFilter filter = JournalFilter.ALL;
    try {
      if (!request.getSigner().isEmpty()) {
        filter = filter.signedBy(digest("signer", request.getSigner()));
      }
      if (request.getKind() != 0) {
        filter = filter.ofKind(Kind.ofCode(Integer.toUnsignedLong(request.getKind())));
      }
      if (request.hasFromTimeMs()) {
        filter = filter.fromTime(request.getFromTimeMs());
      }
      if (request.hasToTimeMs()) {
        filter = filter.toTime(request.getToTimeMs());
      }
      return filter;
    } catch (MalformedException | IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  static LedgerName ledgerName(CreateLedgerRequest request) throws RequestRejectedException {
    return LedgerName.of(digest("name_salt", request.getNameSalt()), request.getName());
  }

  static UnverifiedSubmission submission(AppendRequest request) throws RequestRejectedException {
    int count = request.getRequestsCount();
    List<SignedRequest> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(signedRequest(request.getRequests(i)));
    }
    if (requests.isEmpty()) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "submission without a request");
    }
    StrandId strand =
        request.getLedgerId().isEmpty()
            ? strandOf(requests.getFirst())
            : strand(request.getLedgerId(), request.getStrand());
    return new UnverifiedSubmission(strand, requests, bytes(request.getAttestation()));
  }

  private static SignedRequest signedRequest(io.tallystick.api.v1.SignedRequest request) {
    return new SignedRequest(
        bytes(request.getHeader()),
        bytes(request.getSalt()),
        bytes(request.getBody()),
        bytes(request.getOps()));
  }

  private static StrandId strandOf(SignedRequest request) throws RequestRejectedException {
    try {
      return RequestHeader.decode(request.header()).strand();
    } catch (MalformedException e) {
      throw new RequestRejectedException(
              RejectionCode.MALFORMED,
              "no ledger_id, and the first header does not tell it: " + e.getMessage(),
              e)
          .atIndex(0);
    }
  }

  static Digest clueId(ByteString value) throws RequestRejectedException {
    return digest("clue_id", value);
  }

  static Digest kid(ByteString value) throws RequestRejectedException {
    return digest("kid", value);
  }

  static Digest certDigest(ByteString value) throws RequestRejectedException {
    return digest("cert_digest", value);
  }

  static CertificateChain chain(ByteString encoded) throws RequestRejectedException {
    try {
      return CertificateChain.decode(bytes(encoded));
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.CERTIFICATE_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  static Digest requestHash(ByteString value) throws RequestRejectedException {
    return digest("request_hash", value);
  }

  /// The height that a read of the state names; the newest if it names none.
  static long height(boolean named, long height) throws RequestRejectedException {
    return named ? position("as_of_height", height) : StateReads.NEWEST;
  }

  /// A jsn that a message may have.
  static OptionalLong jsn(boolean named, String name, long jsn) throws RequestRejectedException {
    return named ? OptionalLong.of(position(name, jsn)) : OptionalLong.empty();
  }

  /// The time that a read of the state names instead of a height; empty if it names none.
  static OptionalLong atTime(boolean named, long timeMs, boolean withHeight)
      throws RequestRejectedException {
    if (!named) {
      return OptionalLong.empty();
    }
    if (withHeight) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "as_of_height and at_time_ms exclude each other");
    }
    return OptionalLong.of(notHuge(RejectionCode.TIME_OUT_OF_RANGE, "at_time_ms", timeMs));
  }

  private static Digest digest(String name, ByteString value) throws RequestRejectedException {
    if (value.size() != Digest.BYTES) {
      throw new RequestRejectedException(
              RejectionCode.MALFORMED,
              name + " of " + value.size() + " bytes, want " + Digest.BYTES)
          .withLimit(Digest.BYTES);
    }
    return Digest.of(WireArray.of(value));
  }
}
