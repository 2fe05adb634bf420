package io.tallystick.testkit;

import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.removal.ErasureStatement;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.removal.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A log from which something was removed: journal 2 makes {@link #REGULATOR} a regulator, journals
/// 4 and 6 name {@link #CLUE}, journal 8 does not. What follows is the test's; the first that
/// follows is journal 10.
public final class SampleRemoval {
  public static final SeededSigner REGULATOR = SeededSigner.ed25519("regulator");
  public static final String CLUE = "customer 7";
  public static final String BASIS = "GDPR, Art. 17";
  public static final long DONE_MS = Fixtures.TIME_MS + 5_000;

  /// Of purges; over before {@link #DONE_MS}.
  public static final long RECALL_MS = 4_000;

  private SampleRemoval() {}

  public static ReferenceLedger log(Fixtures ledger) {
    return ReferenceLedger.found(ledger)
        .block(ledger.memberAdd(Role.REGULATOR, REGULATOR.publicKey()))
        .block(ledger.clued(1, CLUE))
        .block(ledger.clued(2, CLUE))
        .block(ledger.single(3));
  }

  public static JournalRef ref(ReferenceLedger log, int jsn) {
    return new JournalRef(new Jsn(jsn), Leaf.hash(log.leaf(jsn)));
  }

  public static Extension.Occult occult(ReferenceLedger log, Integer... jsns) {
    List<JournalRef> named = Stream.of(jsns).map(jsn -> ref(log, jsn)).toList();
    return new Extension.Occult(new ErasureTarget.Journals(named), BASIS);
  }

  /// A block of an occult of these by Alice and the regulator.
  public static ReferenceLedger occulted(Fixtures ledger, ReferenceLedger log, Integer... jsns) {
    return log.block(ledger.govern(Kind.OCCULT, occult(log, jsns), Fixtures.ALICE, REGULATOR));
  }

  /// A block of a time journal about the head before it, whose token is one byte.
  public static ReferenceLedger timed(Fixtures ledger, ReferenceLedger log) {
    return timed(ledger, log, Bytes.fromHex("30"));
  }

  /// The same with a token of the test's.
  public static ReferenceLedger timed(Fixtures ledger, ReferenceLedger log, Bytes token) {
    int size = log.size();
    Extension.Time time =
        new Extension.Time(
            new TreeSize(size), log.rootAt(size), Optional.empty(), new TimeProof.Token(token));
    return log.block(ledger.service(Kind.TIME, time, List.of(Fixtures.RECEIPT)));
  }

  public static ErasureStatement statement(ReferenceLedger log, int removal, int first, int count) {
    return new ErasureStatement(log.strand(), ref(log, removal), DONE_MS, new Jsn(first), count);
  }

  /// A certificate whose receipts are under the log's newest head, and whose key chain has journal
  /// 2 alone.
  public static RemovalCertificate certificate(
      ReferenceLedger log, int removal, ErasureStatement statement, Integer... targets) {
    return new RemovalCertificate(
        log.params(),
        statement.sign(Fixtures.RECEIPT),
        file(log, removal),
        log.attestation(removal),
        Stream.of(targets).map(jsn -> file(log, jsn)).toList(),
        Optional.empty(),
        log.chain(2).encode());
  }

  public static Bytes file(ReferenceLedger log, int jsn) {
    return log.receiptFile(jsn, log.size()).encode();
  }

  /// The certificate of an occult of journals 4 and 6 by journal 10, under time journal 12.
  public static RemovalCertificate certificate() {
    return certificate(BASIS);
  }

  /// The same on another basis.
  public static RemovalCertificate certificate(String basis) {
    Fixtures ledger = Fixtures.ledger();
    ReferenceLedger log = log(ledger);
    Extension occult = new Extension.Occult(occult(log, 4, 6).target(), basis);
    log.block(ledger.govern(Kind.OCCULT, occult, Fixtures.ALICE, REGULATOR));
    timed(ledger, log);
    return withTime(certificate(log, 10, statement(log, 10, 4, 2), 4, 6), file(log, 12));
  }

  public static Digest clueId(Fixtures ledger) {
    return Commitments.clueId(ledger.strand().ledger(), CLUE);
  }

  public static RemovalCertificate withStatement(RemovalCertificate given, Bytes statement) {
    return new RemovalCertificate(
        given.genesisParams(),
        statement,
        given.removal(),
        given.attestation(),
        given.targets(),
        given.time(),
        given.keyChain());
  }

  public static RemovalCertificate withRemoval(
      RemovalCertificate given, Bytes removal, Bytes attestation) {
    return new RemovalCertificate(
        given.genesisParams(),
        given.statement(),
        removal,
        attestation,
        given.targets(),
        given.time(),
        given.keyChain());
  }

  public static RemovalCertificate withTargets(RemovalCertificate given, List<Bytes> targets) {
    return new RemovalCertificate(
        given.genesisParams(),
        given.statement(),
        given.removal(),
        given.attestation(),
        targets,
        given.time(),
        given.keyChain());
  }

  public static RemovalCertificate withTime(RemovalCertificate given, Bytes time) {
    return new RemovalCertificate(
        given.genesisParams(),
        given.statement(),
        given.removal(),
        given.attestation(),
        given.targets(),
        Optional.of(time),
        given.keyChain());
  }

  public static RemovalCertificate withChain(RemovalCertificate given, KeyChain chain) {
    return new RemovalCertificate(
        given.genesisParams(),
        given.statement(),
        given.removal(),
        given.attestation(),
        given.targets(),
        given.time(),
        chain.encode());
  }

  /// What holds at the seal below `firstKept`, all of it right but who is affected.
  ///
  /// @param kept the jsns of what stays readable, genesis among them
  public static Snapshot snapshot(
      ReferenceLedger log,
      int firstKept,
      long height,
      List<Integer> kept,
      List<Digest> affected,
      List<Digest> absent) {
    return new Snapshot(
        log.params(),
        log.strand().strand(),
        new Jsn(firstKept),
        height,
        log.leaf(firstKept - 1),
        frontier(log, firstKept - 1),
        kept.stream().map(jsn -> kept(log, jsn, firstKept)).toList(),
        0,
        TreeHasher.EMPTY_ROOT,
        affected.stream().sorted().toList(),
        absent.stream().sorted().toList());
  }

  public static Snapshot.Kept kept(ReferenceLedger log, int jsn, int firstKept) {
    return new Snapshot.Kept(
        log.leaf(jsn), log.attestation(jsn), log.inclusion(jsn, firstKept).path());
  }

  private static List<Digest> frontier(ReferenceLedger log, int size) {
    List<Digest> frontier = new ArrayList<>();
    int first = 0;
    for (int width = Integer.highestOneBit(size); width > 0; width >>= 1) {
      if ((size & width) != 0) {
        List<Digest> leaves = new ArrayList<>();
        for (int jsn = first; jsn < first + width; jsn++) {
          leaves.add(Leaf.hash(log.leaf(jsn)));
        }
        frontier.add(TreeHasher.rootOverLeafHashes(leaves));
        first += width;
      }
    }
    return frontier;
  }

  /// A block of a purge that states a snapshot, and the pseudo-genesis of both.
  public static PseudoGenesis purged(
      ReferenceLedger log, Fixtures then, Snapshot snapshot, Signer... signers) {
    Extension purge =
        new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), RECALL_MS);
    log.block(then.govern(Kind.PURGE, purge, signers), then.timeMs(), false);
    int jsn = log.size() - 2;
    return new PseudoGenesis(snapshot.encode(), file(log, jsn), log.attestation(jsn));
  }

  /// The pseudo-genesis of the log whose prefix below jsn 8 went on the word of Alice, whose
  /// journals went.
  public static PseudoGenesis pseudoGenesis() {
    Fixtures ledger = Fixtures.ledger();
    ReferenceLedger log = log(ledger);
    return purged(log, ledger, snapshot(log), Fixtures.ALICE);
  }

  /// Of the log without what follows, at the seal of block 3, Alice being affected.
  public static Snapshot snapshot(ReferenceLedger log) {
    List<Digest> affected = List.of(Fixtures.ALICE.publicKey().kid());
    return snapshot(log, 8, 3, List.of(0, 2), affected, List.of());
  }
}
