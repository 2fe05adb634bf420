package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.cli.process.Folders;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.failure.VerificationException.Contradiction;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.ServiceProperties.Reads;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator who puts an older copy of the data in place is found out by every client who
/// saw more, with both signed statements in hand. Method: the real service, stopped, copied,
/// continued and put back.
class RollbackTest {
  @TempDir private Path home;
  private final ClientKey owner = ClientKey.generate();
  private LedgerId ledger;
  private VerifiedReceipt seen;

  /// Two journals, a copy of the data, two more that only this client's trust store knows of.
  @BeforeEach
  void rollBack() throws Exception {
    try (RunningService service = start();
        TallyClient client = client(service, "trust")) {
      LedgerHandle handle =
          client.createLedger("rolled back", List.of(owner), LedgerOptions.DEFAULT);
      ledger = handle.id();
      handle.append(JournalDraft.text("first"));
    }
    copy(home.resolve("data"), home.resolve("older"));
    try (RunningService service = start();
        TallyClient client = client(service, "trust")) {
      LedgerHandle handle = client.open(ledger, owner);
      handle.append(JournalDraft.text("second"));
      seen = handle.append(JournalDraft.text("third"));
    }
    Folders.delete(home.resolve("data"));
    copy(home.resolve("older"), home.resolve("data"));
  }

  @Test
  void reportsARollbackWithBothSignedHeads() throws Exception {
    try (RunningService service = start();
        TallyClient client = client(service, "trust")) {
      LedgerHandle handle = client.open(ledger, owner);
      VerificationException alarm = alarm(handle::checkpoint);
      assertThat(alarm.reason()).isEqualTo(Reason.ROLLBACK);
      Contradiction contradiction = alarm.contradiction().orElseThrow();
      assertThat(contradiction.trusted()).isEqualTo(seen.head());
      assertThat(contradiction.offered().size().value()).isLessThan(seen.head().size().value());
      assertThat(contradiction.evidenceFile().orElseThrow()).isNotEmptyFile();
      assertThat(alarm(() -> handle.append(JournalDraft.text("shorter"))).reason())
          .isEqualTo(Reason.ROLLBACK);
    }
  }

  /// Also a read that needs no newer head than the one at hand.
  @Test
  void reportsItWhateverIsRead() throws Exception {
    try (RunningService service = start();
        TallyClient client = client(service, "trust")) {
      LedgerHandle handle = client.open(ledger);
      Jsn first = new Jsn(2);
      for (ThrowingCallable read :
          List.<ThrowingCallable>of(
              () -> handle.get(first),
              () -> handle.get(List.of(first)),
              () -> handle.get(seen.jsn()),
              () -> handle.list(new Jsn(0), 10),
              () -> handle.list(seen.jsn(), 10),
              () -> handle.verify(first),
              () -> handle.block(0),
              () -> handle.receipt(first),
              () -> handle.clue("none"),
              handle::newestBlock)) {
        VerificationException alarm = alarm(read);
        assertThat(alarm.reason()).isEqualTo(Reason.ROLLBACK);
        assertThat(alarm.contradiction().orElseThrow().evidenceFile()).isPresent();
      }
    }
  }

  @Test
  void reportsAForkOnceTheOlderCopyHasGrownToTheSameSize() throws Exception {
    try (RunningService service = start()) {
      continueOtherwise(service, 2);
      try (TallyClient client = client(service, "trust")) {
        VerificationException alarm = alarm(client.open(ledger)::checkpoint);
        Contradiction contradiction = alarm.contradiction().orElseThrow();
        assertThat(alarm.reason()).isEqualTo(Reason.FORK);
        assertThat(contradiction.offered().size()).isEqualTo(seen.head().size());
      }
    }
  }

  private void continueOtherwise(RunningService service, int journals) throws Exception {
    try (TallyClient innocent = client(service, "another trust")) {
      LedgerHandle handle = innocent.open(ledger, owner);
      for (int i = 0; i < journals; i++) {
        handle.append(JournalDraft.text("another history " + i));
      }
    }
  }

  @Test
  void reportsAForkOnceTheOlderCopyHasGrownBeyond() throws Exception {
    try (RunningService service = start()) {
      continueOtherwise(service, 4);
      try (TallyClient client = client(service, "trust")) {
        LedgerHandle handle = client.open(ledger, owner);
        VerificationException alarm = alarm(handle::checkpoint);
        Contradiction contradiction = alarm.contradiction().orElseThrow();
        // No proof can join two histories: the one the service sends does not fit.
        assertThat(alarm.reason()).isEqualTo(Reason.ROOT_MISMATCH);
        assertThat(contradiction.trusted()).isEqualTo(seen.head());
        assertThat(contradiction.offered().size().value())
            .isGreaterThan(seen.head().size().value());
        assertThat(contradiction.evidenceFile().orElseThrow()).isNotEmptyFile();
        alarm(() -> handle.append(JournalDraft.text("never believed")));
        assertThat(handle.trustedHead()).contains(seen.head());
      }
      Cli cli = new Cli(service.target(), home.resolve("trust").toString());
      assertThat(cli.call("verify", ledger.hex()).hasStatus(ExitCode.EVIDENCE).err())
          .startsWith("tally: EVIDENCE DOES NOT VERIFY: ");
    }
  }

  /// An older copy is a whole and valid log: only who remembers more can tell.
  @Test
  void failsTheAuditOfWhoeverTrustedALaterHead() throws Exception {
    try (RunningService service = start()) {
      Cli remembers = new Cli(service.target(), home.resolve("trust").toString());
      assertThat(remembers.call("audit", ledger.hex()).hasStatus(ExitCode.EVIDENCE).out())
          .contains("AUDIT FAILED")
          .contains("Compared with the head of " + seen.head().size());
      Cli stranger = new Cli(service.target(), home.resolve("no trust").toString());
      assertThat(stranger.call("audit", ledger.hex()).hasStatus(ExitCode.OK).out())
          .contains("AUDIT PASSED")
          .contains("No earlier head");
      continueOtherwise(service, 4);
      assertThat(remembers.call("audit", ledger.hex()).hasStatus(ExitCode.EVIDENCE).out())
          .contains("AUDIT FAILED");
    }
  }

  @Test
  void stillVerifiesTheReceiptOfWhatTheServiceHasLostAlone() throws Exception {
    try (RunningService service = start();
        TallyClient client = client(service, "trust")) {
      assertThat(client.open(ledger).verify(seen.toFile())).isEqualTo(seen.head());
    }
  }

  private static VerificationException alarm(ThrowingCallable call) {
    VerificationException alarm = catchThrowableOfType(VerificationException.class, call);
    assertThat(alarm).as("alarm").isNotNull();
    return alarm;
  }

  private RunningService start() throws Exception {
    return TallystickService.start(
        LocalNode::open, ServiceProperties.of(home.resolve("data"), 0).withReads(Reads.ANYONE));
  }

  private TallyClient client(RunningService service, String trust) {
    return TallyClient.connect(ClientConfig.of(service.target(), home.resolve(trust)));
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path source : all.toList()) {
        Files.copy(source, to.resolve(from.relativize(source).toString()));
      }
    }
  }
}
