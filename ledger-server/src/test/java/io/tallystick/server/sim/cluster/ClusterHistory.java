package io.tallystick.server.sim.cluster;

import io.tallystick.cbor.CborReader;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.ReceiptProtected;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.KeptProposal;
import io.tallystick.note.Checkpoint;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.FakeSignatures;
import io.tallystick.server.sim.GrowingTree;
import io.tallystick.server.sim.Violation;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// All that servers have signed and clients were told, and what follows from it: one history, in
/// which everything acknowledged is, and that no answer contradicts.
final class ClusterHistory {
  private final FakeSignatures signatures = new FakeSignatures();
  private final Map<LedgerId, Log> logs = new LinkedHashMap<>();
  private final Map<ClusterLedger.Request, Long> places = new HashMap<>();
  private final Map<Digest, Fate> proposals = new LinkedHashMap<>();

  /// What is known of a ledger's log.
  private static final class Log {
    private final ClusterLedger ledger;
    private final TreeMap<Long, Digest> signed = new TreeMap<>();
    private final TreeMap<Long, Digest> acknowledged = new TreeMap<>();
    private boolean founded;
    private long known;

    Log(ClusterLedger ledger) {
      this.ledger = ledger;
    }
  }

  /// A proposal that was acknowledged, and whose signatures were.
  private record Fate(KeptProposal first, Set<Digest> signers) {}

  void add(ClusterLedger ledger) {
    logs.put(ledger.strand.ledger(), new Log(ledger));
  }

  private Log log(StrandId strand) {
    Log log = logs.get(strand.ledger());
    if (log == null) {
      throw new Violation("no ledger " + strand);
    }
    return log;
  }

  // What servers sign.

  /// A receipt key is about to sign.
  void signingReceipt(byte[] message) {
    CborReader in = new CborReader(message);
    try {
      in.array("Sig_structure", 4);
      in.text();
      Bytes header = Bytes.wrap(in.bytes());
      in.bytes();
      Digest root = Digest.of(in.bytes());
      ReceiptProtected head = ProtectedHeader.decode(header, ReceiptProtected.class);
      signed(log(head.strand()), head.treeSize().value(), root);
    } catch (MalformedException | ProofRejectedException e) {
      throw new Violation("the receipt key signs what is no head", e);
    }
  }

  /// A note key is about to sign.
  void signingNote(byte[] message) {
    try {
      Checkpoint checkpoint = Checkpoint.parse(new String(message, StandardCharsets.UTF_8));
      for (Log log : logs.values()) {
        if (log.ledger.founding.params().origin(0).equals(checkpoint.origin())) {
          signed(log, checkpoint.size().value(), checkpoint.root().digest());
        }
      }
    } catch (MalformedException e) {
      throw new Violation("the note key signs what is no checkpoint", e);
    }
  }

  private static void signed(Log log, long size, Digest root) {
    Digest other = log.signed.putIfAbsent(size, root);
    Violation.unless(
        other == null || other.equals(root),
        "two heads of %s with size %s were signed: %s and %s",
        log.ledger.strand,
        size,
        other,
        root);
  }

  // What clients are told.

  void founded(ClusterLedger ledger) {
    log(ledger.strand).founded = true;
  }

  boolean isFounded(ClusterLedger ledger) {
    return log(ledger.strand).founded;
  }

  /// The largest size that a client has a head of.
  long known(ClusterLedger ledger) {
    return log(ledger.strand).known;
  }

  void receipted(ClusterLedger.Request request, Receipted answer) {
    Log log = log(request.ledger().strand);
    Bytes leaf = request.leaf(answer.committed());
    try {
      SignedHead head =
          RangeReceipt.decode(answer.rangeReceipt())
              .verify(List.of(leaf), log.ledger.strand, log.ledger.serviceKeys, signatures);
      log.known = Math.max(log.known, head.size().value());
    } catch (MalformedException | ProofRejectedException e) {
      throw new Violation("a receipt does not verify", e);
    }
    long jsn = answer.committed().firstJsn();
    Long before = places.put(request, jsn);
    Violation.unless(
        before == null || before == jsn, "a request has jsn %s, and had %s", jsn, before);
    Digest hash = TreeHasher.leafHash(leaf);
    Digest other = log.acknowledged.putIfAbsent(jsn, hash);
    Violation.unless(
        other == null || other.equals(hash), "two journals were acknowledged as jsn %s", jsn);
  }

  /// @param known what was known when the head was asked for
  void newest(ClusterLedger ledger, Bytes checkpoint, long known) {
    Log log = log(ledger.strand);
    try {
      SignedHead head =
          Checkpoint.verify(checkpoint, ledger.strand, ledger.serviceKeys, signatures);
      Violation.unless(
          head.size().value() >= known,
          "the newest head of %s has size %s, and one of size %s was known before",
          ledger.strand,
          head.size(),
          known);
      log.known = Math.max(log.known, head.size().value());
    } catch (ProofRejectedException e) {
      throw new Violation("a checkpoint does not verify", e);
    }
  }

  /// Something was refused that exists.
  static Violation denied(String what, RequestRejectedException refusal) {
    return new Violation(what + " was known, and is refused: " + refusal.code(), refusal);
  }

  void proposed(KeptProposal proposal) {
    proposals.put(
        proposal.requestHash(), new Fate(proposal, new TreeSet<>(proposal.proposal().signers())));
  }

  void signed(KeptProposal after, Digest signer) {
    Fate fate = proposals.get(after.requestHash());
    if (fate != null) {
      fate.signers.add(signer);
    }
  }

  List<KeptProposal> proposals() {
    return proposals.values().stream().map(Fate::first).toList();
  }

  int acknowledged() {
    return logs.values().stream().mapToInt(log -> log.acknowledged.size()).sum();
  }

  // The end.

  /// Compares all of it with the log as it is in the end.
  void check(Shard shard) throws IOException, CorruptStreamException, RequestRejectedException {
    for (Log log : logs.values()) {
      if (shard.sequencer().head(log.ledger.strand.ledger()) == null) {
        Violation.unless(
            !log.founded && log.signed.isEmpty(), "ledger %s is gone", log.ledger.strand);
      } else {
        check(log, shard.indexer().strand(log.ledger.strand));
      }
    }
    for (Fate fate : proposals.values()) {
      KeptProposal kept =
          shard
              .tables()
              .proposals()
              .find(fate.first.ledger(), fate.first.requestHash())
              .orElseThrow(() -> new Violation("a proposal is gone"));
      Violation.unless(
          new HashSet<>(kept.proposal().signers()).containsAll(fate.signers),
          "a signature of a proposal is gone: %s of %s",
          kept.proposal().signers().size(),
          fate.signers.size());
    }
  }

  private static void check(Log log, StrandIndex strand)
      throws IOException, CorruptStreamException {
    long size = strand.head().size();
    GrowingTree tree = new GrowingTree();
    List<Digest> leaves = new ArrayList<>();
    Set<Digest> all = new HashSet<>();
    for (long jsn = 0; jsn < size; jsn++) {
      Digest leaf = strand.accumulator().leafHash(jsn);
      tree.add(leaf);
      leaves.add(leaf);
      Violation.unless(all.add(leaf), "leaf %s is in the log twice", jsn);
    }
    log.signed.forEach((signed, root) -> {
      Violation.unless(
          signed <= size,
          "a head of %s with size %s was signed, the log ends at %s",
          log.ledger.strand,
          signed,
          size);
      Violation.unless(
          tree.rootAt(signed).equals(root),
          "the head of %s with size %s was signed with another root",
          log.ledger.strand,
          signed);
    });
    log.acknowledged.forEach((jsn, leaf) ->
        Violation.unless(
            jsn < size && leaves.get(Math.toIntExact(jsn)).equals(leaf),
            "jsn %s of %s was acknowledged and is not in the log of size %s",
            jsn,
            log.ledger.strand,
            size));
  }
}
