package io.tallystick.client.internal.read;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.member.MemberTerms;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.journal.Extension;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

/// Finds what the service says of members in the journals that made them so, each signed by an
/// owner, back to genesis. Of a signer whose role a later grant has changed it is not known which
/// it had: that it was an owner then is believed, which an audit is not content with. Thread-safe.
final class MemberHistory {
  private final JournalReader journals;
  private final TrustedLog log;
  // Verified once and for ever: journals do not change.
  private final ConcurrentMap<Jsn, LedgerJournal> verified = new ConcurrentHashMap<>();

  MemberHistory(JournalReader journals, TrustedLog log) {
    this.journals = journals;
    this.log = log;
  }

  /// Genesis has owners only; every other membership stands in a journal of an owner's.
  void verify(LedgerMember member, List<LedgerMember> all) throws TallyException {
    try {
      checkGranted(member, all);
      if (member.revokedJsn().isPresent()) {
        check(member.revokedJsn().get(), change -> revokes(change, member), member, all);
      }
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// Checks a signer by what held at the jsn of the journal; what came after is left out.
  ///
  /// @throws ProofRejectedException if its role then did not let it append, or it had expired
  void checkSigner(LedgerMember signer, LedgerJournal journal, List<LedgerMember> all)
      throws ProofRejectedException, TallyException {
    Jsn jsn = journal.jsn();
    if (!signer.knownAt(jsn)) {
      checkAdded(signer, all);
      return;
    }
    if (!signer.role().mayAppend()) {
      throw new ProofRejectedException(
          Reason.NOT_A_MEMBER,
          "member " + signer.kid() + " is " + signer.role() + " and may not append");
    }
    if (signer.terms().expiredAt(journal.timeMs())) {
      throw new ProofRejectedException(
          Reason.NOT_A_MEMBER,
          String.format(
              Locale.ROOT,
              "key %s had expired at %s, before %s, the time of journal %s",
              signer.kid(),
              Printable.time(signer.terms().notAfterMs().getAsLong()),
              Printable.time(journal.timeMs()),
              jsn));
    }
    checkGranted(signer, all);
  }

  private void checkGranted(LedgerMember member, List<LedgerMember> all)
      throws ProofRejectedException, TallyException {
    checkAdded(member, all);
    Jsn granted = member.terms().grantedJsn();
    if (!granted.equals(member.addedJsn())) {
      check(granted, change -> grants(change, member), member, all);
    }
  }

  private void checkAdded(LedgerMember member, List<LedgerMember> all)
      throws ProofRejectedException, TallyException {
    Jsn added = member.addedJsn();
    boolean changed = !member.terms().grantedJsn().equals(added);
    if (added.value() == 0) {
      boolean founder = log.trust().genesis().owners().contains(member.key());
      if (!founder || !(changed || isAsFounded(member))) {
        throw new ProofRejectedException(
            Reason.NOT_A_MEMBER, member.kid() + " is no owner of genesis");
      }
    } else {
      check(added, change -> changed ? adds(change, member) : made(change, member), member, all);
    }
  }

  private static boolean isAsFounded(LedgerMember member) {
    return member.role() == Role.OWNER
        && member.terms().equals(MemberTerms.asAdded(member.addedJsn()));
  }

  /// Whether a change gave the member's key the role and terms that it has now.
  private static boolean made(Extension change, LedgerMember member) {
    return grants(change, member)
        || (change.equals(new Extension.MemberAdd(member.role(), member.key()))
            && member.terms().equals(MemberTerms.asAdded(member.addedJsn())));
  }

  /// Whether a change brings the member's key in, with whatever role.
  private static boolean adds(Extension change, LedgerMember member) {
    return (change instanceof Extension.MemberAdd add && add.key().equals(member.key()))
        || (change instanceof Extension.Grant grant && grant.key().equals(member.key()));
  }

  private static boolean grants(Extension change, LedgerMember member) {
    return change instanceof Extension.Grant grant
        && grant.key().equals(member.key())
        && grant.role() == member.role()
        && grant.notAfterMs().equals(member.terms().notAfterMs())
        && grant.delegated() == member.terms().delegated()
        && grant.certDigest().equals(member.terms().certDigest());
  }

  private static boolean revokes(Extension change, LedgerMember member) {
    return member
        .replacedBy()
        .map(by ->
            change instanceof Extension.Grant grant
                && grant.replaces().equals(Optional.of(member.kid()))
                && grant.key().kid().equals(by))
        .orElseGet(() -> change.equals(new Extension.MemberRevoke(member.kid())));
  }

  private void check(
      Jsn jsn, Predicate<Extension> want, LedgerMember member, List<LedgerMember> all)
      throws ProofRejectedException, TallyException {
    LedgerJournal known = verified.get(jsn);
    LedgerJournal journal = known == null ? verifiedByOwner(jsn, all) : known;
    if (!journal.header().map(RequestHeader::extension).filter(want).isPresent()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH, "journal " + jsn + " does not say what is said of " + member);
    }
    verified.putIfAbsent(jsn, journal);
  }

  private LedgerJournal verifiedByOwner(Jsn jsn, List<LedgerMember> all)
      throws ProofRejectedException, TallyException {
    Map<Digest, LedgerMember> members = new HashMap<>();
    all.forEach(member -> members.put(member.kid(), member));
    LedgerJournal journal = journals.verify(journals.fetch(jsn), keysAt(jsn, members));
    boolean byOwner = false;
    for (Digest kid : journal.signers()) {
      LedgerMember signer = members.get(kid);
      if (signer != null) {
        // Added, and as far as it counts granted, before it signed: every step goes to a smaller
        // jsn, so this ends at genesis.
        checkSigner(signer, journal, all);
        byOwner |= signer.role() == Role.OWNER || !signer.knownAt(jsn);
      }
    }
    if (!byOwner) {
      throw new ProofRejectedException(
          Reason.NOT_A_MEMBER, "no owner signed the change of members at " + jsn);
    }
    return journal;
  }

  static KeyLookup keysAt(Jsn jsn, Map<Digest, LedgerMember> members) {
    return kid ->
        Optional.ofNullable(members.get(kid))
            .filter(member -> member.activeAt(jsn))
            .map(LedgerMember::key);
  }
}
