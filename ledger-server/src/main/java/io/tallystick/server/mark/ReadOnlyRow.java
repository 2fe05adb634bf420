package io.tallystick.server.mark;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;

/// A mark that makes a ledger read-only, as a noted row: `"R" ‖ ledgerId ‖ SHA-256 of by → [1,
/// seenSize, by]`. Source: `docs/formats/savepoint.md`.
///
/// @param seenSize of the head that was seen
/// @param by name of the witness that has seen it
record ReadOnlyRow(long seenSize, String by) {
  static final Bytes PREFIX = Bytes.utf8("R");

  private static final int VERSION = 1;

  static Bytes prefix(LedgerId ledger) {
    byte[] key = new byte[PREFIX.size() + Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, PREFIX.size());
    return Bytes.wrap(key);
  }

  static Bytes key(LedgerId ledger, String by) {
    byte[] key = new byte[PREFIX.size() + 2 * Digest.BYTES];
    prefix(ledger).copyInto(key, 0);
    Sha256.hash(by.getBytes(StandardCharsets.UTF_8)).copyInto(key, PREFIX.size() + Digest.BYTES);
    return Bytes.wrap(key);
  }

  static LedgerId ledgerOf(Bytes key) throws MalformedException {
    if (key.size() != PREFIX.size() + 2 * Digest.BYTES) {
      throw new MalformedException("read-only row with a key of " + key.size() + " bytes");
    }
    return new LedgerId(Digest.of(key.slice(PREFIX.size(), Digest.BYTES)));
  }

  Bytes encode() {
    return new CborWriter(16 + by.length())
        .array(3)
        .uint(VERSION)
        .uint(seenSize)
        .text(by)
        .toBytes();
  }

  /// @throws MalformedException also if the key names another witness
  static ReadOnlyRow decode(Bytes key, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("read-only row", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("read-only row version " + version + ", want " + VERSION);
    }
    ReadOnlyRow decoded = new ReadOnlyRow(in.uint("seen size", TreeGeometry.SIZE_MAX), in.text());
    in.end();
    if (!key(ledgerOf(key), decoded.by).equals(key)) {
      throw new MalformedException("read-only row of another witness: " + key.hex());
    }
    return decoded;
  }
}
