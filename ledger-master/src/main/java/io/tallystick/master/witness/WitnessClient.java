package io.tallystick.master.witness;

import io.tallystick.master.witness.WitnessFailedException.Reason;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.note.SignedNote;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/// A witness over HTTP: `POST <prefix>/add-checkpoint`. Thread-safe. Source: C2SP tlog-witness.
final class WitnessClient implements AutoCloseable {
  /// The bytes of sixteen lines at most, with large signatures.
  static final int ANSWER_BYTES_MAX = SignedNote.NOTE_BYTES_MAX;

  private static final Pattern SIZE = Pattern.compile("(0|[1-9][0-9]{0,17})\n");

  private final String name;
  private final URI uri;
  private final Duration timeout;
  private final HttpClient client;
  private final ExecutorService exchanges =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("witness-", 0).factory());

  /// @param name for messages
  /// @param timeout for a whole answer
  WitnessClient(String name, URI prefix, Duration timeout) {
    String text = prefix.toString();
    this.name = name;
    this.uri = URI.create((text.endsWith("/") ? text : text + '/') + "add-checkpoint");
    this.timeout = timeout;
    this.client =
        HttpClient.newBuilder()
            .version(Version.HTTP_1_1)
            .followRedirects(Redirect.NEVER)
            .connectTimeout(timeout)
            .build();
  }

  /// Shows a head.
  ///
  /// @param oldSize that the proof begins at; 0 without one
  /// @param proof that the note's head continues that of `oldSize`
  /// @param note signed by the ledger's key
  WitnessAnswer ask(long oldSize, List<Digest> proof, Bytes note)
      throws WitnessFailedException, InterruptedException {
    byte[] body = body(oldSize, proof, note);
    Future<WitnessAnswer> exchange = exchanges.submit(() -> exchange(body));
    try {
      return exchange.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      exchange.cancel(true);
      throw failed(Reason.SLOW, "no answer in " + timeout);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException broken ->
            throw new WitnessFailedException(Reason.UNREACHABLE, name, broken);
        case WitnessFailedException failed -> throw failed;
        case null, default -> throw new AssertionError(e);
      }
    }
  }

  private static byte[] body(long oldSize, List<Digest> proof, Bytes note) {
    StringBuilder body = new StringBuilder("old ").append(oldSize).append('\n');
    for (Digest hash : proof) {
      body.append(Base64.getEncoder().encodeToString(hash.toArray())).append('\n');
    }
    body.append('\n').append(new String(note.toArray(), StandardCharsets.UTF_8));
    return body.toString().getBytes(StandardCharsets.UTF_8);
  }

  private WitnessAnswer exchange(byte[] body)
      throws IOException, InterruptedException, WitnessFailedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "text/plain; charset=utf-8")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
    try (InputStream in = response.body()) {
      byte[] answer = in.readNBytes(ANSWER_BYTES_MAX + 1);
      if (answer.length > ANSWER_BYTES_MAX) {
        throw failed(Reason.TOO_LONG, "more than " + ANSWER_BYTES_MAX + " bytes");
      }
      return answer(response.statusCode(), new String(answer, StandardCharsets.UTF_8));
    }
  }

  private WitnessAnswer answer(int status, String body) throws WitnessFailedException {
    return switch (status) {
      case 200 -> cosigned(body);
      case 409 ->
          SIZE.matcher(body).matches()
              ? new WitnessAnswer.OtherSize(Long.parseLong(body.strip()))
              : new WitnessAnswer.Inconsistent();
      case 422 -> new WitnessAnswer.Inconsistent();
      case 403 -> throw failed(Reason.WRONG_KEY, "it has another key for this ledger");
      case 404 -> throw failed(Reason.UNKNOWN_LOG, "it does not know this ledger");
      default -> throw failed(Reason.WRONG_STATUS, "status " + status);
    };
  }

  private WitnessAnswer cosigned(String body) throws WitnessFailedException {
    try {
      return new WitnessAnswer.Cosigned(SignedNote.signatures(body));
    } catch (MalformedException e) {
      throw new WitnessFailedException(Reason.WRONG_CONTENT, name, e);
    }
  }

  private WitnessFailedException failed(Reason reason, String detail) {
    return new WitnessFailedException(reason, name, detail);
  }

  @Override
  public void close() {
    exchanges.shutdownNow();
    client.shutdownNow();
  }
}
