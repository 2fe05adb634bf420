package io.tallystick.server.certificate;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.node.Member;

/// A kept chain as a row of the meta store: `"x" ‖ ledgerId ‖ certDigest → [1, untilMs | nil, chain
/// bstr]`, nil once a grant has named it. Source: `docs/formats/savepoint.md`.
///
/// @param untilMs until when it waits for a grant; {@link Member#NEVER} once one has named it
record ChainRow(long untilMs, CertificateChain chain) {
  static final Bytes PREFIX = Bytes.utf8("x");

  private static final int VERSION = 1;
  private static final int DIGEST_OFFSET = 1 + Digest.BYTES;

  static Bytes key(LedgerId ledger, Digest certDigest) {
    byte[] key = new byte[DIGEST_OFFSET + Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, PREFIX.size());
    certDigest.copyInto(key, DIGEST_OFFSET);
    return Bytes.wrap(key);
  }

  /// The ledger of a row's key.
  static LedgerId ledger(Bytes key) {
    return new LedgerId(Digest.of(key.unsafeArray(), PREFIX.size()));
  }

  Bytes encode() {
    Bytes encoded = chain.encode();
    CborWriter out = new CborWriter(32 + encoded.size()).array(3).uint(VERSION);
    if (untilMs == Member.NEVER) {
      out.nil();
    } else {
      out.uint(untilMs);
    }
    return out.bytes(encoded).toBytes();
  }

  static ChainRow decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("certificate row", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("certificate row version " + version + ", want " + VERSION);
    }
    long untilMs = in.nil() ? Member.NEVER : in.uint();
    CertificateChain chain =
        CertificateChain.decode(Bytes.wrap(in.bytes("chain", CertificateChain.BYTES_MAX)));
    in.end();
    return new ChainRow(untilMs, chain);
  }
}
