package io.tallystick.cli.member;

import io.tallystick.cli.terminal.Output;
import io.tallystick.client.GrantedTime;
import io.tallystick.client.LedgerCreation.Step;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.StampedTime;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.member.FirstMember;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.model.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A report of what was done of a creation, for people and for programs.
final class CreationReport {
  private final StringBuilder lines = new StringBuilder();
  private final List<Map<String, Object>> members = new ArrayList<>();
  private final List<String> others = new ArrayList<>();
  private final Map<String, Object> time = Output.object();
  private @Nullable LedgerHandle ledger;

  void add(Step step) {
    switch (step) {
      case Step.Founded founded -> ledger = founded.ledger();
      case Step.Granted granted -> add(granted);
      case Step.Other other -> add(other.member());
      case Step.Stamped stamped -> add(stamped.time());
      case Step.NotStamped none -> add(none.why());
    }
  }

  private void add(Step.Granted granted) {
    FirstMember member = granted.member();
    String role =
        member.role().name().toLowerCase(Locale.ROOT) + (member.delegated() ? ", delegated" : "");
    lines.append(
        String.format(
            Locale.ROOT,
            "member %s  %s, %s at jsn %s%n",
            member.key().kid(),
            role,
            granted.existed() ? "was granted" : "granted",
            granted.jsn()));
    members.add(
        Output.object(
            "kid",
            member.key().kid().hex(),
            "role",
            member.role().name().toLowerCase(Locale.ROOT),
            "delegated",
            member.delegated(),
            "jsn",
            granted.jsn().value(),
            "existed",
            granted.existed()));
  }

  private void add(LedgerMember other) {
    lines.append(
        String.format(
            Locale.ROOT,
            "member %s  %s, at jsn %s, not asked for: an earlier call granted it%n",
            other.kid(),
            other.role().name().toLowerCase(Locale.ROOT),
            other.terms().grantedJsn()));
    others.add(other.kid().hex());
  }

  private void add(StampedTime requested) {
    GrantedTime granted = requested.granted();
    lines.append(
        String.format(
            Locale.ROOT,
            "time   journal %s%s: the first %s leaves existed at %s%n",
            granted.journal().jsn(),
            requested.existed() ? ", which was there" : "",
            granted.time().size(),
            Instant.ofEpochMilli(granted.provenMs())));
    time.put("jsn", granted.journal().jsn().value());
    time.put("provenMs", granted.provenMs());
    time.put("size", granted.time().size().value());
    time.put("existed", requested.existed());
  }

  private void add(RequestRefusedException none) {
    lines.append(
        String.format(
            Locale.ROOT,
            "time   none (%s): %s%n",
            Printable.of(none.code()),
            Printable.of(none.detail())));
    time.put("code", none.code());
    time.put("detail", none.detail());
  }

  boolean founded() {
    return ledger != null;
  }

  LedgerHandle ledger() {
    if (ledger == null) {
      throw new IllegalStateException("nothing is founded");
    }
    return ledger;
  }

  /// With the end of a line.
  String text(String name, LedgerHandle of) throws TallyException {
    return String.format(
            Locale.ROOT,
            "Founded \"%s\"%nledger %s%norigin %s%n",
            Printable.of(name),
            of.id(),
            Printable.of(of.trust().genesis().origin(0)))
        + lines;
  }

  Map<String, Object> object(String name, LedgerHandle of, int owners) throws TallyException {
    return Output.object(
        "ledgerId",
        of.id().hex(),
        "name",
        name,
        "origin",
        of.trust().genesis().origin(0),
        "owners",
        owners,
        "members",
        members,
        "others",
        others,
        "time",
        time);
  }
}
