package io.tallystick.bench.soak;

import io.tallystick.client.ClientKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// A process of clients: threads that append until standard input ends, or until somebody kills it.
/// It first sends what an earlier one on the same book had no answer to, byte for byte. Ends with a
/// status other than 0 when an answer contradicts what it knows.
final class SoakClient {
  private static final int BATCH_MAX = 8;
  private static final int BATCH_ONE_IN = 5;
  private static final int AGAIN_ONE_IN = 50;
  private static final int PAYLOAD_BYTES_MIN = 16;
  private static final int PAYLOAD_BYTES_MAX = 200;
  private static final long RETRY_PAUSE_MS = 500;

  /// What one is started with.
  ///
  /// @param life counts the processes on the same book
  /// @param first number of its first client among all
  /// @param pauseMs between two requests of a client, on average
  record Orders(
      Path home,
      String target,
      String httpTarget,
      int process,
      int life,
      int first,
      int clients,
      long pauseMs,
      long seed) {
    List<String> toArguments() {
      return List.of(
          home.toString(),
          target,
          httpTarget,
          String.valueOf(process),
          String.valueOf(life),
          String.valueOf(first),
          String.valueOf(clients),
          String.valueOf(pauseMs),
          String.valueOf(seed));
    }

    static Orders of(String[] arguments) {
      return new Orders(
          Path.of(arguments[0]),
          arguments[1],
          arguments[2],
          Integer.parseInt(arguments[3]),
          Integer.parseInt(arguments[4]),
          Integer.parseInt(arguments[5]),
          Integer.parseInt(arguments[6]),
          Long.parseLong(arguments[7]),
          Long.parseLong(arguments[8]));
    }
  }

  private record Pending(long id, SoakRequest request) {}

  private final Orders orders;
  private final List<LedgerId> ledgers;
  private final ServiceKeys keys;
  private final ClientKey owner;
  private final Book book;
  private final Queue<Pending> pending = new ConcurrentLinkedQueue<>();
  private final Signatures signatures = SignatureProviders.best();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private volatile boolean stopped;

  private SoakClient(Orders orders) throws Exception {
    SoakHome home = new SoakHome(orders.home());
    this.orders = orders;
    this.ledgers = home.ledgers();
    this.keys = home.keys();
    this.owner = home.owner();
    Map<Long, Pending> open = new LinkedHashMap<>();
    this.book =
        new Book(
            home.book(orders.process()),
            entry -> {
              switch (entry) {
                case Book.Entry.Sent(long id, SoakRequest request) ->
                    open.put(id, new Pending(id, request));
                case Book.Entry.Held(long id, Answer.Receipted _) -> open.remove(id);
                case Book.Entry.Refused(long id, Answer.Refused answer) -> {
                  if (answer.isFinal()) {
                    open.remove(id);
                  }
                }
                case Book.Entry.Again _, Book.Entry.Silent _ -> {
                  // Says nothing of what is open.
                }
              }
            });
    pending.addAll(open.values());
  }

  public static void main(String[] args) throws Exception {
    new SoakClient(Orders.of(args)).run();
  }

  private void run() throws Exception {
    SplittableRandom random = new SplittableRandom(orders.seed());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < orders.clients(); i++) {
      int number = orders.first() + i;
      SplittableRandom own = random.split();
      threads.add(Thread.ofPlatform().name("client-" + number).start(() -> work(number, own)));
    }
    while (System.in.read() >= 0) {
      // Only its end says something.
    }
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
    http.close();
    book.close();
  }

  private void work(int number, SplittableRandom random) {
    try (Appends appends =
        number % 2 == 0
            ? new RestAppends(orders.httpTarget(), http)
            : new GrpcAppends(orders.target())) {
      for (Pending old = pending.poll(); old != null && !stopped; old = pending.poll()) {
        settle(appends, old);
      }
      for (int turn = 0; !stopped; turn++) {
        SoakRequest request = request(number, turn, random);
        Pending sent = new Pending(book.sent(request), request);
        Answer.Receipted held = settle(appends, sent);
        if (held != null && random.nextInt(AGAIN_ONE_IN) == 0) {
          again(appends, sent, held);
        }
        Thread.sleep(random.nextLong(2 * orders.pauseMs()));
      }
    } catch (Exception | Error e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  /// No two payloads of a soak are alike.
  private SoakRequest request(int number, int turn, SplittableRandom random) {
    StrandId strand = new StrandId(ledgers.get(random.nextInt(ledgers.size())), 0);
    int count = random.nextInt(BATCH_ONE_IN) == 0 ? random.nextInt(2, BATCH_MAX + 1) : 1;
    List<Bytes> payloads = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String name =
          String.format(Locale.ROOT, "client %d.%d turn %d.%d ", number, orders.life(), turn, i);
      byte[] start = name.getBytes(StandardCharsets.US_ASCII);
      byte[] filler = new byte[random.nextInt(PAYLOAD_BYTES_MIN, PAYLOAD_BYTES_MAX)];
      random.nextBytes(filler);
      byte[] payload = new byte[start.length + filler.length];
      System.arraycopy(start, 0, payload, 0, start.length);
      System.arraycopy(filler, 0, payload, start.length, filler.length);
      payloads.add(Bytes.wrap(payload));
    }
    return SoakRequest.sign(strand, payloads, owner.signer(), random);
  }

  /// Sends the same bytes until they have an answer that will stay; their window ends that, too.
  ///
  /// @return null: refused, or the process was asked to end
  private Answer.@Nullable Receipted settle(Appends appends, Pending request) throws Exception {
    while (!stopped) {
      switch (appends.append(request.request())) {
        case Answer.Receipted answer -> {
          request.request().check(answer, keys, signatures);
          book.write(new Book.Entry.Held(request.id(), answer));
          return answer;
        }
        case Answer.Refused refused -> {
          book.write(new Book.Entry.Refused(request.id(), refused));
          if (refused.isFinal()) {
            return null;
          }
        }
        case Answer.Silent(String _) -> book.write(new Book.Entry.Silent(request.id()));
      }
      Thread.sleep(RETRY_PAUSE_MS);
    }
    return null;
  }

  /// What is acknowledged gets the same jsns again.
  private void again(Appends appends, Pending request, Answer.Receipted held) throws Exception {
    switch (appends.append(request.request())) {
      case Answer.Receipted answer -> {
        request.request().check(answer, keys, signatures);
        if (!answer.repeated() || answer.firstJsn() != held.firstJsn()) {
          throw new IllegalStateException(
              String.format(
                  Locale.ROOT,
                  "%s: acknowledged at %d; the same bytes again %s at %d",
                  request.request().strand(),
                  held.firstJsn(),
                  answer.repeated() ? "are" : "were committed once more,",
                  answer.firstJsn()));
        }
        book.write(new Book.Entry.Again(request.id()));
      }
      case Answer.Refused refused -> {
        if (refused.isFinal() && !refused.code().equals("expired")) {
          throw new IllegalStateException(
              String.format(
                  Locale.ROOT,
                  "%s: acknowledged at %d; the same bytes again were refused (%s)",
                  request.request().strand(),
                  held.firstJsn(),
                  refused.code()));
        }
      }
      case Answer.Silent(String _) -> book.write(new Book.Entry.Silent(request.id()));
    }
  }
}
