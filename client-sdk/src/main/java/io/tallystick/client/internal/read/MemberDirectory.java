package io.tallystick.client.internal.read;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.Member;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.journal.FoundJournals;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.member.MemberTerms;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalFilter;
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
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The members, read from the ledger itself: the owners of genesis, and the keys that an owner's
/// journal added. The service's list only says where to look. That each owner was one is found by
/// going back through ever smaller jsns to genesis, once per member. For what the owners of genesis
/// signed by themselves the list is not asked for: whether one was revoked, or had expired, is then
/// not looked at. Thread-safe.
public final class MemberDirectory {
  private final LedgerCalls calls;
  private final JournalReader journals;
  private final TrustedLog log;
  private final Map<Digest, LedgerMember> founders;
  private final MemberHistory history;

  public MemberDirectory(LedgerCalls calls, JournalReader journals, TrustedLog log) {
    this.calls = calls;
    this.journals = journals;
    this.log = log;
    this.founders = founders(log);
    this.history = new MemberHistory(journals, log);
  }

  /// All members, revoked ones included, in the service's order.
  public List<LedgerMember> members() throws TallyException {
    List<LedgerMember> members = List.copyOf(claimed().values());
    for (LedgerMember member : members) {
      history.verify(member, members);
    }
    return members;
  }

  /// One member, verified in the ledger; empty if the service's list has none of this key.
  public Optional<LedgerMember> member(Digest kid) throws TallyException {
    Map<Digest, LedgerMember> claimed = claimed();
    LedgerMember member = claimed.get(kid);
    if (member != null) {
      history.verify(member, List.copyOf(claimed.values()));
    }
    return Optional.ofNullable(member);
  }

  public LedgerJournal journal(Jsn jsn) throws TallyException {
    return new Reading().verify(journals.fetch(jsn));
  }

  /// A journal as it was answered, once it is verified.
  ///
  /// @param keys of its signers, in their order
  public record Shown(LedgerJournal journal, JournalEntry entry, List<PublicKey> keys) {
    public Shown {
      keys = List.copyOf(keys);
    }
  }

  /// As {@link #journal}, with what shows it to others.
  public Shown shown(Jsn jsn) throws TallyException {
    JournalReader.Answer answer = journals.fetch(jsn);
    Reading reading = new Reading();
    LedgerJournal journal = reading.verify(answer);
    return new Shown(journal, answer.answer().getJournal(), reading.keys(journal));
  }

  /// One outcome for each, in their order.
  public List<JournalOutcome> journals(List<Jsn> jsns) throws TallyException {
    return outcomes(journals.fetch(jsns));
  }

  /// The journals that one call of a scan finds, each with its signatures.
  public FoundJournals scan(JournalFilter filter, Jsn from, int limit) throws TallyException {
    JournalReader.Scanned scanned = journals.scan(filter, from, limit);
    List<LedgerJournal> found = new ArrayList<>();
    for (JournalOutcome outcome : outcomes(scanned.answers())) {
      LedgerJournal journal = outcome.orThrow();
      JournalReader.Answer answer = scanned.answers().get(found.size());
      try {
        ScanCheck.checkFits(journal, answer.answer().getJournal(), filter);
      } catch (ProofRejectedException e) {
        throw log.refused(e);
      }
      found.add(journal);
    }
    return new FoundJournals(found, scanned.head().size(), scanned.scannedTo(), scanned.next());
  }

  private List<JournalOutcome> outcomes(List<JournalReader.Answer> answers) throws TallyException {
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

  /// @return null if somebody else than owners of genesis signed one of them, or an agent
  private @Nullable List<JournalOutcome> byFounders(List<JournalReader.Answer> answers)
      throws TallyException {
    List<JournalOutcome> outcomes = new ArrayList<>(answers.size());
    for (JournalReader.Answer answer : answers) {
      try {
        Optional<LedgerJournal> journal =
            journals.verifyAmong(answer, MemberHistory.keysAt(answer.jsn(), founders));
        if (journal.isEmpty() || journal.get().delegated()) {
          return null;
        }
        outcomes.add(new JournalOutcome.Found(journal.get()));
      } catch (VerificationException | RequestRefusedException e) {
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

    List<PublicKey> keys(LedgerJournal journal) {
      Map<Digest, LedgerMember> known = claimed == null ? founders : claimed;
      List<PublicKey> keys = new ArrayList<>();
      for (Digest kid : journal.signers()) {
        LedgerMember member = known.get(kid);
        keys.add(member == null ? serviceKey(journal, kid) : member.key());
      }
      return keys;
    }

    LedgerJournal verify(JournalReader.Answer answer) throws TallyException {
      if (claimed == null) {
        Optional<LedgerJournal> journal =
            journals.verifyAmong(answer, MemberHistory.keysAt(answer.jsn(), founders));
        if (journal.isPresent() && !journal.get().delegated()) {
          return journal.get();
        }
        claimed = claimed();
      }
      LedgerJournal journal = journals.verify(answer, MemberHistory.keysAt(answer.jsn(), claimed));
      List<LedgerMember> all = List.copyOf(claimed.values());
      List<LedgerMember> signers = new ArrayList<>();
      for (Digest kid : journal.signers()) {
        LedgerMember signer = claimed.get(kid);
        if (signer != null) {
          signers.add(signer);
        }
      }
      try {
        for (LedgerMember signer : signers) {
          history.checkSigner(signer, journal, all);
        }
        if (journal.header().isPresent()) {
          checkMark(journal, signers);
        }
      } catch (ProofRejectedException e) {
        throw log.refused(e);
      }
      return journal;
    }
  }

  /// A key by which a request of the service's own was verified.
  private PublicKey serviceKey(LedgerJournal journal, Digest kid) {
    return Stream.concat(
            log.trust().keys().terms().stream().map(ServiceKeys.Term::receiptKey),
            journal.header().stream()
                .map(RequestHeader::extension)
                .filter(Extension.KeyRotation.class::isInstance)
                .map(extension -> ((Extension.KeyRotation) extension).receiptKey()))
        .filter(key -> key.kid().equals(kid))
        .findFirst()
        .orElseThrow(() -> new AssertionError("verified by a key that is not known: " + kid));
  }

  /// The mark of a delegated key, neither dropped nor set at will. A key that is not delegated
  /// never was; whether one that is was so before its last grant is not known.
  private static void checkMark(LedgerJournal journal, List<LedgerMember> signers)
      throws ProofRejectedException {
    boolean may = signers.stream().anyMatch(signer -> signer.terms().delegated());
    boolean must =
        signers.stream()
            .anyMatch(signer -> signer.terms().delegated() && signer.knownAt(journal.jsn()));
    if (journal.delegated() ? !may : must) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "leaf %s is %smarked as of a delegated key",
              journal.jsn(),
              journal.delegated() ? "" : "not "));
    }
  }

  private static Map<Digest, LedgerMember> founders(TrustedLog log) {
    Map<Digest, LedgerMember> founders = new HashMap<>();
    for (PublicKey key : log.trust().genesis().owners()) {
      founders.put(key.kid(), new LedgerMember(key, Role.OWNER, new Jsn(0), Optional.empty()));
    }
    return Map.copyOf(founders);
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
    long granted = member.hasGrantedJsn() ? member.getGrantedJsn() : member.getAddedJsn();
    if (member.getAddedJsn() < 0 || member.getRevokedJsn() < 0 || granted < member.getAddedJsn()) {
      throw new MalformedException("jsn above 2^63-1, or granted before it was added");
    }
    MemberTerms terms =
        new MemberTerms(
            new Jsn(granted),
            member.hasNotAfterMs() ? OptionalLong.of(member.getNotAfterMs()) : OptionalLong.empty(),
            member.getDelegated(),
            optional("certDigest", member.getCertDigest()));
    return new LedgerMember(
        key,
        role,
        new Jsn(member.getAddedJsn()),
        member.hasRevokedJsn() ? Optional.of(new Jsn(member.getRevokedJsn())) : Optional.empty(),
        terms,
        optional("replacedBy", member.getReplacedBy()));
  }

  private static Optional<Digest> optional(String name, ByteString value)
      throws ProofRejectedException {
    return value.isEmpty() ? Optional.empty() : Optional.of(WireBytes.digest(name, value));
  }
}
