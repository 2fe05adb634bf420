package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Reads extensions; {@link Extension} writes them.
final class ExtensionDecoder {
  private static final int SPKI_BYTES_MAX = 91;

  private ExtensionDecoder() {}

  static Extension decode(CborReader in, Kind kind) throws MalformedException {
    int pairs = in.map();
    if (pairs != (kind.governance() ? 1 : 0)) {
      throw new MalformedException("ext of kind " + kind.code() + " has " + pairs + " pairs");
    }
    if (!kind.governance()) {
      return Extension.None.INSTANCE;
    }
    in.key(Extension.CONTENT);
    return switch (kind) {
      case MEMBER_ADD -> {
        begin(in, 3, Extension.MEMBER_ADD);
        yield new Extension.MemberAdd(role(in), key(in));
      }
      case MEMBER_REVOKE -> {
        begin(in, 2, Extension.MEMBER_REVOKE);
        yield new Extension.MemberRevoke(in.digest());
      }
      case PARAMETERS -> {
        begin(in, 3, Extension.PARAMETERS);
        long firstHeight = in.uint();
        Set<Feature> features = Feature.decode(in);
        yield Decoding.validated(() -> new Extension.Parameters(firstHeight, features));
      }
      case KEY_ROTATION -> {
        begin(in, 3, Extension.KEY_ROTATION);
        PublicKey noteKey = key(in);
        PublicKey receiptKey = key(in);
        yield Decoding.validated(() -> new Extension.KeyRotation(noteKey, receiptKey));
      }
      case TIME -> time(in);
      case GRANT -> grant(in);
      case CLOSE -> {
        begin(in, 1, Extension.CLOSE);
        yield Extension.Close.INSTANCE;
      }
      case PURGE -> {
        begin(in, 5, Extension.PURGE);
        Jsn firstKept = new Jsn(in.uint());
        long height = in.uint();
        Digest snapshotDigest = in.digest();
        long recallMs = in.uint();
        yield Decoding.validated(
            () -> new Extension.Purge(firstKept, height, snapshotDigest, recallMs));
      }
      case OCCULT -> {
        begin(in, 3, Extension.OCCULT);
        ErasureTarget target = ErasureTarget.decode(in);
        String basis = in.text();
        yield Decoding.validated(() -> new Extension.Occult(target, basis));
      }
      case RECALL -> {
        begin(in, 2, Extension.RECALL);
        yield new Extension.Recall(new Jsn(in.uint()));
      }
      case APPEND, CLUE_DELETE -> throw new AssertionError("kind without content: " + kind);
    };
  }

  private static Extension time(CborReader in) throws MalformedException {
    begin(in, 5, Extension.TIME);
    TreeSize size = new TreeSize(in.uint());
    JournalRoot root = new JournalRoot(in.digest());
    Optional<JournalRef> previous =
        in.nil() ? Optional.empty() : Optional.of(JournalRef.decode(in));
    TimeProof proof = TimeProof.decode(in);
    return Decoding.validated(() -> new Extension.Time(size, root, previous, proof));
  }

  private static Extension grant(CborReader in) throws MalformedException {
    begin(in, 7, Extension.GRANT);
    Role role = role(in);
    PublicKey key = key(in);
    OptionalLong notAfterMs = in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
    Optional<Digest> replaces = optionalDigest(in);
    boolean delegated = in.bool();
    Optional<Digest> certDigest = optionalDigest(in);
    return Decoding.validated(
        () -> new Extension.Grant(role, key, notAfterMs, replaces, delegated, certDigest));
  }

  private static Optional<Digest> optionalDigest(CborReader in) throws MalformedException {
    return in.nil() ? Optional.empty() : Optional.of(in.digest());
  }

  private static Role role(CborReader in) throws MalformedException {
    long code = in.uint();
    return Role.ofCode(code)
        .orElseThrow(() -> new MalformedException("role " + code + " is not defined"));
  }

  private static PublicKey key(CborReader in) throws MalformedException {
    return PublicKey.ofSpki(Bytes.wrap(in.bytes("SPKI", SPKI_BYTES_MAX)));
  }

  private static void begin(CborReader in, int items, int want) throws MalformedException {
    in.array("ext content", items);
    long code = in.uint();
    if (code != want) {
      throw new MalformedException("ext content of code " + code + ", want " + want);
    }
  }
}
