package io.tallystick.proxy.rest;

import io.tallystick.master.anchor.TimeRequests.Granted;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.StampedHead;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.anchor.RequestedTimes;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.trust.TrustedAnchors;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Where others have come to trust a log, and when outsiders saw it, over HTTP.
@RestController
final class AnchorController {
  private static final long ANSWER_SECONDS_MAX = 60;

  private final ReadAccess access;
  private final TrustedAnchors anchors;
  private final RequestedTimes times;
  private final PlatformThreads threads;

  AnchorController(
      ReadAccess access, TrustedAnchors anchors, RequestedTimes times, PlatformThreads threads) {
    this.access = access;
    this.anchors = anchors;
    this.times = times;
    this.threads = threads;
  }

  /// @param anchor the COSE_Sign1, in base64
  record AnchorJson(long size, String root, String kid, String anchor) {
    static AnchorJson of(KeptAnchor kept) {
      return new AnchorJson(
          kept.anchor().size().value(),
          kept.anchor().root().digest().hex(),
          kept.kid().hex(),
          Json.base64(kept.encoded()));
    }
  }

  /// @param location of the time journal
  record GrantedTimeJson(long jsn, long provenMs, String location) {
    static GrantedTimeJson of(StrandId strand, ProvenTime granted) {
      return new GrantedTimeJson(
          granted.jsn(), granted.provenMs(), Paths.journal(strand.ledger(), granted.jsn()));
    }
  }

  /// @param location of the time journal
  record RequestedTimeJson(
      long jsn,
      long timeMs,
      long provenMs,
      long size,
      String root,
      boolean existed,
      String location) {
    static RequestedTimeJson of(StrandId strand, Granted granted) {
      StampedHead stamped = granted.stamped();
      return new RequestedTimeJson(
          stamped.jsn(),
          stamped.timeMs(),
          stamped.provenMs(),
          stamped.head().size().value(),
          stamped.head().root().digest().hex(),
          granted.existed(),
          Paths.journal(strand.ledger(), stamped.jsn()));
    }
  }

  @PostMapping(
      path = Paths.LEDGER + "/anchors",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  AnchorJson set(@PathVariable("ledger") String ledger, @RequestBody byte[] body)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    Bytes anchor = in.bytes("anchor");
    in.end();
    return threads.call(() -> AnchorJson.of(anchors.set(strand, anchor)));
  }

  @GetMapping(path = Paths.LEDGER + "/anchor", produces = MediaType.APPLICATION_JSON_VALUE)
  AnchorJson nearest(
      @PathVariable("ledger") String ledger,
      @RequestParam(name = "size", required = false) @Nullable String sizeText,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    long size = Paths.number("size", sizeText, 0);
    return threads.call(() -> AnchorJson.of(anchors.nearest(strand, size, bearer)));
  }

  @GetMapping(path = Paths.LEDGER + "/last-time", produces = MediaType.APPLICATION_JSON_VALUE)
  GrantedTimeJson lastGrantTime(
      @PathVariable("ledger") String ledger,
      @RequestParam(name = "at", required = false) @Nullable String atText,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    long timeMs = Paths.number("at", Objects.requireNonNullElse(atText, ""));
    ReadableLog log = new ReadableLog(access, bearer, strand);
    return threads.call(() -> GrantedTimeJson.of(strand, log.lastGrantTime(timeMs)));
  }

  @PostMapping(
      path = Paths.LEDGER + "/times",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<RequestedTimeJson> grantTime(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput.parse(body).end();
    RequestedTimeJson answer =
        RequestedTimeJson.of(strand, await(threads.call(() -> times.request(strand, bearer))));
    return ResponseEntity.status(answer.existed() ? HttpStatus.OK : HttpStatus.CREATED)
        .location(URI.create(answer.location()))
        .body(answer);
  }

  /// On the request's virtual thread.
  private static Granted await(CompletableFuture<Granted> granted) throws RequestRejectedException {
    try {
      return granted.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RequestRejectedException refusal -> throw refusal;
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException(e);
      }
    } catch (TimeoutException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE,
          "no time within " + ANSWER_SECONDS_MAX + " s; ask again, for its answer",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the service is stopping", e);
    }
  }
}
