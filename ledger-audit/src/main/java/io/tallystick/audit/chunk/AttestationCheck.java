package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The signatures of one submission. Whether their signers may sign is for the replay to say.
public final class AttestationCheck {
  private final AuditContext context;

  public AttestationCheck(AuditContext context) {
    this.context = context;
  }

  /// @param kids of members, ascending; empty if the attestation cannot be read
  public record Result(List<Digest> kids, Event.Verdict verdict) {}

  /// Verifies as far as keys are known by now.
  public Result check(
      long jsn, Bytes encoded, List<RequestHeader> headers, List<Digest> requestHashes) {
    Attestation attestation;
    List<Digest> kids;
    try {
      attestation = decode(encoded, headers);
      kids = serviceRequest(headers) ? memberKids(attestation) : kids(attestation);
    } catch (MalformedException e) {
      AuditFault fault =
          new AuditFault(jsn, FaultKind.ATTESTATION_INVALID, String.valueOf(e.getMessage()));
      return new Result(List.of(), new Event.Verdict.Bad(fault, false));
    }
    Event.Verdict verdict =
        !serviceRequest(headers) && known(kids)
            ? verify(jsn, headers, requestHashes, attestation, context.keys())
            : new Event.Verdict.Open(headers, requestHashes, attestation);
    return new Result(kids, verdict);
  }

  /// Whether the request is signed with the service's receipt key, which only the replay knows.
  private static boolean serviceRequest(List<RequestHeader> headers) {
    return headers.size() == 1 && headers.getFirst().kind().serviceRequest();
  }

  /// The kids of those who signed as members do, beside the service.
  private static List<Digest> memberKids(Attestation attestation) throws MalformedException {
    List<Digest> kids = new ArrayList<>(attestation.signatures().size());
    for (CoseSign1 signature : attestation.signatures()) {
      Bytes header = signature.protectedHeader();
      if (!ProtectedHeader.typ(header).equals(ProtectedHeader.SERVICE_REQUEST_TYP)) {
        kids.add(ProtectedHeader.kid(header));
      }
    }
    return List.copyOf(kids);
  }

  /// The kind of a single request says how many signatures there may be.
  private static Attestation decode(Bytes encoded, List<RequestHeader> headers)
      throws MalformedException {
    return headers.size() == 1
        ? Attestation.decode(encoded, headers.getFirst().kind())
        : Attestation.decode(encoded);
  }

  /// Whether the keys of all these kids are known by now.
  boolean known(List<Digest> kids) {
    for (Digest kid : kids) {
      if (context.keys().find(kid).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /// Whose signatures are good, by all keys that are known at this jsn.
  ///
  /// @throws FaultException if one is not
  public List<AttestationVerifier.Signer> signers(long jsn, Event.Verdict verdict, KeyLookup keys)
      throws FaultException {
    Event.Verdict judged =
        verdict instanceof Event.Verdict.Open(var headers, var hashes, var attestation)
            ? verify(jsn, headers, hashes, attestation, keys)
            : verdict;
    return switch (judged) {
      case Event.Verdict.Good(var signers) -> signers;
      case Event.Verdict.Bad(var fault, var _) -> throw new FaultException(fault);
      case Event.Verdict.Open _ -> throw new AssertionError("all members' keys are known here");
    };
  }

  /// Verifies with keys that are all in `keys`.
  Event.Verdict verify(
      long jsn,
      List<RequestHeader> headers,
      List<Digest> requestHashes,
      Attestation attestation,
      KeyLookup keys) {
    int count = headers.size();
    boolean governance = count == 1 && headers.getFirst().kind().governance();
    try {
      return new Event.Verdict.Good(
          AttestationVerifier.verify(
              context.strand(),
              headers,
              requestHashes,
              attestation,
              keys,
              context.signaturesOf(jsn, count, governance)));
    } catch (ProofRejectedException e) {
      String detail = String.valueOf(e.getMessage());
      if (headers.size() > 1) {
        detail +=
            String.format(
                Locale.ROOT, "; signed for journals %d to %d", jsn, jsn + headers.size() - 1);
      }
      return new Event.Verdict.Bad(new AuditFault(jsn, kind(e.reason()), detail), true);
    }
  }

  static List<Digest> kids(Attestation attestation) throws MalformedException {
    List<Digest> kids = new ArrayList<>(attestation.signatures().size());
    for (CoseSign1 signature : attestation.signatures()) {
      kids.add(ProtectedHeader.kid(signature.protectedHeader()));
    }
    return List.copyOf(kids);
  }

  private static FaultKind kind(Reason reason) {
    return switch (reason) {
      case BAD_SIGNATURE, COMMITMENT_MISMATCH -> FaultKind.BAD_SIGNATURE;
      case WRONG_LEDGER, WRONG_ORIGIN -> FaultKind.WRONG_LEDGER;
      case NOT_A_MEMBER -> FaultKind.UNKNOWN_SIGNER;
      case MALFORMED,
          WRONG_TYPE,
          WRONG_KEY,
          WRONG_SIZE,
          WRONG_JSN,
          WRONG_CLUE,
          INDEX_OUT_OF_RANGE,
          SIZE_OUT_OF_RANGE,
          WRONG_PATH_LENGTH,
          ROOT_MISMATCH,
          LEAF_MISMATCH,
          BROKEN_CHAIN,
          FORK,
          ROLLBACK,
          MISSING ->
          FaultKind.ATTESTATION_INVALID;
    };
  }
}
