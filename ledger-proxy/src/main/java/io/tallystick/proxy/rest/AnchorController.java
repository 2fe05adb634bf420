package io.tallystick.proxy.rest;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.ProvenTime;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.trust.TrustedAnchors;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Where others have come to trust a log, and when outsiders saw it, over HTTP.
@RestController
final class AnchorController {
  private final ReadAccess access;
  private final TrustedAnchors anchors;
  private final PlatformThreads threads;

  AnchorController(ReadAccess access, TrustedAnchors anchors, PlatformThreads threads) {
    this.access = access;
    this.anchors = anchors;
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
}
