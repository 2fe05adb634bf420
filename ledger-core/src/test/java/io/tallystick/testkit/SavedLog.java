package io.tallystick.testkit;

import io.tallystick.model.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Writes a {@link ReferenceLedger} as a saved log, version 1, without bodies and signed heads.
/// Source: `docs/formats/log-copy.md`.
public final class SavedLog {
  private static final int VERSION = 1;
  private static final int NO_BODY = 1;

  private SavedLog() {}

  /// @param first the leaf to begin with
  public static Bytes of(ReferenceLedger log, int first) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(Bytes.utf8("TALLYLOG").toArray());
      out.writeInt(VERSION);
      out.write(log.strand().ledger().digest().toArray());
      out.writeInt(log.strand().strand());
      out.writeLong(log.size() - first);
      for (int jsn = first; jsn < log.size(); jsn++) {
        write(out, log.leaf(jsn));
        write(out, log.attestation(jsn));
        out.writeByte(NO_BODY);
      }
      write(out, Bytes.EMPTY);
      write(out, Bytes.EMPTY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static void write(DataOutputStream out, Bytes string) throws IOException {
    out.writeInt(string.size());
    out.write(string.toArray());
  }
}
