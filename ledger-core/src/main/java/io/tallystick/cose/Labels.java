package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.util.Map;
import java.util.Objects;

/// The labels of protected headers, in the bytewise order of their encodings, and what several
/// headers share.
final class Labels {
  static final long ALG = 1;
  static final long KID = 4;
  static final long CWT_CLAIMS = 15;
  static final long TYP = 16;
  static final long PAYLOAD_HASH_ALG = 258;
  static final long PREIMAGE_CONTENT_TYPE = 259;
  static final long VDS = 395;
  static final long TREE_HEAD = -70001;
  static final long CONTEXT = -70002;

  /// SHA-256, in the registry of COSE algorithms.
  static final long SHA_256 = -16;

  /// RFC9162_SHA256, in the registry of verifiable data structures.
  static final long RFC9162_SHA256 = 1;

  static final int CONTEXT_VERSION = 1;

  private static final int MEDIA_TYPE_LENGTH_MAX = 128;

  private static final Map<Class<? extends ProtectedHeader>, String> TYPES =
      Map.of(
          RequestProtected.class, ProtectedHeader.REQUEST_TYP,
          ServiceRequestProtected.class, ProtectedHeader.SERVICE_REQUEST_TYP,
          BatchProtected.class, ProtectedHeader.BATCH_TYP,
          GenesisProtected.class, ProtectedHeader.GENESIS_TYP,
          ReceiptProtected.class, ProtectedHeader.RECEIPT_TYP,
          AnchorProtected.class, ProtectedHeader.ANCHOR_TYP,
          ErasureProtected.class, ProtectedHeader.ERASURE_TYP);

  private Labels() {}

  static String typ(Class<? extends ProtectedHeader> type) {
    return Objects.requireNonNull(TYPES.get(type), "a header of its own");
  }

  /// The labels that every header begins with. `issuer` and `subject` are empty unless label 15 was
  /// there.
  record Opening(
      int labels,
      long alg,
      Digest kid,
      boolean hasClaims,
      String issuer,
      String subject,
      String typ) {

    /// @throws MalformedException unless the map has exactly `want` labels, with or without claims
    SignatureAlgorithm demand(int want, boolean wantClaims) throws MalformedException {
      if (labels != want || hasClaims != wantClaims) {
        throw new MalformedException(
            typ + " has " + describe(labels, hasClaims) + ", want " + describe(want, wantClaims));
      }
      return SignatureAlgorithm.ofCoseAlg(alg)
          .orElseThrow(() -> new MalformedException("alg " + alg + ", want -8 or -7"));
    }
  }

  private static String describe(int labels, boolean withClaims) {
    return labels + " labels " + (withClaims ? "with 15" : "without 15");
  }

  static Opening open(CborReader in) throws MalformedException {
    int labels = in.map();
    long alg = readAlg(in);
    Digest kid = readKid(in);
    long next = in.integer();
    String issuer = "";
    String subject = "";
    boolean hasClaims = next == CWT_CLAIMS;
    if (hasClaims) {
      in.map("CWT claims", 2);
      in.key(1);
      issuer = boundedText(in, "issuer", 128);
      in.key(2);
      subject = boundedText(in, "subject", 256);
      next = in.integer();
    }
    if (next != TYP) {
      throw new MalformedException("label " + next + ", want " + TYP);
    }
    String typ = boundedText(in, "typ", MEDIA_TYPE_LENGTH_MAX);
    return new Opening(labels, alg, kid, hasClaims, issuer, subject, typ);
  }

  static long readAlg(CborReader in) throws MalformedException {
    in.key(ALG);
    return in.integer();
  }

  static Digest readKid(CborReader in) throws MalformedException {
    in.key(KID);
    return in.digest();
  }

  static void constant(CborReader in, long label, long want) throws MalformedException {
    in.key(label);
    long value = in.integer();
    if (value != want) {
      throw new MalformedException("label " + label + " is " + value + ", want " + want);
    }
  }

  static String boundedText(CborReader in, String name, int max) throws MalformedException {
    String text = in.text();
    if (text.length() > max) {
      throw new MalformedException(name + " of " + text.length() + " characters, at most " + max);
    }
    return text;
  }

  /// Begins label `label` with an array of `items`, of which version, ledger and strand come first.
  static StrandId readStrand(CborReader in, long label, int items) throws MalformedException {
    in.key(label);
    in.array("label " + label, items);
    long version = in.uint();
    if (version != CONTEXT_VERSION) {
      throw new MalformedException("signed context of version " + version + ", want 1");
    }
    LedgerId ledger = new LedgerId(in.digest());
    return new StrandId(ledger, (int) in.uint("strand", Integer.MAX_VALUE));
  }

  static CborWriter writeStrand(CborWriter out, long label, int items, StrandId strand) {
    return out.integer(label)
        .array(items)
        .uint(CONTEXT_VERSION)
        .digest(strand.ledger().digest())
        .uint(strand.strand());
  }
}
