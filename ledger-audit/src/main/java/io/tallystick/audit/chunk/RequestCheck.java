package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.List;

/// The rules a request's header must keep by itself, and its times against those of its leaf.
public final class RequestCheck {
  private final AuditContext context;
  private final List<AuditFault> faults;

  public RequestCheck(AuditContext context, List<AuditFault> faults) {
    this.context = context;
    this.faults = faults;
  }

  public RequestHeader check(JournalLeaf leaf) throws FaultException {
    long jsn = leaf.jsn().value();
    RequestHeader header = decode(jsn, leaf);
    if (!header.strand().equals(context.strand())) {
      throw new FaultException(
          jsn,
          FaultKind.WRONG_LEDGER,
          "the request is for " + header.strand() + ", want " + context.strand());
    }
    checkEnabled(jsn, header);
    publishKey(jsn, header.extension());
    checkTimes(jsn, header, leaf.timeMs());
    return header;
  }

  private static RequestHeader decode(long jsn, JournalLeaf leaf) throws FaultException {
    try {
      RequestHeader header = RequestHeader.decode(leaf.header());
      if (!header.encode().equals(leaf.header())) {
        throw new MalformedException("it does not encode to its own bytes again");
      }
      return header;
    } catch (MalformedException e) {
      throw new FaultException(jsn, FaultKind.MALFORMED_LEAF, "header: " + e.getMessage());
    }
  }

  private void checkEnabled(long jsn, RequestHeader header) throws FaultException {
    // Only genesis can say that there is a state. Whether there may be clues is for the replay to
    // say, which knows the height.
    if (header.opsCount() != 0 && !context.hasState()) {
      throw new FaultException(
          jsn, FaultKind.FEATURE_NOT_ENABLED, header.opsCount() + " operations, want none");
    }
  }

  /// A new key must be one that may be used; a member's is known from now on.
  private void publishKey(long jsn, Extension change) throws FaultException {
    switch (change) {
      case Extension.MemberAdd add -> publish(jsn, FaultKind.MEMBER_CHANGE_INVALID, add.key());
      case Extension.Grant grant -> publish(jsn, FaultKind.GRANT_INVALID, grant.key());
      case Extension.KeyRotation rotation -> {
        checkKey(jsn, FaultKind.SERVICE_KEYS_INVALID, rotation.noteKey());
        checkKey(jsn, FaultKind.SERVICE_KEYS_INVALID, rotation.receiptKey());
      }
      case Extension.None _,
          Extension.MemberRevoke _,
          Extension.Parameters _,
          Extension.Time _,
          Extension.Removal _,
          Extension.Close _ -> {}
    }
  }

  private void publish(long jsn, FaultKind otherwise, PublicKey key) throws FaultException {
    checkKey(jsn, otherwise, key);
    context.keys().publish(key);
  }

  private void checkKey(long jsn, FaultKind otherwise, PublicKey key) throws FaultException {
    try {
      context.signatures().checkKey(key);
    } catch (ProofRejectedException e) {
      throw new FaultException(jsn, otherwise, "key " + key.kid() + ": " + e.getMessage());
    }
  }

  private void checkTimes(long jsn, RequestHeader header, long timeMs) {
    try {
      RequestTimes.check(header, timeMs, context.genesis().maxWindowMs());
    } catch (RequestRejectedException e) {
      FaultKind kind =
          e.code() == RejectionCode.WINDOW_TOO_LONG
              ? FaultKind.WINDOW_TOO_LONG
              : FaultKind.TIME_OUTSIDE_WINDOW;
      faults.add(new AuditFault(jsn, kind, String.valueOf(e.getMessage())));
    }
  }
}
