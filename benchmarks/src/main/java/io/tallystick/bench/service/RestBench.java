package io.tallystick.bench.service;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.CpuTime;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ReceiptVerifier;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// How many single journals of 256 B per second does a client append over REST, each signed, with
/// client and service in processes of their own sharing the machine, and how long does one take at
/// 3,000 a second? Every receipt is verified. Payloads are random.
final class RestBench {
  static final String CASE = "rest-256";

  private static final double WANTED_PER_SECOND = 5_000;
  private static final int LATENCY_RATE = 3_000;
  private static final double P99_MS_MAX = 40;

  /// New connections keep the service's collector busy for some ten seconds.
  private static final double SETTLING_SECONDS_MAX = 15;

  private static final int PAYLOAD_BYTES = 256;
  private static final int CONNECTIONS = 64;

  /// Of the open loop; who finds none waits, and its latency counts on.
  private static final int CONNECTIONS_MAX = 256;

  private static final int CREATED = 201;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Path home;
  private final double seconds;
  private final double warmUpSeconds;
  private final int repetitions;
  private final Narrator say;
  private final Signatures signatures = SignatureProviders.best();
  private final Signer owner = signatures.generate(SignatureAlgorithm.ED25519);
  private final CloseableHttpClient http =
      HttpClients.custom()
          .setConnectionManager(
              PoolingHttpClientConnectionManagerBuilder.create()
                  .setMaxConnTotal(CONNECTIONS_MAX)
                  .setMaxConnPerRoute(CONNECTIONS_MAX)
                  .build())
          .disableAutomaticRetries()
          .disableContentCompression()
          .build();

  RestBench(Path home, double seconds, double warmUpSeconds, int repetitions, Narrator say) {
    this.home = home;
    this.seconds = seconds;
    this.warmUpSeconds = warmUpSeconds;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// Where journals go, and who judges the receipts.
  private record Target(URI journals, StrandId strand, ReceiptVerifier verifier) {}

  List<BenchCase> run() throws Exception {
    try (ServiceProcess service =
        ServiceProcess.start(home.resolve(CASE), home.resolve(CASE + ".log"))) {
      Target target = found(service.httpTarget());
      closedLoop(target, warmUpSeconds);
      List<BenchCase> cases = new ArrayList<>();
      cases.add(throughput(service, target));
      cases.addAll(latency(target));
      return cases;
    } finally {
      http.close();
    }
  }

  private BenchCase throughput(ServiceProcess service, Target target) throws Exception {
    List<BenchCase.Run> runs = new ArrayList<>();
    for (int i = 0; i < repetitions; i++) {
      CpuTime before = CpuTime.now(service.pid());
      long started = System.nanoTime();
      long journals = closedLoop(target, seconds);
      double perSecond = journals / ((System.nanoTime() - started) / 1e9);
      CpuTime.Cost cost = before.per(journals, CpuTime.now(service.pid()));
      runs.add(new BenchCase.Run(perSecond, WANTED_PER_SECOND, cost));
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s; processor time per journal: client %.0f, service %.0f us",
              perSecond,
              cost.clientMicros(),
              cost.serviceMicros()));
    }
    return BenchCase.throughput(CASE, runs);
  }

  private Target found(String base) throws Exception {
    Map<String, Object> wish =
        Map.of(
            "name",
            "bench",
            "owners",
            List.of(base64(owner.publicKey().spki())),
            "features",
            List.of());
    JsonNode prepared =
        post(URI.create(base + "/v1/ledgers:prepare"), JSON.writeValueAsBytes(wish));
    Bytes encoded =
        Bytes.wrap(Base64.getDecoder().decode(prepared.get("genesisParams").stringValue()));
    GenesisParams params = GenesisParams.decode(encoded);
    Map<String, Object> founding =
        Map.of(
            "name",
            "bench",
            "nameSalt",
            prepared.get("nameSalt").stringValue(),
            "genesisParams",
            prepared.get("genesisParams").stringValue(),
            "attestation",
            base64(RequestSigner.signGenesis(params, List.of(owner)).encode()));
    post(URI.create(base + "/v1/ledgers"), JSON.writeValueAsBytes(founding));
    StrandId strand = new StrandId(Commitments.ledgerId(encoded), 0);
    return new Target(
        URI.create(base + "/v1/ledgers/" + strand.ledger().hex() + "/journals"),
        strand,
        ReceiptVerifier.of(strand.ledger(), encoded));
  }

  /// So many callers, each with one request under way.
  ///
  /// @return journals whose receipts were verified
  private long closedLoop(Target target, double duration) throws Exception {
    long deadline = System.nanoTime() + (long) (duration * 1e9);
    AtomicLong verified = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      callers.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  while (System.nanoTime() < deadline && failure.get() == null) {
                    append(target);
                    verified.incrementAndGet();
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              }));
    }
    for (Thread caller : callers) {
      caller.join();
    }
    throwIfFailed(failure);
    return verified.get();
  }

  /// Open loop: latency counts from when a request was due, so that a stall is charged to all that
  /// it delayed. Before it is measured its threads are started, connections for all of them are
  /// opened, and it runs for a while. Beside it a page is forced now and then.
  private List<BenchCase> latency(Target target) throws Exception {
    int count = Math.max(1, (int) (LATENCY_RATE * seconds));
    List<Latencies> calls = new ArrayList<>();
    List<Latencies> disk = new ArrayList<>();
    double[] rates = new double[repetitions];
    try (ExecutorService callers = Executors.newFixedThreadPool(CONNECTIONS_MAX)) {
      allAtOnce(target, callers);
      openLoop(
          target, callers, (int) (LATENCY_RATE * Math.min(warmUpSeconds, SETTLING_SECONDS_MAX)));
      for (int i = 0; i < repetitions; i++) {
        try (DiskProbe probe = DiskProbe.start(home)) {
          long started = System.nanoTime();
          calls.add(Latencies.of(Arrays.stream(openLoop(target, callers, count))));
          rates[i] = count / ((System.nanoTime() - started) / 1e9);
          disk.add(probe.stop());
        }
        say.say(
            String.format(
                Locale.ROOT,
                "  %,.0f journals/s, p50 %.2f ms, p99 %.2f ms; a page forced beside it: p99 %.2f ms, longest %.2f ms",
                rates[i],
                calls.getLast().p50(),
                calls.getLast().p99(),
                disk.getLast().p99(),
                disk.getLast().longest()));
      }
    }
    return List.of(
        BenchCase.beside(CASE + "-rate", rates, BenchCase.JOURNALS_PER_SECOND, LATENCY_RATE),
        BenchCase.spread(CASE + "-p50", "ms", Latencies.each(calls, Latencies::p50)),
        BenchCase.beside(CASE + "-p99", Latencies.each(calls, Latencies::p99), "ms", P99_MS_MAX),
        BenchCase.spread(CASE + "-disk-p99", "ms", Latencies.each(disk, Latencies::p99)),
        BenchCase.spread(CASE + "-disk-longest", "ms", Latencies.each(disk, Latencies::longest)));
  }

  /// So many requests at the same moment that each needs a connection of its own.
  private void allAtOnce(Target target, ExecutorService callers) throws Exception {
    CyclicBarrier together = new CyclicBarrier(CONNECTIONS_MAX);
    List<Future<?>> calls = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS_MAX; i++) {
      calls.add(
          callers.submit(() -> {
            together.await();
            append(target);
            return null;
          }));
    }
    for (Future<?> call : calls) {
      call.get();
    }
  }

  private long[] openLoop(Target target, ExecutorService callers, int count) throws Exception {
    long started = System.nanoTime();
    long[] nanos = new long[count];
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Future<?>> calls = new ArrayList<>(count);
    for (int i = 0; i < count && failure.get() == null; i++) {
      long due = started + i * 1_000_000_000L / LATENCY_RATE;
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      int index = i;
      calls.add(
          callers.submit(() -> {
            try {
              append(target);
              nanos[index] = System.nanoTime() - due;
            } catch (Throwable e) {
              failure.compareAndSet(null, e);
            }
          }));
    }
    for (Future<?> call : calls) {
      call.get();
    }
    throwIfFailed(failure);
    return nanos;
  }

  private void append(Target target) throws Exception {
    byte[] payload = new byte[PAYLOAD_BYTES];
    ThreadLocalRandom.current().nextBytes(payload);
    SignedRequest request =
        RequestDraft.append(
                target.strand(),
                Bytes.wrap(payload),
                "",
                System.currentTimeMillis(),
                Bytes.wrap(salt()))
            .build();
    Bytes attestation =
        RequestSigner.sign(target.strand(), RequestHeader.hash(request.header()), List.of(owner))
            .encode();
    String body =
        String.format(
            Locale.ROOT,
            "{\"header\":\"%s\",\"salt\":\"%s\",\"body\":\"%s\",\"attestation\":\"%s\"}",
            base64(request.header()),
            base64(request.salt()),
            base64(request.body()),
            base64(attestation));
    JsonNode answer = post(target.journals(), Bytes.utf8(body).toArray());
    Receipt receipt = Receipt.decode(bytes(answer.get("receipt")));
    target.verifier().verify(new ReceiptFile(bytes(answer.get("leaf")), receipt));
  }

  private static final SecureRandom RANDOM = new SecureRandom();

  private static byte[] salt() {
    byte[] salt = new byte[32];
    RANDOM.nextBytes(salt);
    return salt;
  }

  private JsonNode post(URI uri, byte[] body) throws IOException {
    HttpPost request = new HttpPost(uri);
    request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
    return http.execute(
        request,
        answer -> {
          JsonNode json = JSON.readTree(EntityUtils.toByteArray(answer.getEntity()));
          if (answer.getCode() != CREATED && answer.getCode() != 200) {
            throw new IOException("answered with status " + answer.getCode() + ": " + json);
          }
          return json;
        });
  }

  private static String base64(Bytes bytes) {
    return Base64.getEncoder().encodeToString(bytes.unsafeArray());
  }

  private static Bytes bytes(JsonNode text) {
    return Bytes.wrap(Base64.getDecoder().decode(text.stringValue()));
  }

  private static void throwIfFailed(AtomicReference<@Nullable Throwable> failure) throws Exception {
    Throwable cause = failure.get();
    if (cause != null) {
      throw cause instanceof Exception e ? e : new IllegalStateException(cause);
    }
  }
}
