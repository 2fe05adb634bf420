package io.tallystick.cluster.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.testkit.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Goal: what a client of a history meets is in the history: what it was refused with, that it
/// died, that it gets through no more, that an erased body comes back. Method: a real service in
/// this process, and a liar before it.
class HistoryClientTest extends LedgerOfService {
  private final History history = new History();

  private HistoryClient client(LedgerDoor door) {
    return new HistoryClient(name(), door, history, new SplittableRandom(1), false, 0);
  }

  private <T extends Told> List<T> told(Class<T> kind) {
    return history.all().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private List<String> faults() throws TallyException {
    return HistoryCheck.faults(history, new SdkDoor(ledger));
  }

  /// What it sent may stand, and does.
  @Test
  void anErrorOfAClientIsAFault() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public Evidence append(List<String> texts) throws TallyException {
            Evidence _ = super.append(texts);
            throw new AssertionError("broken");
          }
        };
    try (HistoryClient _ = client(liar)) {
      Waiting.until("it has appended", () -> !told(Told.Unknown.class).isEmpty());
    }
    assertThat(faults())
        .isNotEmpty()
        .containsOnly("a call ended with: " + new AssertionError("broken"));
  }

  @Test
  void anErrorBehindTheLastCallIsAFault() throws Exception {
    String name = name();
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public Optional<String> alarm() {
            throw new AssertionError("broken");
          }
        };
    new HistoryClient(name, liar, history, new SplittableRandom(1), false, 0).close();
    assertThat(faults())
        .containsExactly("a call ended with: " + name + ": " + new AssertionError("broken"));
  }

  @Test
  void promisesThatAreNotKeptAreAFault() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public void keepPromises() throws TallyException {
            throw new ServiceUnavailableException("gone", false);
          }
        };
    client(liar).close();
    assertThat(faults()).singleElement().asString().contains(" has promises that are not kept: ");
  }

  @Test
  void anErasedBodyIsReadAgainAndAgain() throws Exception {
    SdkDoor door = new SdkDoor(ledger);
    LedgerDoor.Evidence evidence = door.append(List.of("erased"));
    long jsn = evidence.journals().getFirst().jsn();
    door.erase(jsn);
    history.add(new Told.Unknown(new Told.Span(0, 1), List.of("erased")));
    history.add(new Told.Erased(new Told.Span(2, 3), jsn));
    Liar liar =
        new Liar(door) {
          @Override
          public boolean body(long of) throws TallyException {
            return super.body(of) || told(Told.Body.class).size() > 1;
          }
        };
    try (HistoryClient _ = client(liar)) {
      Waiting.until("it reads it", () -> told(Told.Body.class).size() > 2);
    }
    assertThat(told(Told.Body.class).getFirst().present()).isFalse();
    assertThat(faults()).containsOnly("journal " + jsn + " has its body after it was erased");
  }

  private static RequestRefusedException refused(String code) {
    return new RequestRefusedException(
        code,
        "why",
        false,
        OptionalInt.empty(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Duration.ZERO,
        400);
  }

  private void refuse(String code) {
    History.Asked<Function<Told.Span, Told>> asked =
        () -> {
          throw refused(code);
        };
    history.append(List.of(code), asked);
    history.change(asked, span -> new Told.MayBeErased(span, 1));
    history.read(1, asked);
  }

  @Test
  void whatAnHonestServiceMayNotRefuseWithIsAFault() throws Exception {
    refuse("unavailable");
    refuse("rate_limited");
    assertThat(faults()).isEmpty();
    refuse("expired");
    assertThat(faults()).as("the read").hasSize(1).allMatch(each -> each.contains("expired: why"));
    for (String code :
        List.of(
            "unknown_ledger", "unknown_key", "out_of_range", "ledger_closed", "token_invalid")) {
      refuse(code);
      assertThat(faults()).filteredOn(each -> each.contains(code + ": why")).hasSize(3);
    }
    assertThat(told(Told.Refused.class)).hasSize(8);
  }

  @Test
  void aReaderMayOnlyBeRefusedAsNoMember() throws Exception {
    boolean away =
        history.readAs(
            ledger.id().digest(),
            () -> {
              throw refused("token_invalid");
            });
    boolean other =
        history.readAs(
            ledger.id().digest(),
            () -> {
              throw refused("out_of_range");
            });
    assertThat(List.of(away, other)).containsExactly(true, false);
    assertThat(told(Told.TurnedAway.class)).hasSize(1);
    assertThat(told(Told.Fault.class)).hasSize(1);
  }

  @Test
  void eachClientMustGetThrough() throws Exception {
    Liar liar =
        new Liar(new SdkDoor(ledger)) {
          @Override
          public void join(Told.Stated older, Told.Stated newer) throws TallyException {
            throw new ServiceUnavailableException("gone", false);
          }
        };
    try (HistoryClient good = client(new SdkDoor(ledger));
        HistoryClient bad = client(liar)) {
      HistoryClients.awaitEach(List.of(good), 120);
      assertThatThrownBy(() -> HistoryClients.awaitEach(List.of(good, bad), 3))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(bad.name() + " has ")
          .hasMessageContaining("joins=0");
    }
    assertThat(faults()).isEmpty();
  }
}
