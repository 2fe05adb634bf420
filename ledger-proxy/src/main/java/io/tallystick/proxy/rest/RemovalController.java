package io.tallystick.proxy.rest;

import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.read.ReadablePurges;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/// The HTTP resources of what removals need and leave behind.
@RestController
final class RemovalController {
  private static final String CBOR = "application/cbor";

  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final PlatformThreads threads;

  RemovalController(LedgerRegistry registry, ReadAccess access, PlatformThreads threads) {
    this.registry = registry;
    this.access = access;
    this.threads = threads;
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}/certificate", produces = CBOR)
  ResponseEntity<byte[]> certificate(
      @PathVariable("ledger") String ledger, @PathVariable("jsn") String jsnText, Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = new ReadableLog(access, bearer, Paths.strand(ledger));
    long jsn = Paths.number("jsn", jsnText);
    return cbor(threads.call(() -> log.removalCertificate(jsn)));
  }

  @PostMapping(
      path = Paths.LEDGER + "/purges:prepare",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  Json.PreparedPurge prepare(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    long height = in.optionalNumber("height").orElseThrow(() -> in.refused("height", "is missing"));
    List<Digest> absent = in.optionalDigests("absent");
    in.end();
    return threads.call(
        () -> Json.PreparedPurge.of(purges(bearer).prepare(strand, height, absent)));
  }

  @GetMapping(path = Paths.LEDGER + "/pseudo-genesis", produces = CBOR)
  ResponseEntity<byte[]> pseudoGenesis(@PathVariable("ledger") String ledger, Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    return cbor(threads.call(() -> purges(bearer).pseudoGenesis(strand)));
  }

  private ReadablePurges purges(Bearer bearer) {
    return new ReadablePurges(registry, access, bearer);
  }

  private static ResponseEntity<byte[]> cbor(Bytes file) {
    return ResponseEntity.ok().contentType(MediaType.parseMediaType(CBOR)).body(file.toArray());
  }
}
