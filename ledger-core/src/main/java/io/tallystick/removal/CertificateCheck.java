package io.tallystick.removal;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Verifies one certificate, in the order of `docs/formats/removal.md`. Not thread-safe.
final class CertificateCheck {
  private final RemovalCertificate certificate;
  private final StrandId strand;
  private final Signatures signatures;
  private final List<SignedHead> heads = new ArrayList<>();

  CertificateCheck(RemovalCertificate certificate, StrandId strand, Signatures signatures) {
    this.certificate = certificate;
    this.strand = strand;
    this.signatures = signatures;
  }

  RemovalCertificate.Verified verify() throws MalformedException, ProofRejectedException {
    ReceiptFile file = ReceiptFile.decode(certificate.removal());
    ShownJournal removal = ShownJournal.of(file.leaf());
    KeyChain.AtJournal chain =
        KeyChain.decode(certificate.keyChain())
            .verify(certificate.genesisParams(), strand, signatures, removal.jsn());
    ServiceKeys keys = chain.chain().keys();
    heads.addAll(chain.chain().heads());
    heads.add(file.verify(strand, keys, signatures));
    GenesisParams genesis = GenesisParams.decode(certificate.genesisParams());
    checkKind(removal, genesis);
    List<ShownMember> signers = chain.before().check(removal, certificate.attestation());
    ErasureStatement statement =
        ErasureStatement.verify(certificate.statement(), strand, keys, signatures);
    checkStatement(statement, removal);
    List<ShownJournal> targets = targets(keys);
    checkTargets(targets, removal, statement);
    if (removal.header().kind() == Kind.OCCULT) {
      RemovalSigners.checkRegulator(removal, signers, statement.first());
    }
    Optional<RemovalCertificate.CoveringTime> time = time(removal, keys);
    return new RemovalCertificate.Verified(
        strand, genesis, removal, signers, statement, targets, time, keys, heads);
  }

  private static void checkKind(ShownJournal removal, GenesisParams genesis)
      throws ProofRejectedException {
    Kind kind = removal.header().kind();
    if (kind != Kind.PURGE && kind != Kind.OCCULT) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE,
          String.format(
              Locale.ROOT, "journal %s is of kind %d, want 21 or 22", removal.jsn(), kind.code()));
    }
    if (genesis.features().contains(Feature.PERMANENT)) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT, "removal %s from a ledger with feature 5 (PERMANENT)", removal.jsn()));
    }
    Jsn highest = highest(removal.header().extension());
    if (highest.compareTo(removal.jsn()) >= 0) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT, "removal %s names jsn %s, not below it", removal.jsn(), highest));
    }
  }

  /// The highest jsn that may be removed.
  private static Jsn highest(Extension extension) {
    return switch (extension) {
      case Extension.Occult(ErasureTarget.Journals(List<JournalRef> named), String unused) ->
          named.getLast().jsn();
      case Extension.Occult(ErasureTarget.OfClue target, String unused) -> target.last();
      case Extension.Purge purge -> new Jsn(purge.firstKept().value() - 1);
      default -> throw new AssertionError("no removal: " + extension);
    };
  }

  private static void checkStatement(ErasureStatement statement, ShownJournal removal)
      throws ProofRejectedException {
    if (!statement.removal().jsn().equals(removal.jsn())) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "erasure by removal %s, shown is %s",
              statement.removal().jsn(),
              removal.jsn()));
    }
    if (!statement.removal().leafHash().equals(removal.leafHash())) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "erasure by a removal of leaf hash %s, shown is %s",
              statement.removal().leafHash(),
              removal.leafHash()));
    }
    long notBefore =
        switch (removal.header().extension()) {
          case Extension.Purge purge -> removal.timeMs() + purge.recallMs();
          default -> removal.timeMs();
        };
    if (statement.doneMs() < notBefore) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT,
              "erased at %s, not before %s",
              Printable.time(statement.doneMs()),
              Printable.time(notBefore)));
    }
  }

  private List<ShownJournal> targets(ServiceKeys keys)
      throws MalformedException, ProofRejectedException {
    List<ShownJournal> targets = new ArrayList<>(certificate.targets().size());
    for (Bytes encoded : certificate.targets()) {
      ReceiptFile file = ReceiptFile.decode(encoded);
      ShownJournal target = ShownJournal.of(file.leaf());
      heads.add(file.verify(strand, keys, signatures));
      if (!targets.isEmpty() && target.jsn().compareTo(targets.getLast().jsn()) <= 0) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN,
            String.format(
                Locale.ROOT, "target %s after target %s", target.jsn(), targets.getLast().jsn()));
      }
      targets.add(target);
    }
    return targets;
  }

  private static void checkTargets(
      List<ShownJournal> targets, ShownJournal removal, ErasureStatement statement)
      throws ProofRejectedException {
    switch (removal.header().extension()) {
      case Extension.Occult(ErasureTarget.Journals(List<JournalRef> named), String unused) -> {
        checkRange(statement, named.getFirst().jsn(), named.getFirst().jsn(), named.size());
        checkCount(targets, statement);
        checkNamed(targets, named);
      }
      case Extension.Occult(
              ErasureTarget.OfClue(Digest clueId, Jsn first, Jsn last),
              String unused) -> {
        checkRange(statement, first, last, last.value() - first.value() + 1);
        checkCount(targets, statement);
        checkClue(targets, statement, clueId, last);
      }
      case Extension.Purge purge -> {
        long end = statement.first().value() + statement.count();
        if (end != purge.firstKept().value()) {
          throw notOfRemoval(
              String.format(
                  Locale.ROOT, "erased up to jsn %d, first kept is %s", end, purge.firstKept()));
        }
        for (ShownJournal target : targets) {
          checkWithin(target, statement.first(), new Jsn(end - 1));
        }
      }
      default -> throw new AssertionError("no removal: " + removal.header().kind());
    }
  }

  /// @param countMax of form 1 also the least
  private static void checkRange(
      ErasureStatement statement, Jsn firstMin, Jsn firstMax, long countMax)
      throws ProofRejectedException {
    Jsn first = statement.first();
    boolean exact = firstMin.equals(firstMax) && statement.count() != countMax;
    if (first.compareTo(firstMin) < 0
        || first.compareTo(firstMax) > 0
        || statement.count() > countMax
        || exact) {
      throw notOfRemoval(
          String.format(
              Locale.ROOT,
              "%d journals from jsn %s on are erased, the removal names %d from %s on",
              statement.count(),
              first,
              countMax,
              firstMin));
    }
  }

  private static void checkCount(List<ShownJournal> targets, ErasureStatement statement)
      throws ProofRejectedException {
    long want = Math.min(statement.count(), RemovalCertificate.TARGETS_MAX);
    if (targets.size() != want) {
      throw new ProofRejectedException(
          Reason.MISSING, targets.size() + " target receipts, want " + want);
    }
  }

  private static void checkNamed(List<ShownJournal> targets, List<JournalRef> named)
      throws ProofRejectedException {
    for (int i = 0; i < named.size(); i++) {
      ShownJournal target = targets.get(i);
      checkWithin(target, named.get(i).jsn(), named.get(i).jsn());
      if (!target.leafHash().equals(named.get(i).leafHash())) {
        throw new ProofRejectedException(
            Reason.LEAF_MISMATCH,
            String.format(
                Locale.ROOT,
                "target %s has leaf hash %s, the removal names %s",
                target.jsn(),
                target.leafHash(),
                named.get(i).leafHash()));
      }
      checkErasable(target);
    }
  }

  private static void checkClue(
      List<ShownJournal> targets, ErasureStatement statement, Digest clueId, Jsn last)
      throws ProofRejectedException {
    if (!targets.getFirst().jsn().equals(statement.first())) {
      throw notOfRemoval(
          String.format(
              Locale.ROOT,
              "erased from jsn %s on, the first target is %s",
              statement.first(),
              targets.getFirst().jsn()));
    }
    for (ShownJournal target : targets) {
      checkWithin(target, statement.first(), last);
      if (!target.header().clueIds().contains(clueId)) {
        throw new ProofRejectedException(
            Reason.WRONG_CLUE,
            String.format(Locale.ROOT, "target %s does not name clue %s", target.jsn(), clueId));
      }
      checkErasable(target);
    }
  }

  private static void checkWithin(ShownJournal target, Jsn first, Jsn last)
      throws ProofRejectedException {
    if (target.jsn().compareTo(first) < 0 || target.jsn().compareTo(last) > 0) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT, "target %s, want %s to %s of this removal", target.jsn(), first, last));
    }
  }

  private static void checkErasable(ShownJournal target) throws ProofRejectedException {
    if (target.header().kind().governance()) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE,
          String.format(
              Locale.ROOT,
              "target %s is of kind %d, which stays",
              target.jsn(),
              target.header().kind().code()));
    }
  }

  private Optional<RemovalCertificate.CoveringTime> time(ShownJournal removal, ServiceKeys keys)
      throws MalformedException, ProofRejectedException {
    if (certificate.time().isEmpty()) {
      return Optional.empty();
    }
    ReceiptFile file = ReceiptFile.decode(certificate.time().get());
    ShownJournal journal = ShownJournal.of(file.leaf());
    heads.add(file.verify(strand, keys, signatures));
    if (!(journal.header().extension() instanceof Extension.Time content)) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "journal " + journal.jsn() + " is no time journal");
    }
    if (!content.size().covers(removal.jsn())) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          String.format(
              Locale.ROOT,
              "time journal %s is about size %s, which does not cover removal %s",
              journal.jsn(),
              content.size(),
              removal.jsn()));
    }
    return Optional.of(new RemovalCertificate.CoveringTime(journal, content));
  }

  private static ProofRejectedException notOfRemoval(String detail) {
    return new ProofRejectedException(Reason.LEAF_MISMATCH, detail);
  }
}
