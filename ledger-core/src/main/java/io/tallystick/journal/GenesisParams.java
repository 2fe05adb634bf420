package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The founding parameters of a ledger. Their hash is the ledgerId, and all owners sign them.
///
/// @param owners 1 to 16, ascending by kid; the first members
/// @param noteKey signs checkpoints; Ed25519
/// @param receiptKey signs receipts; Ed25519 and not the note key
/// @param maxWindowMs the longest `expiresMs − clientTimeMs` of an ordinary request
/// @param stateParams present exactly when the state forest is among the features
public record GenesisParams(
    Authority authority,
    Digest nameCommit,
    Bytes random,
    List<PublicKey> owners,
    PublicKey noteKey,
    PublicKey receiptKey,
    long createdMs,
    boolean isPublic,
    int strandCount,
    long maxWindowMs,
    Set<Feature> features,
    @Nullable StateParams stateParams) {
  public static final int OWNERS_MAX = Limits.SIGNERS_MAX;
  public static final int RANDOM_BYTES = 32;
  public static final long DEFAULT_WINDOW_MS = 60_000;

  private static final int VERSION = 1;

  public GenesisParams {
    owners = List.copyOf(owners);
    features = Feature.setOf(features);
    if (random.size() != RANDOM_BYTES) {
      throw new IllegalArgumentException("random of " + random.size() + " bytes, want 32");
    }
    checkOwners(owners);
    checkServiceKeys(owners, noteKey, receiptKey);
    inRange("createdMs", createdMs, 0, Limits.TIME_MS_MAX);
    inRange("strandCount", strandCount, 1, Limits.STRANDS_MAX);
    inRange("maxWindowMs", maxWindowMs, 1, Limits.GOVERNANCE_WINDOW_MS_MAX);
    if (features.contains(Feature.STATE_FOREST) != (stateParams != null)) {
      throw new IllegalArgumentException("stateParams must come with feature 2 and only with it");
    }
    if (features.contains(Feature.MONO) && owners.size() != 1) {
      throw new IllegalArgumentException(
          owners.size() + " owners of a ledger with feature 3 (MONO), want 1");
    }
  }

  private static void checkOwners(List<PublicKey> owners) {
    inRange("number of owners", owners.size(), 1, OWNERS_MAX);
    for (int i = 1; i < owners.size(); i++) {
      if (owners.get(i - 1).kid().compareTo(owners.get(i).kid()) >= 0) {
        throw new IllegalArgumentException("owner " + i + " is not above the one before, by kid");
      }
    }
  }

  private static void checkServiceKeys(
      List<PublicKey> owners, PublicKey noteKey, PublicKey receiptKey) {
    if (noteKey.algorithm() != SignatureAlgorithm.ED25519
        || receiptKey.algorithm() != SignatureAlgorithm.ED25519) {
      throw new IllegalArgumentException("note key and receipt key must be Ed25519");
    }
    if (noteKey.equals(receiptKey)) {
      throw new IllegalArgumentException("note key and receipt key are the same");
    }
    if (owners.contains(noteKey) || owners.contains(receiptKey)) {
      throw new IllegalArgumentException("a service key is also an owner's");
    }
  }

  private static void inRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + value + ", want " + min + " to " + max);
    }
  }

  public LedgerId ledgerId() {
    return Commitments.ledgerId(encode());
  }

  /// The name of one strand's log, as checkpoints and receipts carry it.
  public String origin(int strand) {
    return authority.origin(new StrandId(ledgerId(), strand));
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(512);
    out.array(12).uint(VERSION).text(authority.value()).digest(nameCommit).bytes(random);
    out.array(owners.size());
    owners.forEach(owner -> out.bytes(owner.spki()));
    out.array(2).bytes(noteKey.spki()).bytes(receiptKey.spki());
    out.uint(createdMs).bool(isPublic).uint(strandCount).uint(maxWindowMs);
    Feature.encode(out, features);
    if (stateParams == null) {
      out.nil();
    } else {
      stateParams.encodeInto(out);
    }
    return out.toBytes();
  }

  public static GenesisParams decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("GenesisParams", 12);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("GenesisParams of version " + version + ", want 1");
    }
    Authority authority = Authority.parse(in.text());
    Digest nameCommit = in.digest();
    Bytes random = Bytes.wrap(in.bytes("random", RANDOM_BYTES));
    List<PublicKey> owners = keys(in, in.arrayAtMost("owners", OWNERS_MAX));
    in.array("service keys", 2);
    List<PublicKey> service = keys(in, 2);
    long createdMs = in.uint();
    boolean isPublic = in.bool();
    int strands = (int) in.uint("strandCount", Limits.STRANDS_MAX);
    long window = in.uint();
    Set<Feature> features = Feature.decode(in);
    StateParams state = in.nil() ? null : StateParams.decode(in);
    in.end();
    return Decoding.validated(() ->
        new GenesisParams(
            authority,
            nameCommit,
            random,
            owners,
            service.get(0),
            service.get(1),
            createdMs,
            isPublic,
            strands,
            window,
            features,
            state));
  }

  private static List<PublicKey> keys(CborReader in, int count) throws MalformedException {
    List<PublicKey> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(PublicKey.ofSpki(Bytes.wrap(in.bytes("SPKI", 91))));
    }
    return keys;
  }
}
