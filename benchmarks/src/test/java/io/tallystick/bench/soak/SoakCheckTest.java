package io.tallystick.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the check at the end of a soak goes red. Method: a real service, and books that lie in one
/// way after the other.
class SoakCheckTest {
  private static final Answer.Receipted NEVER_GIVEN =
      new Answer.Receipted(4711, 0, false, Bytes.EMPTY, true);

  private final ClientKey owner = ClientKey.generate();
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<LedgerId> ledgers = new ArrayList<>();

  @TempDir private Path home;

  @Test
  void namesWhatIsLostDoubledAndForeign() throws Exception {
    Path file = home.resolve("book");
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve("data"), home.resolve("service.log"));
        HttpClient http = HttpClient.newHttpClient();
        Appends rest = new RestAppends(service.httpTarget(), http);
        Appends grpc = new GrpcAppends(service.target());
        Book book = new Book(file, _ -> {})) {
      found(service);
      append(rest, book, request(0, "good"), 0);
      append(grpc, book, request(0, "good 2", "good 3"), 0);
      append(rest, book, request(1, "good 4", "good 5"), 0);
      assertThat(check(service, file).faults()).isEmpty();

      book.write(new Book.Entry.Held(book.sent(request(0, "never sent")), NEVER_GIVEN));
      append(grpc, book, request(0, "elsewhere"), 1);
      append(grpc, book, request(1, "twice"), 0);
      assertThat(grpc.append(request(1, "twice"))).isInstanceOf(Answer.Receipted.class);
      assertThat(rest.append(request(1, "not in the books"))).isInstanceOf(Answer.Receipted.class);
      book.sent(request(0, "in the wrong ledger"));
      assertThat(rest.append(request(1, "in the wrong ledger")))
          .isInstanceOf(Answer.Receipted.class);
      SoakRequest refused = request(0, "refused");
      book.write(
          new Book.Entry.Refused(book.sent(refused), new Answer.Refused("bad_signature", true)));
      assertThat(rest.append(refused)).isInstanceOf(Answer.Receipted.class);

      SoakCheck.Result result = check(service, file);
      assertThat(result.faults())
          .hasSize(6)
          .anyMatch(fault -> fault.matches("lost: book request 3 .* jsn 4711, stands nowhere"))
          .anyMatch(
              fault -> fault.matches("lost: book request 4 was acknowledged .*, stands at .*"))
          .anyMatch(fault -> fault.matches("doubled: book request 5 stands at jsn \\d+ and at .*"))
          .anyMatch(fault -> fault.startsWith("foreign: nobody sent what stands at "))
          .anyMatch(fault -> fault.startsWith("foreign: book request 6 was sent to "))
          .anyMatch(fault -> fault.startsWith("foreign: book request 7 was refused and stands at"));
      assertThat(result.faultCount()).isEqualTo(6);
    }
  }

  @Test
  void aBookGoesOnBehindItsLastWholeEntry() throws Exception {
    ledgers.add(new LedgerId(owner.kid()));
    Path file = home.resolve("book");
    SoakRequest request = request(0, "a", "b");
    try (Book book = new Book(file, _ -> {})) {
      book.sent(request);
      book.sent(request);
    }
    long whole = Files.size(file);
    for (int cut = 1; cut < whole / 2; cut += 17) {
      byte[] torn = Files.readAllBytes(file);
      Path copy = home.resolve("cut-" + cut);
      Files.write(copy, Arrays.copyOf(torn, (int) whole - cut));
      List<Book.Entry> before = new ArrayList<>();
      try (Book book = new Book(copy, before::add)) {
        assertThat(before).containsExactly(new Book.Entry.Sent(0, request));
        assertThat(book.sent(request)).isEqualTo(1);
      }
      List<Book.Entry> after = new ArrayList<>();
      Book.read(copy, after::add);
      assertThat(after)
          .containsExactly(new Book.Entry.Sent(0, request), new Book.Entry.Sent(1, request));
    }
  }

  private void found(ServiceProcess service) throws Exception {
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(service.target(), home.resolve("founder")))) {
      for (int i = 0; i < 2; i++) {
        ledgers.add(client.createLedger("s", List.of(owner), LedgerOptions.DEFAULT).id());
      }
    }
  }

  /// @param lie added to the jsn that the book gets
  private static void append(Appends appends, Book book, SoakRequest request, long lie)
      throws Exception {
    long id = book.sent(request);
    Answer.Receipted told = (Answer.Receipted) appends.append(request);
    book.write(
        new Book.Entry.Held(
            id,
            new Answer.Receipted(
                told.firstJsn() + lie,
                told.timeMs(),
                told.repeated(),
                told.evidence(),
                told.isRange())));
  }

  private SoakRequest request(int ledger, String... payloads) {
    List<Bytes> bytes = new ArrayList<>();
    for (String payload : payloads) {
      bytes.add(Bytes.utf8(payload));
    }
    return SoakRequest.sign(new StrandId(ledgers.get(ledger), 0), bytes, owner.signer(), random);
  }

  private SoakCheck.Result check(ServiceProcess service, Path book) throws Exception {
    SoakCheck check = new SoakCheck();
    check.readBook(book);
    Path trust = Files.createTempDirectory(home, "reader");
    check.readLedgers(service.target(), trust, ledgers, owner);
    return check.finish();
  }
}
