package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.model.Utf8;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The part of a header beyond the common fields: nothing, or the change a governance request makes
/// to the ledger (an auditor needs members' keys after erasure). Source: `docs/formats/request.md`,
/// `docs/formats/people-and-time.md`, `docs/formats/removal.md`.
public sealed interface Extension {
  /// The one label of a non-empty extension.
  long CONTENT = 1;

  int MEMBER_ADD = 1;
  int MEMBER_REVOKE = 2;
  int PARAMETERS = 3;
  int KEY_ROTATION = 4;
  int TIME = 5;
  int PURGE = 6;
  int OCCULT = 7;
  int RECALL = 8;
  int GRANT = 9;
  int CLOSE = 10;

  /// The extension of kinds below 16: none.
  record None() implements Extension {
    public static final None INSTANCE = new None();
  }

  record MemberAdd(Role role, PublicKey key) implements Extension {}

  record MemberRevoke(Digest kid) implements Extension {}

  /// @param firstHeight the first block the features hold for; above the current height
  record Parameters(long firstHeight, Set<Feature> features) implements Extension {
    public Parameters {
      features = Feature.setOf(features);
      if (firstHeight < 1 || features.isEmpty()) {
        throw new IllegalArgumentException(
            "parameters from height " + firstHeight + " change nothing");
      }
      for (Feature feature : features) {
        if (feature.style()) {
          throw new IllegalArgumentException(
              String.format(
                  Locale.ROOT,
                  "feature %d (%s) comes with genesis alone",
                  feature.code(),
                  feature));
        }
      }
    }
  }

  /// The service's keys for all heads larger than this journal's block leaves.
  ///
  /// @param receiptKey may be the present one; which of the two changed only history tells
  record KeyRotation(PublicKey noteKey, PublicKey receiptKey) implements Extension {
    public KeyRotation {
      if (noteKey.algorithm() != SignatureAlgorithm.ED25519
          || receiptKey.algorithm() != SignatureAlgorithm.ED25519) {
        throw new IllegalArgumentException("note key and receipt key must be Ed25519");
      }
      if (noteKey.equals(receiptKey)) {
        throw new IllegalArgumentException("note key and receipt key are the same");
      }
    }
  }

  /// That a head of this log existed at a time which others vouch for.
  ///
  /// @param size and root of a sealed head of an earlier block
  /// @param previous the newest time journal before this one, which the head covers
  /// @param proof at most 12,288 bytes as it is encoded
  record Time(TreeSize size, JournalRoot root, Optional<JournalRef> previous, TimeProof proof)
      implements Extension {
    /// Genesis and its seal.
    private static final int SIZE_MIN = 2;

    public Time {
      if (size.value() < SIZE_MIN || size.value() > TreeGeometry.SIZE_MAX) {
        throw new IllegalArgumentException("time of size " + size + ", want 2 to 2^62");
      }
      if (previous.isPresent() && !size.covers(previous.get().jsn())) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "time of size %s, not above the time journal before it, %s",
                size,
                previous.get().jsn()));
      }
      if (previous.isPresent() && previous.get().jsn().value() < SIZE_MIN) {
        throw new IllegalArgumentException("the time journal before is in the block of genesis");
      }
      int bytes = proof.encode().size();
      if (bytes > Limits.TIME_PROOF_BYTES_MAX) {
        throw new IllegalArgumentException(
            "time proof of " + bytes + " bytes, at most " + Limits.TIME_PROOF_BYTES_MAX);
      }
    }
  }

  /// A key and what it may do from the next jsn on.
  ///
  /// @param notAfterMs the last leaf time at which the key holds; empty for a key without expiry
  /// @param replaces the kid of another member, which this journal revokes
  /// @param delegated whether the key is an agent's that signs for a person
  /// @param certDigest of the X.509 chain shown for the key: {@link
  ///   io.tallystick.certificate.CertificateChain#digest}
  record Grant(
      Role role,
      PublicKey key,
      OptionalLong notAfterMs,
      Optional<Digest> replaces,
      boolean delegated,
      Optional<Digest> certDigest)
      implements Extension {
    public Grant {
      if (notAfterMs.isPresent()
          && (notAfterMs.getAsLong() < 0 || notAfterMs.getAsLong() > Limits.TIME_MS_MAX)) {
        throw new IllegalArgumentException(
            "notAfterMs " + notAfterMs.getAsLong() + " is out of range");
      }
      if (replaces.isPresent() && replaces.get().equals(key.kid())) {
        throw new IllegalArgumentException("key " + key.kid() + " replaces itself");
      }
    }
  }

  /// Takes something away, or takes that back. Source: `docs/formats/removal.md`.
  sealed interface Removal extends Extension {}

  /// Removes all below a block's end.
  ///
  /// @param firstKept the lowest jsn that stays, behind the seal of `height`
  /// @param height of the last block that goes
  /// @param snapshotDigest of what the signers found to hold at that seal
  /// @param recallMs how long a recall can take the purge back; 0 to 90 days
  record Purge(Jsn firstKept, long height, Digest snapshotDigest, long recallMs)
      implements Removal {
    public Purge {
      // A block has a journal and a seal at least.
      if (height < 1 || height > (firstKept.value() - 2) / 2) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT, "purge up to block %d, with %s the first kept", height, firstKept));
      }
      if (recallMs < 0 || recallMs > Limits.RECALL_MS_MAX) {
        throw new IllegalArgumentException("recall within " + recallMs + " ms, want 0 to 90 days");
      }
    }
  }

  /// Erases bodies.
  ///
  /// @param basis the reason, such as a law's article; at most 128 bytes in UTF-8
  record Occult(ErasureTarget target, String basis) implements Removal {
    public Occult {
      int bytes = Utf8.size(basis);
      if (bytes > Limits.ERASURE_BASIS_BYTES_MAX) {
        throw new IllegalArgumentException(
            "basis of " + bytes + " bytes, at most " + Limits.ERASURE_BASIS_BYTES_MAX);
      }
    }
  }

  /// Takes a purge back of which nothing is erased yet.
  record Recall(Jsn purge) implements Removal {}

  record Close() implements Extension {
    public static final Close INSTANCE = new Close();
  }

  /// Whether a request of `kind` carries this form of extension.
  default boolean fits(Kind kind) {
    return switch (this) {
      case None unused -> !kind.governance();
      case MemberAdd unused -> kind == Kind.MEMBER_ADD;
      case MemberRevoke unused -> kind == Kind.MEMBER_REVOKE;
      case Parameters unused -> kind == Kind.PARAMETERS;
      case KeyRotation unused -> kind == Kind.KEY_ROTATION;
      case Time unused -> kind == Kind.TIME;
      case Purge unused -> kind == Kind.PURGE;
      case Occult unused -> kind == Kind.OCCULT;
      case Recall unused -> kind == Kind.RECALL;
      case Grant unused -> kind == Kind.GRANT;
      case Close unused -> kind == Kind.CLOSE;
    };
  }

  default void encodeInto(CborWriter out) {
    switch (this) {
      case None() -> out.map(0);
      case MemberAdd(Role role, PublicKey key) ->
          content(out, 3, MEMBER_ADD).uint(role.code()).bytes(key.spki());
      case MemberRevoke(Digest kid) -> content(out, 2, MEMBER_REVOKE).digest(kid);
      case Parameters(long firstHeight, Set<Feature> features) -> {
        content(out, 3, PARAMETERS).uint(firstHeight);
        Feature.encode(out, features);
      }
      case KeyRotation(PublicKey noteKey, PublicKey receiptKey) ->
          content(out, 3, KEY_ROTATION).bytes(noteKey.spki()).bytes(receiptKey.spki());
      case Time time -> encode(content(out, 5, TIME), time);
      case Purge(Jsn firstKept, long height, Digest snapshotDigest, long recallMs) ->
          content(out, 5, PURGE)
              .uint(firstKept.value())
              .uint(height)
              .digest(snapshotDigest)
              .uint(recallMs);
      case Occult(ErasureTarget target, String basis) -> {
        target.encodeInto(content(out, 3, OCCULT));
        out.text(basis);
      }
      case Recall(Jsn purge) -> content(out, 2, RECALL).uint(purge.value());
      case Grant grant -> encode(content(out, 7, GRANT), grant);
      case Close() -> content(out, 1, CLOSE);
    }
  }

  private static void encode(CborWriter out, Time time) {
    out.uint(time.size.value()).digest(time.root.digest());
    time.previous.ifPresentOrElse(previous -> previous.encodeInto(out), out::nil);
    out.raw(time.proof.encode());
  }

  private static void encode(CborWriter out, Grant grant) {
    out.uint(grant.role.code()).bytes(grant.key.spki());
    grant.notAfterMs.ifPresentOrElse(out::uint, out::nil);
    grant.replaces.ifPresentOrElse(out::digest, out::nil);
    out.bool(grant.delegated);
    grant.certDigest.ifPresentOrElse(out::digest, out::nil);
  }

  private static CborWriter content(CborWriter out, int items, int code) {
    return out.map(1).integer(CONTENT).array(items).uint(code);
  }

  static Extension decode(CborReader in, Kind kind) throws MalformedException {
    return ExtensionDecoder.decode(in, kind);
  }
}
