package io.tallystick.testkit;

import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A ledger with two owners, Alice (Ed25519) and Bob (ES256), and a service whose keys are known,
/// all made from names: every run has the same bytes. Carol holds a key that is no member's.
///
/// @param timeMs when it was founded; what requests are dated unless the test says otherwise
public record Fixtures(GenesisParams params, long timeMs) {
  /// 2026-09-21T14:13:20Z.
  public static final long TIME_MS = 1_790_000_000_000L;

  public static final String LEDGER_NAME = "sample";
  public static final SeededSigner ALICE = SeededSigner.ed25519("alice");
  public static final SeededSigner BOB = SeededSigner.es256("bob");
  public static final SeededSigner CAROL = SeededSigner.ed25519("carol");
  public static final SeededSigner NOTE = SeededSigner.ed25519("note");
  public static final SeededSigner RECEIPT = SeededSigner.ed25519("receipt");

  /// What the service's keys are after a rotation.
  public static final SeededSigner NEXT_NOTE = SeededSigner.ed25519("next note");

  public static final SeededSigner NEXT_RECEIPT = SeededSigner.ed25519("next receipt");

  /// The ledger all golden vectors are about.
  public static Fixtures ledger() {
    return ledger(TIME_MS);
  }

  /// A ledger founded at `timeMs`; for tests against a real clock.
  public static Fixtures ledger(long timeMs) {
    return ledger(timeMs, "localhost", NOTE.publicKey(), RECEIPT.publicKey());
  }

  /// A ledger of Alice and Bob at a service with other keys.
  public static Fixtures ledger(
      long timeMs, String authority, PublicKey noteKey, PublicKey receiptKey) {
    return new Fixtures(
        new GenesisParams(
            new Authority(authority),
            Commitments.name(nameSalt(), LEDGER_NAME),
            bytes32("genesis random"),
            owners().stream().map(Signer::publicKey).toList(),
            noteKey,
            receiptKey,
            timeMs,
            false,
            1,
            GenesisParams.DEFAULT_WINDOW_MS,
            Set.of(),
            null),
        timeMs);
  }

  /// The same, but for how long a request may be on its way.
  public Fixtures withWindow(long maxWindowMs) {
    return new Fixtures(
        new GenesisParams(
            params.authority(),
            params.nameCommit(),
            params.random(),
            params.owners(),
            params.noteKey(),
            params.receiptKey(),
            params.createdMs(),
            params.isPublic(),
            params.strandCount(),
            maxWindowMs,
            params.features(),
            params.stateParams()),
        timeMs);
  }

  /// The same, but public.
  public Fixtures published() {
    return new Fixtures(
        new GenesisParams(
            params.authority(),
            params.nameCommit(),
            params.random(),
            params.owners(),
            params.noteKey(),
            params.receiptKey(),
            params.createdMs(),
            true,
            params.strandCount(),
            params.maxWindowMs(),
            params.features(),
            params.stateParams()),
        timeMs);
  }

  /// The same founded by some of its owners.
  public Fixtures withOwners(List<PublicKey> owners) {
    return new Fixtures(
        new GenesisParams(
            params.authority(),
            params.nameCommit(),
            params.random(),
            owners,
            params.noteKey(),
            params.receiptKey(),
            params.createdMs(),
            params.isPublic(),
            params.strandCount(),
            params.maxWindowMs(),
            params.features(),
            params.stateParams()),
        timeMs);
  }

  /// The same with features on from genesis.
  public Fixtures withFeatures(Set<Feature> features) {
    return with(features, params.stateParams());
  }

  /// The same with a state from genesis, besides its other features.
  public Fixtures withState(StateParams stateParams) {
    Set<Feature> features = EnumSet.of(Feature.STATE_FOREST);
    features.addAll(params.features());
    return with(features, stateParams);
  }

  private Fixtures with(Set<Feature> features, @Nullable StateParams stateParams) {
    return new Fixtures(
        new GenesisParams(
            params.authority(),
            params.nameCommit(),
            params.random(),
            params.owners(),
            params.noteKey(),
            params.receiptKey(),
            params.createdMs(),
            params.isPublic(),
            params.strandCount(),
            params.maxWindowMs(),
            features,
            stateParams),
        timeMs);
  }

  /// The same with a state whose partitions and nodes are so small that few keys fill many.
  public Fixtures withSmallState() {
    return withState(new StateParams(8, 1, 4, 4, 1));
  }

  /// Alice and Bob, ascending by kid.
  public static List<SeededSigner> owners() {
    return Stream.of(ALICE, BOB)
        .sorted(Comparator.comparing(signer -> signer.publicKey().kid()))
        .toList();
  }

  public static Bytes nameSalt() {
    return bytes32("name salt");
  }

  /// 32 bytes that depend on `name` alone: salts and the like.
  public static Bytes bytes32(String name) {
    return Sha256.hash(("tallystick test bytes " + name).getBytes(StandardCharsets.UTF_8))
        .toBytes();
  }

  /// By all owners, as it must be.
  public Attestation genesisAttestation() {
    return RequestSigner.signGenesis(
        params,
        owners().stream().filter(each -> params.owners().contains(each.publicKey())).toList());
  }

  public StrandId strand() {
    return new StrandId(params.ledgerId(), 0);
  }

  /// The owners' keys.
  public KeyLookup keys() {
    List<PublicKey> keys = params.owners();
    return kid -> keys.stream().filter(key -> key.kid().equals(kid)).findFirst();
  }

  /// An append of a few bytes of text; `number` makes it differ from others, in its salt too.
  public RequestDraft draft(int number) {
    return RequestDraft.append(
            strand(),
            Bytes.utf8("payload " + number),
            "text/plain",
            timeMs,
            bytes32("salt " + number))
        .withClientSeq(number);
  }

  public SignedRequest request(int number) {
    return draft(number).build();
  }

  /// Requests `first` to `first + count - 1`.
  public List<SignedRequest> requests(int first, int count) {
    List<SignedRequest> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      requests.add(request(first + i));
    }
    return requests;
  }

  /// One request by Alice.
  public Submission single(int number) {
    return submission(request(number), ALICE);
  }

  /// Requests `first` to `first + count - 1` as a batch by Alice.
  public Submission batch(int first, int count) {
    return submission(requests(first, count), ALICE);
  }

  /// One request by Alice that names clues.
  public Submission clued(int number, String... clues) {
    return submission(draft(number).withClues(List.of(clues)).build(), ALICE);
  }

  /// One request by Alice with operations on the state.
  public Submission writing(int number, DraftOp... ops) {
    return submission(draft(number).withOps(List.of(ops)).build(), ALICE);
  }

  /// Deletes a clue on Alice's word.
  public Submission clueDelete(int number, String clue) {
    Bytes salt = bytes32("salt " + number);
    return submission(
        RequestDraft.clueDelete(strand(), clue, timeMs, salt).withClientSeq(number).build(), ALICE);
  }

  /// Turns the clue trie on on Alice's word.
  public Submission clueTrieFrom(long firstHeight) {
    return govern(
        Kind.PARAMETERS, new Extension.Parameters(firstHeight, Set.of(Feature.CLUE_TRIE)), ALICE);
  }

  /// Adds a member on Alice's word.
  public Submission memberAdd(Role role, PublicKey key) {
    return govern(Kind.MEMBER_ADD, new Extension.MemberAdd(role, key), ALICE);
  }

  /// Revokes a member on Alice's word.
  public Submission memberRevoke(Digest kid) {
    return govern(Kind.MEMBER_REVOKE, new Extension.MemberRevoke(kid), ALICE);
  }

  public Submission govern(Kind kind, Extension extension, Signer... signers) {
    Bytes salt = bytes32(kind + " " + extension);
    return submission(
        RequestDraft.govern(strand(), kind, extension, timeMs, salt).build(), signers);
  }

  /// A request of the service's own, signed by keys of the service and by members.
  public Submission service(
      Kind kind, Extension extension, List<? extends Signer> service, Signer... members) {
    SignedRequest request =
        RequestDraft.govern(strand(), kind, extension, timeMs, bytes32(kind + " " + extension))
            .build();
    Digest hash = RequestHeader.hash(request.header());
    List<CoseSign1> signed =
        Stream.of(members).map(member -> RequestSigner.signOne(strand(), hash, member)).toList();
    Attestation attestation = RequestSigner.signService(strand(), hash, service, signed);
    return new Submission(List.of(request), attestation.encode());
  }

  /// The service's keys become {@link #NEXT_NOTE} and {@link #NEXT_RECEIPT} on Alice's word.
  public Submission rotation() {
    return service(
        Kind.KEY_ROTATION,
        new Extension.KeyRotation(NEXT_NOTE.publicKey(), NEXT_RECEIPT.publicKey()),
        List.of(RECEIPT, NEXT_RECEIPT),
        ALICE);
  }

  public Submission submission(SignedRequest request, Signer... signers) {
    return submission(List.of(request), signers);
  }

  /// Signs one request alone, several as a batch.
  public Submission submission(List<SignedRequest> requests, Signer... signers) {
    List<Digest> hashes = hashes(requests);
    Attestation attestation =
        requests.size() == 1
            ? RequestSigner.sign(strand(), hashes.getFirst(), List.of(signers))
            : RequestSigner.signBatch(strand(), hashes, List.of(signers));
    return new Submission(requests, attestation.encode());
  }

  public static List<Digest> hashes(List<SignedRequest> requests) {
    return requests.stream().map(request -> RequestHeader.hash(request.header())).toList();
  }
}
