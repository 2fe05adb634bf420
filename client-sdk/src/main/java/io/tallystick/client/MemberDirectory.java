package io.tallystick.client;

import io.tallystick.api.v1.Member;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// The members, read from the ledger itself: the owners of genesis, and the keys that an owner's
/// journal added. The service's list only says where to look. That each owner was one is found by
/// going back through ever smaller jsns to genesis, once per member. Thread-safe.
final class MemberDirectory {
  private final LedgerCalls calls;
  private final JournalReader journals;
  private final TrustedLog log;
  private final Map<Digest, LedgerMember> founders;
  // Verified once and for ever: journals do not change.
  private final ConcurrentMap<Jsn, LedgerJournal> verified = new ConcurrentHashMap<>();

  MemberDirectory(LedgerCalls calls, JournalReader journals, TrustedLog log) {
    this.calls = calls;
    this.journals = journals;
    this.log = log;
    this.founders = founders(log);
  }

  /// All members, revoked ones included, in the service's order.
  List<LedgerMember> members() throws TallyException {
    List<LedgerMember> members = List.copyOf(claimed().values());
    for (LedgerMember member : members) {
      verify(member, members);
    }
    return members;
  }

  LedgerJournal journal(Jsn jsn) throws TallyException {
    return new Reading().verify(journals.fetch(jsn));
  }

  /// One outcome for each, in their order.
  List<JournalOutcome> journals(List<Jsn> jsns) throws TallyException {
    List<JournalReader.Answer> answers = journals.fetch(jsns);
    // For all of them or for none: what is said of one must not hang on the others' order.
    List<JournalOutcome> byFounders = byFounders(answers);
    if (byFounders != null) {
      return byFounders;
    }
    Reading reading = new Reading();
    reading.askForMembers();
    List<JournalOutcome> outcomes = new ArrayList<>(answers.size());
    for (JournalReader.Answer answer : answers) {
      try {
        outcomes.add(new JournalOutcome.Found(reading.verify(answer)));
      } catch (VerificationException | RequestRefusedException e) {
        outcomes.add(new JournalOutcome.Failed(answer.jsn(), e));
      }
    }
    return outcomes;
  }

  /// @return null if somebody else than owners of genesis signed one of them
  private @Nullable List<JournalOutcome> byFounders(List<JournalReader.Answer> answers)
      throws TallyException {
    List<JournalOutcome> outcomes = new ArrayList<>(answers.size());
    for (JournalReader.Answer answer : answers) {
      try {
        LedgerJournal journal = journals.verify(answer, keysAt(answer.jsn(), founders));
        outcomes.add(new JournalOutcome.Found(journal));
      } catch (VerificationException e) {
        if (e.reason() == Reason.NOT_A_MEMBER) {
          return null;
        }
        outcomes.add(new JournalOutcome.Failed(answer.jsn(), e));
      } catch (RequestRefusedException e) {
        outcomes.add(new JournalOutcome.Failed(answer.jsn(), e));
      }
    }
    return outcomes;
  }

  /// Journals that were asked for together. Genesis and the journals of its owners need no list of
  /// members; for the others it is asked for once.
  private final class Reading {
    private @Nullable Map<Digest, LedgerMember> claimed;

    void askForMembers() throws TallyException {
      claimed = claimed();
    }

    LedgerJournal verify(JournalReader.Answer answer) throws TallyException {
      if (claimed == null) {
        try {
          return journals.verify(answer, keysAt(answer.jsn(), founders));
        } catch (VerificationException e) {
          if (e.reason() != Reason.NOT_A_MEMBER) {
            throw e;
          }
        }
        claimed = claimed();
      }
      LedgerJournal journal = journals.verify(answer, keysAt(answer.jsn(), claimed));
      List<LedgerMember> all = List.copyOf(claimed.values());
      for (Digest kid : journal.signers()) {
        LedgerMember signer = claimed.get(kid);
        if (signer != null) {
          checkMayAppend(signer);
          MemberDirectory.this.verify(signer, all);
        }
      }
      return journal;
    }
  }

  private void checkMayAppend(LedgerMember signer) throws VerificationException {
    if (!signer.role().mayAppend()) {
      throw log.refused(
          new ProofRejectedException(
              Reason.NOT_A_MEMBER,
              "member " + signer.kid() + " is " + signer.role() + " and may not append"));
    }
  }

  private static KeyLookup keysAt(Jsn jsn, Map<Digest, LedgerMember> members) {
    return kid ->
        Optional.ofNullable(members.get(kid))
            .filter(member -> member.activeAt(jsn))
            .map(LedgerMember::key);
  }

  private static Map<Digest, LedgerMember> founders(TrustedLog log) {
    Map<Digest, LedgerMember> founders = new HashMap<>();
    for (PublicKey key : log.trust().genesis().owners()) {
      founders.put(key.kid(), new LedgerMember(key, Role.OWNER, new Jsn(0), Optional.empty()));
    }
    return Map.copyOf(founders);
  }

  /// Genesis has owners only; every other membership stands in a journal of an owner's.
  private void verify(LedgerMember member, List<LedgerMember> all) throws TallyException {
    try {
      if (member.addedJsn().value() == 0) {
        checkFounder(member);
      } else {
        Extension want = new Extension.MemberAdd(member.role(), member.key());
        checkGovernance(member.addedJsn(), want, all);
      }
      if (member.revokedJsn().isPresent()) {
        Extension want = new Extension.MemberRevoke(member.kid());
        checkGovernance(member.revokedJsn().get(), want, all);
      }
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private void checkFounder(LedgerMember member) throws ProofRejectedException {
    if (member.role() != Role.OWNER || !log.trust().genesis().owners().contains(member.key())) {
      throw new ProofRejectedException(
          Reason.NOT_A_MEMBER, member.kid() + " is no owner of genesis");
    }
  }

  private void checkGovernance(Jsn jsn, Extension want, List<LedgerMember> all)
      throws ProofRejectedException, TallyException {
    LedgerJournal known = verified.get(jsn);
    LedgerJournal journal = known == null ? verifiedByOwner(jsn, all) : known;
    Optional<Extension> actual = journal.header().map(RequestHeader::extension);
    if (!actual.equals(Optional.of(want))) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH, "journal " + jsn + " does not say " + want);
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
        // Added before it signed: every step goes to a smaller jsn, so this ends at genesis.
        verify(unrevoked(signer), all);
        byOwner |= signer.role() == Role.OWNER;
      }
    }
    if (!byOwner) {
      throw new ProofRejectedException(
          Reason.NOT_A_MEMBER, "no owner signed the change of members at " + jsn);
    }
    return journal;
  }

  private static LedgerMember unrevoked(LedgerMember member) {
    return new LedgerMember(member.key(), member.role(), member.addedJsn(), Optional.empty());
  }

  private Map<Digest, LedgerMember> claimed() throws TallyException {
    Map<Digest, LedgerMember> members = new LinkedHashMap<>();
    try {
      for (Member member : calls.members().getMembersList()) {
        LedgerMember read = member(member);
        if (members.put(read.kid(), read) != null) {
          throw new ProofRejectedException(Reason.MALFORMED, "member " + read.kid() + " twice");
        }
      }
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw log.refused(
          new ProofRejectedException(Reason.MALFORMED, "members: " + e.getMessage(), e));
    }
    return members;
  }

  private static LedgerMember member(Member member)
      throws MalformedException, ProofRejectedException {
    PublicKey key = PublicKey.ofSpki(WireBytes.bytes(member.getSpki()));
    if (!key.kid().equals(WireBytes.digest("kid", member.getKid()))) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY, "kid " + key.kid() + " is not the one listed");
    }
    Role role =
        Role.ofCode(member.getRole())
            .orElseThrow(() -> new MalformedException("role " + member.getRole()));
    if (member.getAddedJsn() < 0 || member.getRevokedJsn() < 0) {
      throw new MalformedException("jsn above 2^63-1");
    }
    return new LedgerMember(
        key,
        role,
        new Jsn(member.getAddedJsn()),
        member.hasRevokedJsn() ? Optional.of(new Jsn(member.getRevokedJsn())) : Optional.empty());
  }
}
