package io.tallystick.client;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.member.FirstMember;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.journal.StyleRules;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/// The creation of a ledger, from its signed founding to its first members and first time journal.
/// Whoever keeps {@link #founding} before {@link #run} can go on after a break, whatever was done
/// by then: {@link TallyClient#creation(PendingRequest, List, LedgerOptions)}.
public final class LedgerCreation {
  private static final int CONFLICT = 409;
  private static final int UNPROCESSABLE = 422;

  private final Founder founder;
  private final PendingRequest founding;
  private final LedgerOptions options;

  /// How the founding is sent.
  @FunctionalInterface
  interface Founder {
    LedgerHandle found() throws TallyException;
  }

  /// What has been done, told as soon as it is.
  public sealed interface Step {
    /// The ledger is founded and pinned.
    record Founded(LedgerHandle ledger) implements Step {}

    /// @param jsn of the grant
    /// @param existed whether an earlier run granted it
    record Granted(FirstMember member, Jsn jsn, boolean existed) implements Step {}

    /// A member that was granted by somebody before and is not asked for.
    record Other(LedgerMember member) implements Step {}

    /// Its newest head is stamped.
    record Stamped(StampedTime time) implements Step {}

    /// The service gave no time: it asks nobody, or nobody gave one.
    record NotStamped(RequestRefusedException why) implements Step {}
  }

  LedgerCreation(Founder founder, PendingRequest founding, LedgerOptions options) {
    this.founder = founder;
    this.founding = founding;
    this.options = options;
  }

  /// Before anything is signed.
  ///
  /// @throws RequestRefusedException `feature_conflict`
  /// @throws IllegalArgumentException if a key is given twice
  static void check(List<ClientKey> owners, LedgerOptions options) throws RequestRefusedException {
    Set<Digest> keys = new HashSet<>();
    owners.forEach(owner -> keys.add(owner.kid()));
    try {
      StyleRules.checkFounding(options.features(), owners.size(), options.state() != null);
      for (FirstMember member : options.members()) {
        StyleRules.checkFirst(options.features(), member.role(), member.delegated());
        if (!keys.add(member.key().kid())) {
          throw new IllegalArgumentException(
              "member " + member.key().kid() + " is an owner or given twice");
        }
      }
    } catch (RequestRejectedException e) {
      throw refused(e.code(), String.valueOf(e.getMessage()), UNPROCESSABLE);
    }
  }

  private static RequestRefusedException refused(RejectionCode code, String detail, int status) {
    return new RequestRefusedException(
        code.wire(),
        detail,
        false,
        OptionalInt.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Duration.ZERO,
        status);
  }

  /// The founding that the owners signed: as secret as the ledger's name and its salt.
  public PendingRequest founding() {
    return founding;
  }

  /// Founds the ledger, grants its first members, and has it stamped if that is wanted. What is
  /// done already is skipped. The first owner signs.
  ///
  /// @throws RequestRefusedException as the step's; `member_exists` if a first member is a member
  ///   of another kind
  public LedgerHandle run(Consumer<Step> steps) throws TallyException {
    LedgerHandle ledger = founder.found();
    steps.accept(new Step.Founded(ledger));
    grant(ledger, steps);
    if (options.stamped()) {
      steps.accept(stamped(ledger));
    }
    return ledger;
  }

  private void grant(LedgerHandle ledger, Consumer<Step> steps) throws TallyException {
    if (options.members().isEmpty()) {
      return;
    }
    Map<Digest, LedgerMember> there = new HashMap<>();
    ledger.members().forEach(member -> there.put(member.kid(), member));
    for (FirstMember member : options.members()) {
      LedgerMember existing = there.get(member.key().kid());
      if (existing == null) {
        Jsn jsn = ledger.grant(member.grant()).jsn();
        steps.accept(new Step.Granted(member, jsn, false));
        continue;
      }
      if (!member.is(existing)) {
        throw refused(
            RejectionCode.MEMBER_EXISTS,
            String.format(
                Locale.ROOT,
                "key %s is a member of another role or mark already, or was revoked",
                member.key().kid()),
            CONFLICT);
      }
      steps.accept(new Step.Granted(member, existing.terms().grantedJsn(), true));
    }
    options.members().forEach(member -> there.remove(member.key().kid()));
    there.values().stream()
        .filter(other -> other.addedJsn().value() > 0 && other.revokedJsn().isEmpty())
        .sorted(Comparator.comparing(LedgerMember::addedJsn))
        .forEach(other -> steps.accept(new Step.Other(other)));
  }

  private static Step stamped(LedgerHandle ledger) throws TallyException {
    try {
      return new Step.Stamped(ledger.anchors().requestTime());
    } catch (RequestRefusedException e) {
      return new Step.NotStamped(e);
    }
  }
}
