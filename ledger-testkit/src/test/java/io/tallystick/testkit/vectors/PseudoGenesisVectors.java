package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SampleRemoval;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/// Topic `pseudo-genesis`: with what a purged log begins.
final class PseudoGenesisVectors {
  private static final long NOW = Fixtures.TIME_MS;
  private static final long DAYS_30 = 2_592_000_000L;
  private static final SeededSigner REGULATOR = SampleRemoval.REGULATOR;
  private static final SeededSigner ALICE = Fixtures.ALICE;
  private static final SeededSigner BOB = Fixtures.BOB;
  private static final SeededSigner CAROL = Fixtures.CAROL;
  private static final Digest HASH = Digest.fromHex("44".repeat(32));

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Fixtures later = new Fixtures(ledger.params(), NOW + DAYS_30);

  PseudoGenesisVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    signers();
    regulators();
    members();
    kept();
    seals();
    services();
    purges();
    bytes();
  }

  /// Journal 2 makes the regulator, 4 and 8 are Alice's, 6 is Bob's.
  private ReferenceLedger log() {
    return ReferenceLedger.found(ledger)
        .block(ledger.memberAdd(Role.REGULATOR, REGULATOR.publicKey()))
        .block(ledger.single(1))
        .block(ledger.submission(ledger.request(2), BOB))
        .block(ledger.single(3));
  }

  /// Of the log above, all below journal 8.
  private static Snapshot snapshot(ReferenceLedger log, SeededSigner... absent) {
    return SampleRemoval.snapshot(log, 8, 3, List.of(0, 2), kids(ALICE, BOB), kids(absent));
  }

  private static List<Digest> kids(SeededSigner... signers) {
    return List.of(signers).stream().map(signer -> signer.publicKey().kid()).toList();
  }

  private void signers() {
    ReferenceLedger log = log();
    PseudoGenesis all = SampleRemoval.purged(log, ledger, snapshot(log), ALICE, BOB);
    accept("all-who-are-affected-signed", all);
    set.refuse("WRONG_LEDGER", of("for-another-strand", all).with("strand", 1));
    StrandId elsewhere = Fixtures.ledger(NOW + 1).strand();
    set.refuse("WRONG_LEDGER", of("for-another-ledger", all).with(elsewhere));
    purge("MISSING", "one-who-is-affected-did-not-sign", ALICE);
    purge("NOT_A_MEMBER", "signed-by-a-stranger", ALICE, BOB, CAROL);
    ReferenceLedger alone = log();
    Snapshot nobody = SampleRemoval.snapshot(alone, 8, 3, List.of(0, 2), List.of(), List.of());
    refuse("MISSING", "no-owner-signed", SampleRemoval.purged(alone, ledger, nobody, REGULATOR));
    Submission stripped = ledger.govern(Kind.PURGE, purgeOf(snapshot(log)), ALICE);
    refuse(
        "COMMITMENT_MISMATCH",
        "cosigner-stripped",
        new PseudoGenesis(all.snapshot(), all.purge(), stripped.attestation()));
    ReferenceLedger both = log();
    refuse(
        "BROKEN_CHAIN",
        "absent-and-signed",
        SampleRemoval.purged(both, later, snapshot(both, BOB), ALICE, BOB, REGULATOR));
  }

  private void regulators() {
    ReferenceLedger log = log();
    accept(
        "a-regulator-signed-for-who-is-absent",
        SampleRemoval.purged(log, later, snapshot(log, BOB), ALICE, REGULATOR));
    ReferenceLedger none = log();
    refuse(
        "MISSING",
        "absent-without-a-regulator",
        SampleRemoval.purged(none, later, snapshot(none, BOB), ALICE));
    ReferenceLedger early = log();
    Fixtures before = new Fixtures(ledger.params(), NOW + DAYS_30 - 1);
    refuse(
        "MISSING",
        "a-regulator-a-millisecond-too-new",
        SampleRemoval.purged(early, before, snapshot(early, BOB), ALICE, REGULATOR));
    ReferenceLedger twice = log();
    SampleRemoval.purged(twice, ledger, snapshot(twice), ALICE, BOB);
    twice.block(ledger.submission(ledger.request(4), BOB));
    Snapshot second =
        SampleRemoval.snapshot(twice, 14, 6, List.of(0, 2, 10), kids(ALICE, BOB), kids(BOB));
    accept(
        "a-regulator-from-before-the-second-purges-first-journal",
        SampleRemoval.purged(twice, ledger, second, ALICE, REGULATOR));
    ReferenceLedger back = log();
    SampleRemoval.purged(back, ledger, snapshot(back), ALICE, BOB);
    back.block(ledger.govern(Kind.RECALL, new Extension.Recall(new Jsn(10)), ALICE));
    Snapshot recalled =
        SampleRemoval.snapshot(back, 14, 6, List.of(0, 2, 10, 12), kids(ALICE, BOB), kids(BOB));
    refuse(
        "MISSING",
        "a-regulator-too-new-after-a-recall",
        SampleRemoval.purged(back, ledger, recalled, ALICE, REGULATOR));
  }

  private void members() {
    ReferenceLedger reader = log();
    reader.block(grant(BOB, Role.READ_ONLY));
    reader.block(ledger.single(4));
    List<Integer> kept = List.of(0, 2, 10);
    Snapshot demoted = SampleRemoval.snapshot(reader, 12, 5, kept, kids(ALICE, BOB), List.of());
    accept(
        "a-reader-who-is-affected-signed",
        SampleRemoval.purged(reader, ledger, demoted, ALICE, BOB));
    ReferenceLedger other = log().block(grant(BOB, Role.READ_ONLY)).block(ledger.single(4));
    Snapshot alice = SampleRemoval.snapshot(other, 12, 5, kept, kids(ALICE), List.of());
    refuse(
        "NOT_A_MEMBER",
        "a-reader-who-is-not-affected-signed",
        SampleRemoval.purged(other, ledger, alice, ALICE, BOB));
    ReferenceLedger since = log().block(ledger.memberAdd(Role.OWNER, CAROL.publicKey()));
    PseudoGenesis byCarol = SampleRemoval.purged(since, ledger, snapshot(since), ALICE, BOB, CAROL);
    set.accept(
        of("an-owner-since-the-seal-signed", byCarol).with("chain", since.chain(10).encode()));
    refuse("NOT_A_MEMBER", "an-owner-since-the-seal-who-is-not-shown", byCarol);
    ReferenceLedger revoked =
        log().block(ledger.memberRevoke(kids(BOB).getFirst())).block(ledger.single(4));
    Snapshot right = SampleRemoval.snapshot(revoked, 12, 5, kept, kids(ALICE, BOB), List.of());
    refuse(
        "NOT_A_MEMBER",
        "who-was-revoked-signed",
        SampleRemoval.purged(revoked, ledger, right, ALICE, BOB));
  }

  private void kept() {
    changed("WRONG_TYPE", "genesis-left-out", kept -> kept.subList(1, 2));
    changed(
        "BROKEN_CHAIN",
        "one-journal-twice",
        kept -> List.of(kept.get(0), kept.get(1), kept.get(1)));
    ReferenceLedger log = log();
    Snapshot.Kept append = SampleRemoval.kept(log, 4, 8);
    changed("WRONG_TYPE", "an-append-kept", kept -> List.of(kept.get(0), kept.get(1), append));
    changed(
        "ROOT_MISMATCH",
        "with-another-path",
        kept -> List.of(kept.get(0), with(kept.get(1), append.path())));
    changed(
        "WRONG_PATH_LENGTH",
        "with-a-path-too-short",
        kept -> List.of(kept.get(0), with(kept.get(1), append.path().subList(0, 2))));
    Bytes forged = ledger.genesisAttestation().encode();
    changed(
        "COMMITMENT_MISMATCH",
        "a-grant-with-another-attestation",
        kept ->
            List.of(
                kept.get(0), new Snapshot.Kept(kept.get(1).leaf(), forged, kept.get(1).path())));
    changed(
        "COMMITMENT_MISMATCH",
        "genesis-with-another-attestation",
        kept ->
            List.of(
                new Snapshot.Kept(
                    kept.get(0).leaf(), kept.get(1).attestation(), kept.get(0).path()),
                kept.get(1)));
    ReferenceLedger stranger =
        ReferenceLedger.found(ledger).block(ledger.memberAdd(Role.OWNER, CAROL.publicKey()));
    changed(
        "ROOT_MISMATCH",
        "a-forged-member",
        kept ->
            List.of(
                kept.get(0),
                new Snapshot.Kept(stranger.leaf(2), stranger.attestation(2), kept.get(1).path())));
    ReferenceLedger timed = SampleRemoval.timed(ledger, SampleRemoval.timed(ledger, log()));
    List<Integer> last = List.of(0, 2, 12);
    Snapshot right = SampleRemoval.snapshot(timed, 14, 6, last, kids(ALICE, BOB), List.of());
    accept("with-the-last-time-journal", SampleRemoval.purged(timed, ledger, right, ALICE, BOB));
    List<Integer> both = List.of(0, 2, 10, 12);
    ReferenceLedger two = SampleRemoval.timed(ledger, SampleRemoval.timed(ledger, log()));
    Snapshot many = SampleRemoval.snapshot(two, 14, 6, both, kids(ALICE, BOB), List.of());
    refuse(
        "WRONG_TYPE",
        "with-two-time-journals",
        SampleRemoval.purged(two, ledger, many, ALICE, BOB));
  }

  private static Snapshot.Kept with(Snapshot.Kept kept, List<Digest> path) {
    return new Snapshot.Kept(kept.leaf(), kept.attestation(), path);
  }

  private void seals() {
    ReferenceLedger log = log();
    Snapshot right = snapshot(log);
    sealed("WRONG_JSN", "the-seal-of-another-block", right, log.leaf(5), right.frontier());
    sealed("MALFORMED", "a-journal-for-the-seal", right, log.leaf(6), right.frontier());
    List<Digest> frontier = new ArrayList<>(right.frontier());
    frontier.set(0, HASH);
    ReferenceLedger lying =
        ReferenceLedger.found(ledger)
            .block(ledger.memberAdd(Role.REGULATOR, REGULATOR.publicKey()))
            .block(ledger.single(1))
            .falseBlock(ledger.submission(ledger.request(2), BOB), HASH)
            .block(ledger.single(3));
    refuse(
        "ROOT_MISMATCH",
        "a-seal-that-states-another-root",
        SampleRemoval.purged(lying, ledger, snapshot(lying), ALICE, BOB));
    sealed("ROOT_MISMATCH", "with-another-frontier", right, right.seal(), frontier);
    sealed(
        "ROOT_MISMATCH",
        "with-the-frontier-backwards",
        right,
        right.seal(),
        right.frontier().reversed());
  }

  private void sealed(String code, String name, Snapshot right, Bytes seal, List<Digest> frontier) {
    Snapshot wrong =
        new Snapshot(
            right.genesisParams(),
            right.strand(),
            right.firstKept(),
            right.height(),
            seal,
            frontier,
            right.kept(),
            right.windowCount(),
            right.windowRoot(),
            right.affected(),
            right.absent());
    refuse(code, name, SampleRemoval.purged(log(), ledger, wrong, ALICE, BOB));
  }

  private void services() {
    ReferenceLedger log = log();
    PseudoGenesis good = SampleRemoval.purged(log, ledger, snapshot(log), ALICE, BOB);
    Bytes bent = Forge.flipBit(good.purge(), good.purge().size() - 40);
    refuse(
        "BAD_SIGNATURE",
        "with-a-bent-receipt",
        new PseudoGenesis(good.snapshot(), bent, good.attestation()));
    ReferenceLedger rotated =
        log().block(ledger.rotation()).rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
    rotated.block(ledger.single(4));
    List<Integer> all = List.of(0, 2, 10);
    Snapshot right = SampleRemoval.snapshot(rotated, 12, 5, all, kids(ALICE, BOB), List.of());
    PseudoGenesis after = SampleRemoval.purged(rotated, ledger, right, ALICE, BOB);
    set.accept(of("after-a-rotation", after).with("chain", rotated.chain(10).encode()));
    refuse("WRONG_KEY", "with-a-rotation-that-no-key-chain-shows", after);
    ReferenceLedger hidden =
        log().block(ledger.rotation()).rotated(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
    hidden.block(ledger.single(4));
    Snapshot less =
        SampleRemoval.snapshot(hidden, 12, 5, List.of(0, 2), kids(ALICE, BOB), List.of());
    PseudoGenesis without = SampleRemoval.purged(hidden, ledger, less, ALICE, BOB);
    set.refuse(
        "WRONG_KEY",
        of("with-a-rotation-left-out", without).with("chain", hidden.chain(10).encode()));
  }

  private void purges() {
    ReferenceLedger log = log();
    PseudoGenesis good = SampleRemoval.purged(log, ledger, snapshot(log), ALICE, BOB);
    Snapshot windowed = windowed(snapshot(log));
    refuse(
        "COMMITMENT_MISMATCH",
        "with-another-window",
        new PseudoGenesis(windowed.encode(), good.purge(), good.attestation()));
    ReferenceLedger open = log();
    accept("with-a-window", SampleRemoval.purged(open, ledger, windowed, ALICE, BOB));
    Snapshot higher = SampleRemoval.snapshot(log, 6, 2, List.of(0, 2), kids(ALICE), List.of());
    refuse(
        "WRONG_JSN",
        "of-another-seal",
        new PseudoGenesis(higher.encode(), good.purge(), good.attestation()));
    Bytes append = SampleRemoval.file(log, 8);
    refuse(
        "WRONG_TYPE",
        "an-append-for-the-purge",
        new PseudoGenesis(good.snapshot(), append, log.attestation(8)));
    Fixtures permanent = ledger.withFeatures(Set.of(Feature.PERMANENT));
    ReferenceLedger kept =
        ReferenceLedger.found(permanent).block(permanent.single(1)).block(permanent.single(2));
    Snapshot forbidden = SampleRemoval.snapshot(kept, 6, 2, List.of(0), kids(ALICE), List.of());
    PseudoGenesis purged = SampleRemoval.purged(kept, permanent, forbidden, ALICE);
    set.refuse("BROKEN_CHAIN", of("of-a-permanent-ledger", purged).with(permanent.strand()));
  }

  /// With one signature that could be used again.
  private static Snapshot windowed(Snapshot right) {
    return new Snapshot(
        right.genesisParams(),
        right.strand(),
        right.firstKept(),
        right.height(),
        right.seal(),
        right.frontier(),
        right.kept(),
        1,
        Snapshot.windowRoot(List.of(HASH.toBytes())),
        right.affected(),
        right.absent());
  }

  private void bytes() {
    ReferenceLedger log = log();
    PseudoGenesis good = SampleRemoval.purged(log, ledger, snapshot(log), ALICE, BOB);
    Bytes file = good.encode();
    malformed("of-type-15", Forge.replaceStart(file, "8410", "840f"));
    malformed("with-an-item-more", Forge.append(Forge.replaceStart(file, "84", "85"), "00"));
    malformed("with-bytes-left-over", Forge.append(file, "00"));
    malformed("cut", file.slice(0, file.size() - 1));
    Bytes snapshot = good.snapshot();
    snapshot("a-snapshot-of-type-16", Forge.replaceStart(snapshot, "8c0f", "8c10"));
    snapshot(
        "a-snapshot-with-an-item-more",
        Forge.append(Forge.replaceStart(snapshot, "8c", "8d"), "00"));
    String alice = "5820" + kids(ALICE).getFirst().hex();
    String bob = "5820" + kids(BOB).getFirst().hex();
    boolean ascending = alice.compareTo(bob) < 0;
    String low = ascending ? alice : bob;
    String high = ascending ? bob : alice;
    snapshot(
        "affected-in-descending-order",
        Forge.replace(snapshot, "82" + low + high + "80", "82" + high + low + "80"));
    snapshot(
        "affected-twice",
        Forge.replace(snapshot, "82" + low + high + "80", "82" + low + low + "80"));
    String carol = "5820" + kids(CAROL).getFirst().hex();
    snapshot("absent-but-not-affected", Forge.replace(snapshot, high + "80", high + "81" + carol));
    String empty = "005820" + TreeHasher.EMPTY_ROOT.hex();
    snapshot("an-empty-window-with-a-root", Forge.replace(snapshot, empty, "005820" + HASH.hex()));
    snapshot("a-window-without-a-root", Forge.replace(snapshot, empty, "01" + empty.substring(2)));
    String first = "5820" + snapshot(log).frontier().getFirst().hex();
    snapshot("a-frontier-with-a-hash-less", Forge.replace(snapshot, "83" + first, "82"));
    snapshot("a-snapshot-of-block-0", Forge.replace(snapshot, "000803" + "58", "000800" + "58"));
  }

  private void snapshot(String name, Bytes snapshot) {
    ReferenceLedger log = log();
    PseudoGenesis good = SampleRemoval.purged(log, ledger, snapshot(log), ALICE, BOB);
    malformed(name, new PseudoGenesis(snapshot, good.purge(), good.attestation()).encode());
  }

  private static Extension purgeOf(Snapshot snapshot) {
    return new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 4_000);
  }

  private Submission grant(SeededSigner to, Role role) {
    Extension grant =
        new Extension.Grant(
            role, to.publicKey(), OptionalLong.empty(), Optional.empty(), false, Optional.empty());
    return ledger.govern(Kind.GRANT, grant, ALICE);
  }

  private void purge(String code, String name, Signer... signers) {
    ReferenceLedger log = log();
    refuse(code, name, SampleRemoval.purged(log, ledger, snapshot(log), signers));
  }

  /// A purge, rightly signed, of a snapshot that keeps something else.
  private void changed(
      String code, String name, Function<List<Snapshot.Kept>, List<Snapshot.Kept>> change) {
    ReferenceLedger log = log();
    Snapshot right = snapshot(log);
    List<Snapshot.Kept> kept = change.apply(right.kept());
    Snapshot wrong =
        new Snapshot(
            right.genesisParams(),
            right.strand(),
            right.firstKept(),
            right.height(),
            right.seal(),
            right.frontier(),
            kept,
            right.windowCount(),
            right.windowRoot(),
            right.affected(),
            right.absent());
    refuse(code, name, SampleRemoval.purged(log, ledger, wrong, ALICE, BOB));
  }

  private void malformed(String name, Bytes file) {
    ReferenceLedger log = log();
    PseudoGenesis good = SampleRemoval.purged(log, ledger, snapshot(log), ALICE, BOB);
    set.refuse("MALFORMED", of(name, good).with("file", file));
  }

  private void accept(String name, PseudoGenesis file) {
    set.accept(of(name, file));
  }

  private void refuse(String code, String name, PseudoGenesis file) {
    set.refuse(code, of(name, file));
  }

  private VectorCase of(String name, PseudoGenesis file) {
    return VectorCase.of("pseudo-genesis/" + name, "pseudoGenesis", name.replace('-', ' '))
        .with(ledger.strand())
        .with("chain", KeyChain.EMPTY.encode())
        .with("file", file.encode());
  }
}
