package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import java.util.Set;

/// What a header retains beyond the common fields: nothing, or the change a governance request
/// makes to the ledger (an auditor needs members' keys after erasure).
public sealed interface Extension {
  /// The one label of a non-empty extension.
  long CONTENT = 1;

  int MEMBER_ADD = 1;
  int MEMBER_REVOKE = 2;
  int PARAMETERS = 3;

  /// Of kinds below 16.
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
    }
  }

  /// Whether a request of `kind` carries this form of extension.
  default boolean fits(Kind kind) {
    return switch (this) {
      case None _ -> !kind.governance();
      case MemberAdd _ -> kind == Kind.MEMBER_ADD;
      case MemberRevoke _ -> kind == Kind.MEMBER_REVOKE;
      case Parameters _ -> kind == Kind.PARAMETERS;
    };
  }

  default void encodeInto(CborWriter out) {
    switch (this) {
      case None() -> out.map(0);
      case MemberAdd(Role role, PublicKey key) ->
          content(out, 3).uint(MEMBER_ADD).uint(role.code()).bytes(key.spki());
      case MemberRevoke(Digest kid) -> content(out, 2).uint(MEMBER_REVOKE).digest(kid);
      case Parameters(long firstHeight, Set<Feature> features) -> {
        content(out, 3).uint(PARAMETERS).uint(firstHeight);
        Feature.encode(out, features);
      }
    }
  }

  private static CborWriter content(CborWriter out, int items) {
    return out.map(1).integer(CONTENT).array(items);
  }

  /// @throws MalformedException also for kinds whose content is not defined yet (19 to 23)
  static Extension decode(CborReader in, Kind kind) throws MalformedException {
    int pairs = in.map();
    if (pairs != (kind.governance() ? 1 : 0)) {
      throw new MalformedException("ext of kind " + kind.code() + " has " + pairs + " pairs");
    }
    if (!kind.governance()) {
      return None.INSTANCE;
    }
    in.key(CONTENT);
    return switch (kind) {
      case MEMBER_ADD -> {
        begin(in, 3, MEMBER_ADD);
        long role = in.uint();
        Role decoded =
            Role.ofCode(role)
                .orElseThrow(() -> new MalformedException("role " + role + " is not defined"));
        yield new MemberAdd(decoded, PublicKey.ofSpki(Bytes.wrap(in.bytes("SPKI", 91))));
      }
      case MEMBER_REVOKE -> {
        begin(in, 2, MEMBER_REVOKE);
        yield new MemberRevoke(in.digest());
      }
      case PARAMETERS -> {
        begin(in, 3, PARAMETERS);
        long firstHeight = in.uint();
        Set<Feature> features = Feature.decode(in);
        yield Decoding.validated(() -> new Parameters(firstHeight, features));
      }
      case APPEND, CLUE_DELETE, KEY_ROTATION, TIME, PURGE, OCCULT, RECALL ->
          throw new MalformedException("kind " + kind.code() + " has no content defined yet");
    };
  }

  private static void begin(CborReader in, int items, int want) throws MalformedException {
    in.array("ext content", items);
    long code = in.uint();
    if (code != want) {
      throw new MalformedException("ext content of code " + code + ", want " + want);
    }
  }
}
