package io.tallystick.server.certificate;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;

/// A chain of one ledger as an object: `[1, ledgerId, chain bstr]`. The same chain of another
/// ledger is another object, so that erasing one leaves the other. Source:
/// `docs/formats/savepoint.md`, "Objects".
final class ChainObject {
  private static final int VERSION = 1;
  private static final int HEADS_BYTES_MAX = 64;

  static final int BYTES_MAX = CertificateChain.BYTES_MAX + HEADS_BYTES_MAX;

  private ChainObject() {}

  static Bytes encode(LedgerId ledger, CertificateChain chain) {
    Bytes encoded = chain.encode();
    return new CborWriter(HEADS_BYTES_MAX + encoded.size())
        .array(3)
        .uint(VERSION)
        .bytes(ledger.digest().toBytes())
        .bytes(encoded)
        .toBytes();
  }

  /// @param certDigest of the chain that is wanted
  /// @throws MalformedException also if it is another ledger's, or another chain
  static CertificateChain decode(Bytes object, LedgerId ledger, Digest certDigest)
      throws MalformedException {
    CborReader in = new CborReader(object);
    in.array("certificate object", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("certificate object version " + version + ", want " + VERSION);
    }
    LedgerId of = new LedgerId(in.digest());
    CertificateChain chain =
        CertificateChain.decode(Bytes.wrap(in.bytes("chain", CertificateChain.BYTES_MAX)));
    in.end();
    if (!of.equals(ledger) || !chain.digest().equals(certDigest)) {
      throw new MalformedException(
          "it is chain " + chain.digest() + " of ledger " + of + ", want " + certDigest);
    }
    return chain;
  }
}
