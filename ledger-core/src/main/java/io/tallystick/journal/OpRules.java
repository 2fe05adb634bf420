package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The rules of a request's operations: at most 10,000, with distinct keys of 1 to 256 bytes, and
/// one value in the body for each put, in order. A refusal names the operation and the limit.
/// Source: `docs/formats/request.md`.
public final class OpRules {
  private OpRules() {}

  /// Checks the operations of a request that is still to be built.
  ///
  /// @throws RequestRejectedException `OPERATION_INVALID`
  public static void check(List<DraftOp> ops) throws RequestRejectedException {
    checkCount(ops.size());
    Set<Bytes> seen = new HashSet<>();
    for (int i = 0; i < ops.size(); i++) {
      checkKey(i, ops.get(i).key(), seen);
    }
  }

  /// Decodes the operations of a request.
  static Ops decode(Bytes encoded) throws RequestRejectedException {
    try {
      return Ops.decode(encoded);
    } catch (MalformedException e) {
      checkEncoded(encoded);
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "operations: " + e.getMessage(), e);
    }
  }

  /// Finds the rule that operations break which do not decode, if it is one of these.
  private static void checkEncoded(Bytes encoded) throws RequestRejectedException {
    CborReader in = new CborReader(encoded);
    try {
      int count = in.array();
      checkCount(count);
      Set<Bytes> seen = new HashSet<>();
      for (int i = 0; i < count; i++) {
        checkKey(i, Op.peekKey(in), seen);
      }
    } catch (MalformedException e) {
      // Not readable even loosely: the caller says so.
      return;
    }
  }

  /// The refusal of a header that does not decode, if it has too many operations.
  static Optional<RequestRejectedException> inHeader(Bytes encoded) {
    try {
      CborReader in = new CborReader(encoded);
      HeaderClues.toIds(in);
      int clues = in.arrayAtMost("clue ids", Limits.CLUES_MAX);
      for (int i = 0; i < clues; i++) {
        in.skipBytes();
      }
      if (!in.nil()) {
        in.skipBytes();
      }
      checkCount(in.uint());
      return Optional.empty();
    } catch (MalformedException e) {
      return Optional.empty();
    } catch (RequestRejectedException refusal) {
      return Optional.of(refusal);
    }
  }

  /// The refusal of a body that does not decode, if it has too many values.
  static Optional<RequestRejectedException> inBody(Bytes encoded) {
    try {
      CborReader in = new CborReader(encoded);
      in.array("Body", 4);
      in.skipBytes();
      in.skipText();
      int clues = in.arrayAtMost("clues", Limits.CLUES_MAX);
      for (int i = 0; i < clues; i++) {
        in.skipText();
      }
      int count = in.array();
      return count > Limits.OPS_MAX
          ? Optional.of(
              invalid(count + " values, at most " + Limits.OPS_MAX).withLimit(Limits.OPS_MAX))
          : Optional.empty();
    } catch (MalformedException e) {
      return Optional.empty();
    }
  }

  private static void checkCount(long count) throws RequestRejectedException {
    if (count > Limits.OPS_MAX) {
      throw invalid(count + " operations, at most " + Limits.OPS_MAX).withLimit(Limits.OPS_MAX);
    }
  }

  private static void checkKey(int index, Bytes key, Set<Bytes> seen)
      throws RequestRejectedException {
    if (key.isEmpty() || key.size() > Limits.KEY_BYTES_MAX) {
      throw invalid(
              String.format(
                  Locale.ROOT,
                  "operation %d has a key of %d bytes, want 1 to %d",
                  index,
                  key.size(),
                  Limits.KEY_BYTES_MAX))
          .withLimit(Limits.KEY_BYTES_MAX);
    }
    if (!seen.add(key)) {
      throw invalid(
          "operation " + index + " has the key of an earlier one: " + Printable.name(key));
    }
  }

  /// The body's values against the puts that they belong to.
  static void checkValues(Ops ops, List<Bytes> values, Bytes salt) throws RequestRejectedException {
    int next = 0;
    for (int i = 0; i < ops.size(); i++) {
      if (!(ops.values().get(i) instanceof Op.Put put)) {
        continue;
      }
      if (next == values.size()) {
        throw invalid("operation " + i + " puts a value, the body has only " + values.size());
      }
      Bytes value = values.get(next++);
      if (value.size() != put.valueSizeBytes()) {
        throw invalid(
            String.format(
                Locale.ROOT,
                "operation %d puts %d bytes, value %d has %d",
                i,
                put.valueSizeBytes(),
                next - 1,
                value.size()));
      }
      if (!Commitments.value(salt, i, value).equals(put.valueCommit())) {
        throw new RequestRejectedException(
            RejectionCode.COMMITMENT_MISMATCH,
            "value " + (next - 1) + " is not what operation " + i + " commits to");
      }
    }
    if (next != values.size()) {
      throw invalid(values.size() + " values for " + next + " puts");
    }
  }

  private static RequestRejectedException invalid(String detail) {
    return new RequestRejectedException(RejectionCode.OPERATION_INVALID, detail);
  }
}
