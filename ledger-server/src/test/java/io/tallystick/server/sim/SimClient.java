package io.tallystick.server.sim;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A client: makes submissions, right ones and wrong ones, and remembers what it sent.
final class SimClient {
  private static final List<Role> ROLES = List.of(Role.values());
  private static final int REMEMBERED = 64;
  private static final int CHECK_ONE_IN = 64;
  private static final int BURST_ONE_IN = 40;
  private static final int CLOSE_ONE_IN = 12;
  private static final long MINUTE_MS = 60_000;

  /// Of one submission, with their headers.
  private static final class Requests {
    private final List<RequestHeader> headers = new ArrayList<>();
    private final List<SignedRequest> signed = new ArrayList<>();
  }

  private final SplittableRandom random;
  private final List<Sent> past = new ArrayList<>();

  /// First jsns that answers named, by submission.
  private final Map<Sent, Long> told = new HashMap<>();

  /// Whether all it sends goes over one stream, on which neighbours share receipts.
  private final boolean streams;

  private final SimTimes times;
  private final boolean removes;
  private final SimRemovals removals;

  /// @param removes whether it also removes journals
  SimClient(SplittableRandom random, boolean removes) {
    this.random = random;
    this.removes = removes;
    this.removals = new SimRemovals(random);
    this.streams = random.nextBoolean();
    this.times = new SimTimes(random);
  }

  boolean streams() {
    return streams;
  }

  /// Many small submissions to send together, or nothing.
  List<Sent> burst(List<SimLedger> ledgers, long nowMs) {
    if (!streams || random.nextInt(BURST_ONE_IN) != 0) {
      return List.of();
    }
    SimLedger ledger = ledgers.get(random.nextInt(ledgers.size()));
    int count = 2 + random.nextInt(random.nextInt(4 * BURST_ONE_IN) == 0 ? 900 : 12);
    List<Sent> burst = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int journals = random.nextInt(8) == 0 ? 2 + random.nextInt(4) : 1;
      burst.add(remember(appends(ledger, journals, nowMs)));
    }
    return burst;
  }

  SplittableRandom random() {
    return random;
  }

  /// Something to send: new, or like what was sent before.
  Sent next(List<SimLedger> ledgers, long nowMs) {
    int choice = random.nextInt(100);
    if (choice < 12 && !past.isEmpty()) {
      return anyPast();
    }
    if (choice < 18 && !past.isEmpty()) {
      return remember(withOtherSigners(anyPast()));
    }
    SimLedger ledger = ledgers.get(random.nextInt(ledgers.size()));
    if (choice < 20 && ledger.founded()) {
      return remember(times.make(ledger, nowMs));
    }
    if (choice < 26) {
      return remember(governance(ledger, nowMs));
    }
    if (removes && choice < 31 && ledger.founded()) {
      return remember(removal(ledger, nowMs));
    }
    int count = choice < 42 ? 2 + random.nextInt(random.nextInt(8) == 0 ? 30 : 5) : 1;
    return remember(appends(ledger, count, nowMs));
  }

  private Sent anyPast() {
    // Mostly something recent: what is old has expired.
    int last = past.size() - 1;
    return past.get(
        random.nextBoolean() ? Math.max(0, last - random.nextInt(4)) : random.nextInt(last + 1));
  }

  private Sent remember(Sent sent) {
    if (past.size() == REMEMBERED) {
      told.remove(past.removeFirst());
    }
    past.add(sent);
    return sent;
  }

  /// An answer came, perhaps for the second time: a submission has one place for ever.
  void told(Sent sent, long firstJsn) {
    sent.answered = true;
    Long before = told.put(sent, firstJsn);
    Violation.unless(
        before == null || before == firstJsn,
        "a submission was answered with jsn %s, before with %s",
        firstJsn,
        before);
  }

  private Sent appends(SimLedger ledger, int count, long nowMs) {
    int strand = random.nextInt(200) == 0 ? 1 : 0;
    StrandId to = new StrandId(ledger.strand.ledger(), strand);
    Requests requests = new Requests();
    for (int i = 0; i < count; i++) {
      List<SimLedger.Clue> clues = clues(ledger);
      boolean deletes = clues.size() == 1 && random.nextInt(10) == 0;
      byte[] payload = new byte[random.nextInt(random.nextInt(20) == 0 ? 3_000 : 120)];
      random.nextBytes(payload);
      Kind kind = deletes ? Kind.CLUE_DELETE : Kind.APPEND;
      List<DraftOp> ops = deletes ? List.of() : ops(ledger);
      add(to, kind, Bytes.wrap(payload), clues, ops, new Extension.None(), nowMs, requests);
    }
    return submission(ledger, to, requests.headers, requests.signed, signers(ledger));
  }

  /// Mostly none; the first one more often than the others. Now and then where none is taken, or
  /// not yet.
  private List<SimLedger.Clue> clues(SimLedger ledger) {
    if (random.nextInt(ledger.takesCluesSoon() ? 2 : 100) != 0) {
      return List.of();
    }
    List<SimLedger.Clue> clues = new ArrayList<>();
    for (int i = 0; i < ledger.clues.size(); i++) {
      if (random.nextInt(i == 0 ? 2 : 8) == 0) {
        clues.add(ledger.clues.get(i));
      }
    }
    return clues;
  }

  /// Now and then where none is taken.
  private List<DraftOp> ops(SimLedger ledger) {
    if (random.nextInt(ledger.hasState() ? 2 : 200) != 0) {
      return List.of();
    }
    List<DraftOp> ops = new ArrayList<>();
    int keys = ledger.stateKeys.size();
    int first = random.nextInt(keys);
    for (int i = random.nextInt(4); i >= 0; i--) {
      Bytes key = ledger.stateKeys.get((first + i) % keys);
      Precondition precondition = precondition(ledger.history.state().newest().get(key));
      byte[] value = new byte[random.nextInt(60)];
      random.nextBytes(value);
      ops.add(
          random.nextInt(4) == 0
              ? new DraftOp.Delete(key, precondition)
              : new DraftOp.Put(key, Bytes.wrap(value), precondition));
    }
    return ops;
  }

  /// Mostly none; of the others many hold if nobody was faster.
  private Precondition precondition(SimState.@Nullable Held held) {
    Digest commit = held == null ? null : held.entry().valueCommit().orElse(null);
    return switch (random.nextInt(9)) {
      case 0 -> new Precondition.IfAbsent();
      case 1 -> new Precondition.IfVersion(held == null ? new Jsn(2) : held.entry().jsn());
      case 2 -> new Precondition.IfCommit(commit == null ? Digest.ZERO : commit);
      default -> new Precondition.None();
    };
  }

  private Sent governance(SimLedger ledger, long nowMs) {
    FakeSignatures.Key key = anyKey(ledger);
    Requests requests = new Requests();
    switch (random.nextInt(13)) {
      case 12 -> govern(ledger, Kind.KEY_ROTATION, rotation(ledger), nowMs, requests);
      case 0 -> {
        long firstHeight = 1 + Math.max(0, ledger.history.nextHeight() + random.nextInt(-1, 4));
        Extension on = new Extension.Parameters(firstHeight, Set.of(Feature.CLUE_TRIE));
        govern(ledger, Kind.PARAMETERS, on, nowMs, requests);
      }
      case 1, 2 ->
          govern(
              ledger, Kind.MEMBER_REVOKE, new Extension.MemberRevoke(key.kid()), nowMs, requests);
      case 3, 4, 5, 6, 7 -> govern(ledger, Kind.GRANT, grant(ledger, key, nowMs), nowMs, requests);
      case 8 -> {
        if (random.nextInt(CLOSE_ONE_IN) == 0) {
          return closing(ledger, nowMs, requests);
        }
        govern(ledger, Kind.GRANT, grant(ledger, key, nowMs), nowMs, requests);
      }
      default -> {
        Role role = ROLES.get(random.nextInt(ROLES.size()));
        Extension add = new Extension.MemberAdd(role, key.publicKey());
        govern(ledger, Kind.MEMBER_ADD, add, nowMs, requests);
      }
    }
    List<FakeSignatures.Key> signers =
        random.nextInt(8) == 0 ? signers(ledger) : List.of(memberKey(ledger, true));
    return submission(ledger, ledger.strand, requests.headers, requests.signed, signers);
  }

  private Sent removal(SimLedger ledger, long nowMs) {
    Requests requests = new Requests();
    SimRemovals.Wanted wanted = removals.draw(ledger);
    govern(ledger, wanted.kind(), wanted.extension(), nowMs, requests);
    return submission(ledger, ledger.strand, requests.headers, requests.signed, wanted.signers());
  }

  /// To a pair of the service's, or one key of it alone; now and then to a key that was there
  /// before, is a member's or nobody's.
  private Extension rotation(SimLedger ledger) {
    List<SimPairs.Pair> pairs = ledger.pairs.plain();
    SimPairs.Pair next = pairs.get(random.nextInt(pairs.size()));
    PublicKey note = next.note().publicKey();
    PublicKey receipt = next.receipt().publicKey();
    return switch (random.nextInt(10)) {
      case 0 -> new Extension.KeyRotation(ledger.serviceKeys.noteKey(), receipt);
      case 1 -> new Extension.KeyRotation(note, ledger.serviceKeys.receiptKey());
      case 2 -> new Extension.KeyRotation(anyKey(ledger).publicKey(), receipt);
      case 3 -> new Extension.KeyRotation(note, FakeSignatures.key(random).publicKey());
      default -> new Extension.KeyRotation(note, receipt);
    };
  }

  /// Mostly lasting; some have expired or soon will.
  private Extension grant(SimLedger ledger, FakeSignatures.Key key, long nowMs) {
    OptionalLong notAfterMs =
        random.nextInt(3) == 0
            ? OptionalLong.of(nowMs - 1_000 + random.nextLong(MINUTE_MS))
            : OptionalLong.empty();
    Digest other = memberKey(ledger, false).kid();
    boolean replaces = random.nextInt(6) == 0 && !other.equals(key.kid());
    return new Extension.Grant(
        ROLES.get(random.nextInt(ROLES.size())),
        key.publicKey(),
        notAfterMs,
        replaces ? Optional.of(other) : Optional.empty(),
        random.nextInt(3) == 0,
        random.nextInt(40) == 0 ? Optional.of(other) : Optional.empty());
  }

  /// By all owners there are, or by all but one.
  private Sent closing(SimLedger ledger, long nowMs, Requests requests) {
    govern(ledger, Kind.CLOSE, Extension.Close.INSTANCE, nowMs, requests);
    Set<Digest> owners = new MemberRules(ledger, ledger.members, 0, nowMs).owners();
    List<FakeSignatures.Key> signers =
        new ArrayList<>(ledger.keys.stream().filter(key -> owners.contains(key.kid())).toList());
    if (signers.isEmpty()) {
      signers.add(anyKey(ledger));
    }
    if (signers.size() > 1 && random.nextBoolean()) {
      signers.remove(random.nextInt(signers.size()));
    }
    return submission(ledger, ledger.strand, requests.headers, requests.signed, signers);
  }

  private void govern(
      SimLedger ledger, Kind kind, Extension extension, long nowMs, Requests requests) {
    add(ledger.strand, kind, Bytes.EMPTY, List.of(), List.of(), extension, nowMs, requests);
  }

  private void add(
      StrandId to,
      Kind kind,
      Bytes payload,
      List<SimLedger.Clue> clues,
      List<DraftOp> drafts,
      Extension extension,
      long nowMs,
      Requests requests) {
    List<String> names = clues.stream().map(SimLedger.Clue::name).toList();
    Bytes salt = SimLedger.bytes32(random);
    List<Bytes> values = new ArrayList<>();
    List<Op> committed = new ArrayList<>();
    for (int i = 0; i < drafts.size(); i++) {
      committed.add(drafts.get(i).commit(salt, i));
      if (drafts.get(i) instanceof DraftOp.Put put) {
        values.add(put.value());
      }
    }
    Ops ops = new Ops(committed);
    Bytes body = new Body(payload, "", names, values).encode();
    long clientTimeMs = clientTime(nowMs);
    RequestHeader header =
        new RequestHeader(
            to,
            kind,
            past.size(),
            clientTimeMs,
            clientTimeMs + window(),
            Commitments.body(salt, body),
            body.size(),
            clues.stream().map(SimLedger.Clue::id).toList(),
            ops.root(),
            ops.size(),
            extension);
    requests.headers.add(header);
    requests.signed.add(new SignedRequest(header.encode(), salt, body, ops.encode()));
  }

  /// Most clocks are right; some are far behind or ahead.
  private long clientTime(long nowMs) {
    return switch (random.nextInt(50)) {
      case 0 -> nowMs - random.nextLong(2 * MINUTE_MS);
      case 1 -> nowMs + random.nextLong(2 * MINUTE_MS);
      default -> nowMs - random.nextLong(1_000);
    };
  }

  private long window() {
    return switch (random.nextInt(50)) {
      case 0 -> MINUTE_MS + random.nextLong(2 * MINUTE_MS);
      case 1, 2, 3 -> random.nextLong(2_000);
      default -> MINUTE_MS - random.nextLong(10_000);
    };
  }

  private FakeSignatures.Key anyKey(SimLedger ledger) {
    return ledger.keys.get(random.nextInt(ledger.keys.size()));
  }

  /// One to three keys; mostly of members, of which some may not append, or no more.
  private List<FakeSignatures.Key> signers(SimLedger ledger) {
    int count = random.nextInt(6) == 0 ? 2 + random.nextInt(2) : 1;
    List<FakeSignatures.Key> signers = new ArrayList<>(count);
    for (int tries = 0; signers.size() < count && tries < 20; tries++) {
      FakeSignatures.Key key = random.nextInt(10) < 9 ? memberKey(ledger, false) : anyKey(ledger);
      if (!signers.contains(key)) {
        signers.add(key);
      }
    }
    return signers;
  }

  /// A key whose signature counts now, if chance finds one.
  private FakeSignatures.Key memberKey(SimLedger ledger, boolean owner) {
    FakeSignatures.Key key = anyKey(ledger);
    for (int tries = 0; tries < 40; tries++) {
      SimLedger.KnownMember member = ledger.members.get(key.kid());
      boolean good =
          member != null
              && !member.revoked()
              && (owner ? member.role() == Role.OWNER : member.role().mayAppend());
      if (good) {
        return key;
      }
      key = ledger.founded() ? anyKey(ledger) : ledger.keys.getFirst();
    }
    return key;
  }

  /// The same requests with a co-signer more or one less: no repeat, and no new submission either.
  private Sent withOtherSigners(Sent sent) {
    List<FakeSignatures.Key> signers = new ArrayList<>(sent.signers);
    if (signers.size() > 1 && random.nextBoolean()) {
      signers.remove(random.nextInt(signers.size()));
    } else {
      FakeSignatures.Key more = anyKey(sent.ledger);
      if (signers.contains(more)) {
        return sent;
      }
      signers.add(more);
    }
    return submission(
        sent.ledger,
        sent.verified.strand(),
        sent.verified.headers(),
        sent.verified.requests(),
        signers);
  }

  private Sent submission(
      SimLedger ledger,
      StrandId to,
      List<RequestHeader> headers,
      List<SignedRequest> requests,
      List<FakeSignatures.Key> signers) {
    List<Digest> hashes =
        requests.stream().map(request -> RequestHeader.hash(request.header())).toList();
    boolean batch = requests.size() > 1;
    Bytes payload = batch ? BatchRoot.over(hashes).digest().toBytes() : hashes.getFirst().toBytes();
    Attestation attestation =
        batch
            ? RequestSigner.signBatch(to, hashes, signers)
            : RequestSigner.sign(to, hashes.getFirst(), signers);
    List<AttestationVerifier.Signer> verified = new ArrayList<>(signers.size());
    for (CoseSign1 signature : attestation.signatures()) {
      verified.add(new AttestationVerifier.Signer(kid(signature), signature.signatureId(payload)));
    }
    Bytes encoded = attestation.encode();
    VerifiedSubmission submission =
        new VerifiedSubmission(
            to,
            requests,
            headers,
            hashes,
            attestation,
            encoded,
            Attestation.hash(encoded),
            verified);
    boolean forProxy = headers.getFirst().kind() != Kind.TIME; // which takes none from a client
    if (forProxy && random.nextInt(CHECK_ONE_IN) == 0) {
      checkAsProxy(ledger, submission);
    }
    return new Sent(ledger, submission, List.copyOf(signers));
  }

  private static Digest kid(CoseSign1 signature) {
    try {
      return ProtectedHeader.kid(signature.protectedHeader());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// What is put together here without a proxy is what a proxy would let through.
  private static void checkAsProxy(SimLedger ledger, VerifiedSubmission submission) {
    try {
      VerifiedSubmission verified =
          new SubmissionVerifier(
                  new FakeSignatures(), Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST))
              .verify(
                  submission.strand(),
                  submission.requests(),
                  submission.attestationBytes(),
                  kid ->
                      ledger.keys.stream()
                          .filter(key -> key.kid().equals(kid))
                          .map(FakeSignatures.Key::publicKey)
                          .findFirst()
                          .or(Optional::empty));
      Violation.unless(verified.equals(submission), "a proxy sees another submission");
    } catch (RequestRejectedException e) {
      throw new AssertionError("a proxy would refuse this", e);
    }
  }
}
