package io.tallystick.proxy;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.master.anchor.AnchorSchedule;
import io.tallystick.master.anchor.AuthoritySettings;
import io.tallystick.master.anchor.WantedTimes;
import io.tallystick.master.witness.WitnessSettings;
import io.tallystick.master.witness.Witnessing;
import io.tallystick.node.Done;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.proxy.anchor.Anchoring;
import io.tallystick.proxy.anchor.RequestedTimes;
import io.tallystick.proxy.anchor.Submitting;
import io.tallystick.proxy.edge.RemoteTLedger;
import io.tallystick.proxy.witness.CosignedHeads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// What is done once for all ledgers with those who vouch for their heads: time authorities, a
/// T-Ledger of others, witnesses. It reads and writes a node as a client does, and appends nothing
/// that the sequencer would take twice.
public final class OutsideDuties implements AutoCloseable {
  private final Deque<Runnable> closings = new ArrayDeque<>();

  private OutsideDuties() {}

  /// Whom to ask about what, as the settings `tallystick.time.*` and `tallystick.witness.*` say.
  public static final class Settings {
    private final OutsideProperties properties;

    private Settings(OutsideProperties properties) {
      this.properties = properties;
    }

    /// Settings of a process that has these duties and is no service.
    ///
    /// @throws IllegalArgumentException saying in one line what is wrong
    /// @throws IOException if a file that they name cannot be read
    public static Settings of(SettingsFile file) throws IOException {
      Settings settings =
          new Settings(SettingNames.only(file, ServiceProperties.PREFIX, OutsideProperties.class));
      settings.check();
      return settings;
    }

    private void check() throws IOException {
      TimeProperties time = properties.time();
      if (time.tLedger()) {
        throw new IllegalArgumentException("tallystick.time.t-ledger is a setting of servers");
      }
      Optional<AuthoritySettings> _ = authorities(time);
      SubmitProperties submit = time.submit();
      if (submit != null) {
        String _ = submit.invitationText();
      }
    }
  }

  /// Begins. Witnesses have been asked once when this returns.
  ///
  /// @param node of all ledgers
  /// @param dataDirectory where evidence is kept against the T-Ledger
  public static OutsideDuties begin(
      Settings settings,
      LedgerNode node,
      Path dataDirectory,
      Signatures signatures,
      MeterRegistry meters)
      throws IOException, InterruptedException {
    OutsideDuties duties = new OutsideDuties();
    OutsideProperties outside = settings.properties;
    try {
      Witnessing.Shelf shelf =
          (strand, note) -> {
            Done _ = node.change(new NodeChange.ShowCosigned(strand, note.encode()));
          };
      duties.closings.push(witnessing(outside, node, signatures, shelf, meters)::close);
      Anchoring anchoring = anchoring(outside, node, meters);
      duties.closings.push(anchoring::close);
      Submitting submitting = submitting(outside, dataDirectory, node, signatures, meters);
      duties.closings.push(submitting::close);
      WantedTimes wanted =
          new WantedTimes(node, RequestedTimes.requests(node, anchoring, submitting, meters));
      duties.closings.push(wanted::close);
      wanted.start();
      return duties;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      duties.close();
      throw e;
    }
  }

  static CosignedHeads witnessing(
      OutsideProperties outside,
      LedgerNode node,
      Signatures signatures,
      Witnessing.Shelf shelf,
      MeterRegistry meters)
      throws InterruptedException {
    Optional<WitnessSettings> settings = outside.witness().settings();
    return settings.isEmpty()
        ? CosignedHeads.off(node, meters)
        : CosignedHeads.of(node, settings.get(), signatures, shelf, meters);
  }

  static Anchoring anchoring(OutsideProperties outside, LedgerNode node, MeterRegistry meters)
      throws IOException {
    TimeProperties time = outside.time();
    Optional<AuthoritySettings> authorities = authorities(time);
    return authorities.isEmpty()
        ? Anchoring.off(meters)
        : Anchoring.of(
            node,
            new Rfc3161Tokens(),
            authorities.get(),
            new AnchorSchedule(time.count(), time.interval()),
            meters);
  }

  private static Optional<AuthoritySettings> authorities(TimeProperties time) throws IOException {
    return time.urls().isEmpty() || time.ca() == null
        ? Optional.empty()
        : Optional.of(
            new AuthoritySettings(
                time.urls(),
                AuthorityFiles.time(Path.of(time.ca())),
                time.policy(),
                time.timeout()));
  }

  static Submitting submitting(
      OutsideProperties outside,
      Path dataDirectory,
      LedgerNode node,
      Signatures signatures,
      MeterRegistry meters)
      throws IOException {
    SubmitProperties submit = outside.time().submit();
    if (submit == null) {
      return Submitting.off();
    }
    Submitting.Target to = submit.target();
    RemoteTLedger link = new RemoteTLedger(to, submit.invitationText());
    return Submitting.to(to, dataDirectory, link, node, signatures, meters);
  }

  @Override
  public void close() {
    while (!closings.isEmpty()) {
      closings.pop().run();
    }
  }
}
