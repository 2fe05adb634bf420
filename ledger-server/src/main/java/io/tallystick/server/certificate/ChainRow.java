package io.tallystick.server.certificate;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.node.Member;
import io.tallystick.storage.object.KeptObject;
import java.util.Optional;

/// A kept chain as a noted row: `"x" ‖ ledgerId ‖ certDigest → [2, untilMs | nil, objectBytes,
/// object bstr]`, or `[3, untilMs | nil, objectBytes, object bstr, place bstr]` where a store has
/// places. nil is of older software, and says that a grant has named it; so is version 1, `[1,
/// untilMs | nil, chain bstr]`, which is only read. Source: `docs/formats/savepoint.md`.
///
/// @param untilMs until when it waits for a grant; {@link Member#NEVER} if one has named it
record ChainRow(long untilMs, Content content) {
  static final Bytes PREFIX = Bytes.utf8("x");

  private static final int VERSION_WITH_CHAIN = 1;
  private static final int VERSION = 2;
  private static final int VERSION_WITH_PLACE = 3;
  private static final int DIGEST_OFFSET = 1 + Digest.BYTES;

  /// Where the chain is.
  sealed interface Content {}

  /// A {@link ChainObject}.
  record InObject(KeptObject object) implements Content {}

  record InRow(CertificateChain chain) implements Content {}

  static Bytes key(LedgerId ledger, Digest certDigest) {
    byte[] key = new byte[DIGEST_OFFSET + Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, PREFIX.size());
    certDigest.copyInto(key, DIGEST_OFFSET);
    return Bytes.wrap(key);
  }

  /// The ledger of a row's key.
  static LedgerId ledger(Bytes key) throws MalformedException {
    return new LedgerId(Digest.of(whole(key).unsafeArray(), PREFIX.size()));
  }

  static Digest certDigest(Bytes key) throws MalformedException {
    return Digest.of(whole(key).unsafeArray(), DIGEST_OFFSET);
  }

  private static Bytes whole(Bytes key) throws MalformedException {
    if (key.size() != DIGEST_OFFSET + Digest.BYTES) {
      throw new MalformedException("certificate row with a key of " + key.size() + " bytes");
    }
    return key;
  }

  static Bytes encode(long untilMs, KeptObject object) {
    boolean placed = object.place().size() > 0;
    CborWriter out = new CborWriter(64 + object.place().size());
    out.array(placed ? 5 : 4).uint(placed ? VERSION_WITH_PLACE : VERSION);
    if (untilMs == Member.NEVER) {
      out.nil();
    } else {
      out.uint(untilMs);
    }
    if (placed) {
      object.write(out);
    } else {
      out.uint(object.bytes()).bytes(object.name().toBytes());
    }
    return out.toBytes();
  }

  static ChainRow decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    int items = in.array();
    long version = in.uint();
    boolean withChain = version == VERSION_WITH_CHAIN && items == 3;
    boolean withPlace = version == VERSION_WITH_PLACE && items == 5;
    if (!withChain && !withPlace && !(version == VERSION && items == 4)) {
      throw new MalformedException(
          "certificate row version " + version + " of " + items + " items, want " + VERSION);
    }
    long untilMs = in.nil() ? Member.NEVER : in.uint();
    Content content =
        withChain ? chain(in) : new InObject(withPlace ? KeptObject.read(in) : object(in));
    in.end();
    return new ChainRow(untilMs, content);
  }

  private static InRow chain(CborReader in) throws MalformedException {
    return new InRow(
        CertificateChain.decode(Bytes.wrap(in.bytes("chain", CertificateChain.BYTES_MAX))));
  }

  private static KeptObject object(CborReader in) throws MalformedException {
    long bytes = in.uint("object", ChainObject.BYTES_MAX);
    if (bytes == 0) {
      throw new MalformedException("an object of no bytes");
    }
    return new KeptObject(in.digest(), bytes, Bytes.EMPTY);
  }

  /// The object that the chain is in.
  Optional<KeptObject> object() {
    return content instanceof InObject(KeptObject object) ? Optional.of(object) : Optional.empty();
  }
}
