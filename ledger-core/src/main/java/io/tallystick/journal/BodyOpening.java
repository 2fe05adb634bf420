package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Locale;

/// What opens a header's commitment to a body to whoever holds the payload. It is as secret as the
/// payload: with it guesses can be tested. Source: `docs/formats/journal-proof.md`.
///
/// @param salt 32 bytes
/// @param rest the encoded Body behind its payload
public record BodyOpening(Bytes salt, Bytes rest) {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int[] HEAD_BYTES = {1, 2, 3, 5};

  /// An empty text and two empty arrays.
  private static final int REST_MIN = 3;

  private static final int ARRAY_HEAD_MAX = 2;
  private static final int CONTENT_TYPE_MAX =
      CborWriter.headBytes(Limits.CONTENT_TYPE_BYTES_MAX) + Limits.CONTENT_TYPE_BYTES_MAX;
  private static final int CLUE_MAX =
      CborWriter.headBytes(Limits.CLUE_BYTES_MAX) + Limits.CLUE_BYTES_MAX;

  public BodyOpening {
    if (salt.size() != Limits.SALT_BYTES) {
      throw new IllegalArgumentException("salt of " + salt.size() + " bytes, want 32");
    }
    if (rest.size() > Limits.REQUEST_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d bytes behind a payload, at most %d",
              rest.size(),
              Limits.REQUEST_BYTES_MAX));
    }
  }

  /// @param body encoded
  public static BodyOpening of(Bytes salt, Bytes body) throws MalformedException {
    CborReader in = new CborReader(body);
    in.array("Body", 4);
    int unused = in.skipBytes();
    return Decoding.validated(
        () -> new BodyOpening(salt, body.slice(in.position(), in.remaining())));
  }

  /// Whether a body of the header's size may have a payload of so many bytes, whatever stands
  /// behind it; what may not need not be read to be compared.
  public static boolean mayHold(RequestHeader header, int payloadBytes) {
    int rest = header.bodySizeBytes() - 1 - CborWriter.headBytes(payloadBytes) - payloadBytes;
    int clues = header.clueIds().size();
    int most = CONTENT_TYPE_MAX + ARRAY_HEAD_MAX + clues * CLUE_MAX + 1;
    return rest >= REST_MIN && (header.opsCount() > 0 || rest <= most);
  }

  /// The Body, its payload left empty.
  public Body body() throws MalformedException {
    return Body.decodeBehindPayload(rest);
  }

  /// Checks that the header commits to this payload, which is read up to one byte beyond the length
  /// that the header leaves it.
  ///
  /// @return bytes of the payload
  /// @throws ProofRejectedException with `COMMITMENT_MISMATCH` if it does not
  public int verify(RequestHeader header, InputStream payload)
      throws ProofRejectedException, IOException {
    int want = payloadBytes(header);
    MessageDigest hasher = Commitments.bodyHasher(salt);
    CborWriter head = new CborWriter(16).array(4).bytesHead(want);
    hasher.update(head.buffer(), 0, head.length());
    byte[] buffer = new byte[Math.min(BUFFER_BYTES, want + 1)];
    int count = 0;
    for (int read = payload.read(buffer); read >= 0; read = payload.read(buffer)) {
      if (read > want - count) {
        throw mismatch(
            header, String.format(Locale.ROOT, "the payload has more than %d bytes", want));
      }
      hasher.update(buffer, 0, read);
      count += read;
    }
    if (count != want) {
      throw mismatch(
          header, String.format(Locale.ROOT, "the payload has %d bytes, want %d", count, want));
    }
    rest.updateInto(hasher);
    byte[] commit = new byte[Digest.BYTES];
    Sha256.finish(hasher, commit, 0);
    Digest actual = Digest.of(commit);
    if (!actual.equals(header.bodyCommit())) {
      throw mismatch(
          header, String.format(Locale.ROOT, "with this payload the body commits to %s", actual));
    }
    return want;
  }

  /// The same of a payload in memory.
  public int verify(RequestHeader header, Bytes payload) throws ProofRejectedException {
    try {
      return verify(header, new ByteArrayInputStream(payload.unsafeArray()));
    } catch (IOException e) {
      throw new AssertionError("bytes in memory can be read", e);
    }
  }

  /// How long the payload of a body of the header's size is before this rest. Its CBOR head grows
  /// with it, so there is one length or none.
  private int payloadBytes(RequestHeader header) throws ProofRejectedException {
    int headed = header.bodySizeBytes() - 1 - rest.size();
    for (int headBytes : HEAD_BYTES) {
      int bytes = headed - headBytes;
      if (bytes >= 0 && CborWriter.headBytes(bytes) == headBytes) {
        return bytes;
      }
    }
    throw mismatch(
        header,
        String.format(
            Locale.ROOT,
            "no body of %d bytes ends with these %d",
            header.bodySizeBytes(),
            rest.size()));
  }

  private static ProofRejectedException mismatch(RequestHeader header, String why) {
    return new ProofRejectedException(
        Reason.COMMITMENT_MISMATCH,
        String.format(Locale.ROOT, "the header says bodyCommit %s, %s", header.bodyCommit(), why));
  }

  /// Without the salt.
  @Override
  public String toString() {
    return "BodyOpening[" + rest.size() + " bytes behind the payload]";
  }
}
