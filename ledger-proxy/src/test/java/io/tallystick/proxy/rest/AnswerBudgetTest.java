package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: so many large answers are under way and no more, of each kind by itself, and every place
/// comes back. Method: requests that are nothing but a method and a path.
@Timeout(60)
class AnswerBudgetTest {
  private static final String JOURNAL = "/v1/ledgers/00/journals/7";

  private final AnswerBudget budget = new AnswerBudget(Duration.ofMillis(50));

  private static HttpServletRequest request(String method, String path) {
    Map<String, Object> attributes = new HashMap<>();
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            AnswerBudgetTest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (_, called, arguments) ->
                switch (called.getName()) {
                  case "getMethod" -> method;
                  case "getRequestURI" -> path;
                  case "setAttribute" -> attributes.put((String) arguments[0], arguments[1]);
                  case "getAttribute" -> attributes.get((String) arguments[0]);
                  default -> throw new AssertionError(called.getName());
                });
  }

  private void assertRefused(HttpServletRequest request, long max) {
    assertThatThrownBy(() -> budget.take(request))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(RejectionCode.RATE_LIMITED);
              assertThat(refusal).hasMessageContaining(max + " answers");
            });
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1/ledgers/00/journals, 8",
    "HEAD, /v1/ledgers/00/journals, 8",
    "GET, /v1/ledgers/00/lineage, 8",
    "GET, /v1/ledgers/00/members, 8",
    "GET, /v1/ledgers, 8",
    "GET, /l/00/0/tile/entries/000, 24",
    "HEAD, /l/00/0/tile/entries/000, 24",
    "GET, /l/00/0/tile/attest/x001/000.p/9, 24",
    "GET, /l/00/0/bodies/000, 24",
    "POST, /v1/ledgers:prepare, 8",
    "POST, /v1/ledgers/00/journals:prepare, 8",
    "POST, /v1/ledgers/00/members:prepare, 8"
  })
  void refusesOneMoreUntilAnotherHasLeft(String method, String path, int max) throws Exception {
    List<AnswerBudget.Places> taken = new ArrayList<>();
    for (int i = 0; i < max; i++) {
      taken.add(budget.take(request(method, path)));
    }
    assertRefused(request(method, path), max);
    taken.getFirst().close();
    taken.getFirst().close(); // gives back once
    taken.set(0, budget.take(request(method, path)));
    assertRefused(request(method, path), max);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/ledgers/00/journals",
    "POST, /v1/ledgers",
    "GET, /v1/ledgers/00/journals/7",
    "GET, /v1/service",
    "GET, /v1/ledgers:prepare",
    "GET, /l/00/0/checkpoint",
    "HEAD, /l/00/0/checkpoint",
    "GET, /l/00/0/tile/0/000",
    "GET, /l/00/0/tile/3/x001/000.p/9",
    "GET, /l/00/bodies/",
    "GET, /l/"
  })
  void letsThroughAnyNumberOfWhatIsSmall(String method, String path) throws Exception {
    for (int i = 0; i < 1_000; i++) {
      assertThat(budget.take(request(method, path))).isNotNull();
    }
  }

  @Test
  void whatIsToBePreparedTakesNoPlaceOfOthers() throws Exception {
    for (int i = 0; i < 8; i++) {
      assertThat(budget.take(request("POST", "/v1/ledgers:prepare"))).isNotNull();
    }
    assertRefused(request("POST", "/v1/ledgers/00/journals:prepare"), 8);
    assertThat(budget.take(request("GET", "/v1/ledgers"))).isNotNull();
    assertThat(budget.take(request("GET", "/l/00/0/bodies/000"))).isNotNull();
    assertThat(budget.take(request("GET", JOURNAL)).tryJournal()).isTrue();
  }

  @Test
  void refusesOneMoreLargeJournalUntilAnotherHasLeft() throws Exception {
    List<AnswerBudget.Places> taken = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      HttpServletRequest request = request("GET", JOURNAL);
      taken.add(budget.take(request));
      assertThat(AnswerBudget.of(request)).isSameAs(taken.getLast());
      assertThat(taken.getLast().tryJournal()).isTrue();
    }
    AnswerBudget.Places late = budget.take(request("GET", JOURNAL));
    assertThat(late.tryJournal()).isFalse();
    assertThatThrownBy(late::journal)
        .isInstanceOf(RequestRejectedException.class)
        .hasMessageContaining("12 answers");
    late.close(); // has nothing to give back
    assertThat(budget.take(request("GET", JOURNAL)).tryJournal()).isFalse();
    taken.getFirst().close();
    AnswerBudget.Places next = budget.take(request("GET", JOURNAL));
    next.journal();
    assertThat(budget.take(request("GET", JOURNAL)).tryJournal()).isFalse();
  }

  @Test
  void knowsNoRequestThatDidNotComeThroughIt() {
    assertThatThrownBy(() -> AnswerBudget.of(request("GET", JOURNAL)))
        .isInstanceOf(IllegalStateException.class);
  }
}
