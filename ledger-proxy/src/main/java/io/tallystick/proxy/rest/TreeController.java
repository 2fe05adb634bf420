package io.tallystick.proxy.rest;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.witness.CosignedHeads;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// The log as a whole over HTTP: heads, blocks, and that one head continues another.
@RestController
final class TreeController {
  private static final MediaType TEXT = MediaType.parseMediaType("text/plain;charset=utf-8");

  private static final String CBOR = "application/cbor";

  private final ReadAccess access;
  private final CosignedHeads heads;
  private final PlatformThreads threads;

  TreeController(ReadAccess access, CosignedHeads heads, PlatformThreads threads) {
    this.access = access;
    this.heads = heads;
    this.threads = threads;
  }

  @GetMapping(path = Paths.LEDGER + "/consistency", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.ConsistencyProof consistency(
      @PathVariable("ledger") String ledger,
      @RequestParam(name = "from", required = false) @Nullable String fromText,
      @RequestParam(name = "to", required = false) @Nullable String toText,
      Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    long from = Paths.number("from", Objects.requireNonNullElse(fromText, ""));
    long to = Paths.number("to", toText, 0);
    return threads.call(() -> Json.ConsistencyProof.of(log.consistency(from, to)));
  }

  @GetMapping(path = Paths.LEDGER + "/blocks/{height}", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Block block(
      @PathVariable("ledger") String ledger,
      @PathVariable("height") String heightText,
      Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    if (heightText.equals("latest")) {
      return threads.call(() -> Json.Block.of(log.newestBlock()));
    }
    long height = Paths.number("height", heightText);
    return threads.call(() -> Json.Block.of(log.blockAt(height)));
  }

  /// The newest signed head, byte for byte as it was signed, or the newest cosigned one.
  @GetMapping(path = Paths.LEDGER + "/checkpoint", produces = MediaType.TEXT_PLAIN_VALUE)
  ResponseEntity<byte[]> checkpoint(
      @PathVariable("ledger") String ledger,
      @RequestParam(name = "cosigned", required = false) @Nullable String cosignedText,
      Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    boolean cosigned = Paths.flag("cosigned", cosignedText);
    byte[] note =
        threads.call(() -> heads.note(log.strand(), log.checkpoint(), cosigned).toArray());
    return ResponseEntity.ok().contentType(TEXT).cacheControl(CacheControl.noCache()).body(note);
  }

  /// The evidence for the keys of heads: a key chain file.
  @GetMapping(path = Paths.LEDGER + "/key-chain", produces = CBOR)
  ResponseEntity<byte[]> keyChain(@PathVariable("ledger") String ledger, Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    byte[] chain = threads.call(() -> log.keyChain().encode().toArray());
    return ResponseEntity.ok()
        .contentType(MediaType.parseMediaType(CBOR))
        .cacheControl(CacheControl.noCache())
        .body(chain);
  }

  private ReadableLog log(String ledger, Bearer bearer) throws RequestRejectedException {
    return new ReadableLog(access, bearer, Paths.strand(ledger));
  }
}
