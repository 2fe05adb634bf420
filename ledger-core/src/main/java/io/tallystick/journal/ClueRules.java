package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.UnpairedSurrogateException;
import io.tallystick.model.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The rules of a request's clues: at most 64, distinct, each 1 to 256 bytes of UTF-8. Who breaks a
/// rule is told which clue broke it, and the limit. Source: `docs/formats/request.md`.
public final class ClueRules {
  private ClueRules() {}

  /// Checks the clues of a request that is still to be built.
  ///
  /// @throws RequestRejectedException `CLUE_INVALID`
  public static void check(List<String> clues) throws RequestRejectedException {
    checkCount(clues.size());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < clues.size(); i++) {
      checkBytes(i, utf8(i, clues.get(i)));
      if (!seen.add(clues.get(i))) {
        throw invalid("clue " + i + " is there twice");
      }
    }
  }

  private static int utf8(int index, String clue) throws RequestRejectedException {
    try {
      return Utf8.size(clue);
    } catch (UnpairedSurrogateException e) {
      throw notUtf8(index);
    }
  }

  private static void checkCount(int count) throws RequestRejectedException {
    if (count > Limits.CLUES_MAX) {
      throw invalid(count + " clues, at most " + Limits.CLUES_MAX).withLimit(Limits.CLUES_MAX);
    }
  }

  private static void checkBytes(int index, int bytes) throws RequestRejectedException {
    if (bytes == 0) {
      throw invalid("clue " + index + " is empty");
    }
    if (bytes > Limits.CLUE_BYTES_MAX) {
      throw invalid(
              String.format(
                  Locale.ROOT,
                  "clue %d has %d bytes, at most %d",
                  index,
                  bytes,
                  Limits.CLUE_BYTES_MAX))
          .withLimit(Limits.CLUE_BYTES_MAX);
    }
  }

  private static RequestRejectedException notUtf8(int index) {
    return invalid("clue " + index + " is not UTF-8");
  }

  private static RequestRejectedException invalid(String detail) {
    return new RequestRejectedException(RejectionCode.CLUE_INVALID, detail);
  }

  /// The refusal of a header that does not decode, if its clue ids are why.
  static Optional<RequestRejectedException> inHeader(Bytes encoded) {
    try {
      CborReader in = new CborReader(encoded);
      HeaderClues.toIds(in);
      int count = in.array();
      checkCount(count);
      Set<Digest> seen = new HashSet<>();
      for (int i = 0; i < count; i++) {
        Digest id = in.digest();
        if (!seen.add(id)) {
          throw invalid("clue id " + id + " is there twice");
        }
      }
      return Optional.empty();
    } catch (MalformedException e) {
      return Optional.empty();
    } catch (RequestRejectedException refusal) {
      return Optional.of(refusal);
    }
  }

  /// The refusal of a body that does not decode, if its clues are why.
  static Optional<RequestRejectedException> inBody(Bytes encoded) {
    try {
      CborReader in = new CborReader(encoded);
      in.array("Body", 4);
      in.skipBytes();
      in.text();
      int count = in.array();
      checkCount(count);
      for (int i = 0; i < count; i++) {
        int bytes = in.skipText();
        checkBytes(i, bytes);
        checkUtf8(i, encoded, in.position() - bytes, bytes);
      }
      return Optional.empty();
    } catch (MalformedException e) {
      return Optional.empty();
    } catch (RequestRejectedException refusal) {
      return Optional.of(refusal);
    }
  }

  private static void checkUtf8(int index, Bytes encoded, int offset, int bytes)
      throws RequestRejectedException {
    try {
      StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(encoded.unsafeArray(), offset, bytes));
    } catch (CharacterCodingException e) {
      throw notUtf8(index);
    }
  }
}
