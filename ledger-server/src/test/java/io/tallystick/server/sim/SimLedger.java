package io.tallystick.server.sim;

import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.seal.HeadSigner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A ledger as the simulator knows it: who founded it, all keys that are or may become members, and
/// what is durable of it.
final class SimLedger {
  static final long NEVER = Long.MAX_VALUE;
  private static final int KEYS = 16;
  private static final int CLUES = 6;
  private static final int STATE_KEYS = 20;

  /// A member as the model has it.
  record KnownMember(
      Role role,
      long addedJsn,
      long revokedJsn,
      long notAfterMs,
      boolean delegated,
      @Nullable Digest replacedBy) {
    boolean revoked() {
      return revokedJsn != NEVER;
    }

    KnownMember revokedAt(long jsn, @Nullable Digest by) {
      return new KnownMember(role, addedJsn, jsn, notAfterMs, delegated, by);
    }
  }

  /// The newest time journal as the model has it.
  record KnownTime(long jsn, long size) {}

  /// A clue that its clients name.
  record Clue(String name, Digest id) {}

  final List<FakeSignatures.Key> keys = new ArrayList<>();

  /// In the order of their ids.
  final List<Clue> clues = new ArrayList<>();

  final GenesisParams params;
  final StrandId strand;
  final Founding founding;
  final History history;

  /// That its journals write, if it has a state.
  final List<Bytes> stateKeys = new ArrayList<>();

  /// Of the newest block whose operations the shard does not remember.
  long forgottenHeight = -1;

  /// Members by kid; replaced as a whole.
  Map<Digest, KnownMember> members = new LinkedHashMap<>();

  /// Of the journal that closed it.
  long closedJsn = NEVER;

  /// Null before the first.
  @Nullable KnownTime newestTime;

  /// What was removed; replaced as a whole.
  RemovedJournals removed = RemovedJournals.NONE;

  /// Those that the service made, in that order.
  final Map<Digest, Snapshot> snapshots = new LinkedHashMap<>();

  /// Where the purge before ended when each was made.
  final Map<Digest, Long> snapshotsFrom = new HashMap<>();

  /// Jsns of removals that are carried out.
  final Set<Long> erased = new TreeSet<>();

  /// The service's pairs, of which this ledger has some.
  final SimPairs pairs;

  /// Signs what the service itself requests.
  final HeadSigner service;

  /// Those of genesis and of each rotation that is durable; replaced as a whole.
  ServiceKeys serviceKeys;

  /// Height of the first block in which journals may name clues.
  long cluesFrom;

  SimLedger(SimPairs pairs, long nowMs, SplittableRandom random) {
    this.pairs = pairs;
    this.service = pairs.plainSigner();
    this.serviceKeys = new ServiceKeys(pairs.authority(), pairs.firstNote(), pairs.firstReceipt());
    int owners = 1 + random.nextInt(2);
    for (int i = 0; i < KEYS; i++) {
      keys.add(FakeSignatures.key(random));
    }
    List<FakeSignatures.Key> founders =
        keys.subList(0, owners).stream()
            .sorted(Comparator.comparing(FakeSignatures.Key::kid))
            .toList();
    Bytes salt = bytes32(random);
    boolean clues = random.nextInt(3) == 0;
    StateParams state = random.nextInt(3) == 0 ? new StateParams(8, 1, 4, 4, 1) : null;
    this.history = new History(state);
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    if (clues) {
      features.add(Feature.CLUE_TRIE);
    }
    if (state != null) {
      features.add(Feature.STATE_FOREST);
    }
    if (owners == 1 && random.nextInt(6) == 0) {
      features.add(Feature.MONO);
    }
    if (random.nextInt(10) == 0) {
      features.add(Feature.DELEGATED);
    }
    if (random.nextInt(12) == 0) {
      features.add(Feature.PERMANENT);
    }
    this.params =
        new GenesisParams(
            pairs.authority(),
            Commitments.name(salt, "simulated"),
            bytes32(random),
            founders.stream().map(FakeSignatures.Key::publicKey).toList(),
            pairs.firstNote(),
            pairs.firstReceipt(),
            nowMs,
            random.nextBoolean(),
            1,
            GenesisParams.DEFAULT_WINDOW_MS,
            features,
            state);
    this.strand = new StrandId(params.ledgerId(), 0);
    for (int i = 0; i < CLUES; i++) {
      String name = "clue " + i;
      this.clues.add(new Clue(name, Commitments.clueId(params.ledgerId(), name)));
    }
    for (int i = 0; i < STATE_KEYS; i++) {
      this.stateKeys.add(Bytes.utf8("key " + i));
    }
    this.clues.sort(Comparator.comparing(Clue::id));
    this.cluesFrom = clues ? 0 : NEVER;
    Attestation attestation = RequestSigner.signGenesis(params, founders);
    LedgerName name = new LedgerName(Digest.of(salt), "simulated");
    this.founding = new Founding(params, params.encode(), attestation.encode(), name);
  }

  /// The keys after a rotation, by the rule: the head of size jsn + 2 is the last of the old ones.
  ServiceKeys rotated(Extension.KeyRotation rotation, long jsn) {
    List<ServiceKeys.Term> terms = new ArrayList<>(serviceKeys.terms());
    terms.add(
        new ServiceKeys.Term(new TreeSize(jsn + 2), rotation.noteKey(), rotation.receiptKey()));
    return new ServiceKeys(pairs.authority(), terms);
  }

  /// Whether a key is, or ever was, one of the service's for this ledger.
  boolean wasServiceKey(PublicKey key) {
    return serviceKeys.terms().stream()
        .anyMatch(term -> term.noteKey().equals(key) || term.receiptKey().equals(key));
  }

  static Bytes bytes32(SplittableRandom random) {
    byte[] bytes = new byte[Digest.BYTES];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  boolean founded() {
    return history.size() > 0;
  }

  boolean isPermanent() {
    return params.features().contains(Feature.PERMANENT);
  }

  /// Whether a purge leaves a journal readable that is below its first leaf: genesis, those that
  /// govern, and the newest time journal.
  ///
  /// @param size as of which it is asked
  boolean isCarried(long jsn, long size) {
    Sent sent = history.entry(jsn).sent();
    if (sent == null || !sent.kind().governance()) {
      return jsn == 0;
    }
    long firstKept = removed.at(size).firstKept();
    for (long later = jsn + 1; sent.kind() == Kind.TIME && later < firstKept; later++) {
      Sent other = history.entry(later).sent();
      if (other != null && other.kind() == Kind.TIME) {
        return false;
      }
    }
    return true;
  }

  FakeSignatures.Key key(Digest kid) {
    return keys.stream().filter(key -> key.kid().equals(kid)).findFirst().orElseThrow();
  }

  boolean hasState() {
    return params.stateParams() != null;
  }

  /// Whether journals may name clues, in the next block or in one that follows soon.
  boolean takesCluesSoon() {
    return cluesFrom <= history.nextHeight() + 2;
  }

  Map<Digest, KnownMember> foundingMembers() {
    Map<Digest, KnownMember> owners = new LinkedHashMap<>();
    for (PublicKey owner : params.owners()) {
      owners.put(owner.kid(), added(Role.OWNER, 0));
    }
    return owners;
  }

  static KnownMember added(Role role, long jsn) {
    return new KnownMember(role, jsn, NEVER, NEVER, false, null);
  }

  Bytes genesisLeaf(long timeMs) {
    return new GenesisLeaf(
            timeMs, 0, founding.paramsBytes(), Attestation.hash(founding.attestation()))
        .encode();
  }
}
