package io.tallystick.bench.soak;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/// `AppendRequest` and `AppendResponse` of `tallystick.proto`, field by field: generated types stay
/// at the edges.
final class AppendMessage {
  private AppendMessage() {}

  static byte[] encode(long id, SoakRequest request) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      out.writeUInt64(1, id);
      for (SignedRequest each : request.requests()) {
        out.writeByteArray(2, encode(each));
      }
      out.writeByteArray(3, request.attestation().unsafeArray());
      out.writeByteArray(5, request.strand().ledger().digest().toArray());
      out.writeUInt32(6, request.strand().strand());
      out.flush();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
  }

  private static byte[] encode(SignedRequest request) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeByteArray(1, request.header().unsafeArray());
    out.writeByteArray(2, request.salt().unsafeArray());
    out.writeByteArray(3, request.body().unsafeArray());
    out.flush();
    return bytes.toByteArray();
  }

  /// @throws IOException if it is no answer to the submission `id`
  static Answer decode(long id, byte[] message) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(message);
    Answer answer = null;
    long answered = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case 1 -> answered = in.readUInt64();
        case 2 -> answer = receipted(CodedInputStream.newInstance(in.readByteArray()));
        case 4 -> answer = problem(CodedInputStream.newInstance(in.readByteArray()));
        default -> in.skipField(tag);
      }
    }
    if (answer == null || answered != id) {
      throw new IOException("an answer to " + answered + ", want one to " + id + ": " + answer);
    }
    return answer;
  }

  private static Answer receipted(CodedInputStream in) throws IOException {
    long firstJsn = 0;
    long timeMs = 0;
    Bytes receipt = Bytes.EMPTY;
    boolean repeated = false;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case 1 -> firstJsn = in.readUInt64();
        case 3 -> timeMs = in.readUInt64();
        case 4 -> receipt = Bytes.wrap(in.readByteArray());
        case 5 -> repeated = in.readBool();
        default -> in.skipField(tag);
      }
    }
    return new Answer.Receipted(firstJsn, timeMs, repeated, receipt, true);
  }

  private static Answer problem(CodedInputStream in) throws IOException {
    String code = "";
    boolean retryable = false;
    int status = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case 1 -> code = in.readStringRequireUtf8();
        case 3 -> retryable = in.readBool();
        case 7 -> status = in.readUInt32();
        default -> in.skipField(tag);
      }
    }
    return new Answer.Refused(code, !retryable && status < 500);
  }
}
