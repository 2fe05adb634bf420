package io.tallystick.proxy.rest;

import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Scope;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.trace.LineLimit;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/// LedgerDB's server-side level of verification: the service checks a receipt, by its own keys and
/// against its own log, and says what it found. Worth as much as the service is trusted; who does
/// not trust it verifies by itself. Source: LedgerDB section 3.2, `Verify` with level server.
@RestController
final class VerifyController {
  private static final Logger LOG = LoggerFactory.getLogger(VerifyController.class);
  private static final LineLimit LINES = new LineLimit();
  private static final LineLimit CONTRADICTIONS = new LineLimit();
  private static final String LEVEL = "server";

  private final ReadAccess access;
  private final Signatures signatures;
  private final PlatformThreads threads;
  private final ProxyMetrics metrics;

  VerifyController(
      ReadAccess access, Signatures signatures, PlatformThreads threads, ProxyMetrics metrics) {
    this.access = access;
    this.signatures = signatures;
    this.threads = threads;
    this.metrics = metrics;
  }

  @PostMapping(
      path = Paths.LEDGER + ":verify",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Verdict verify(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    Evidence evidence;
    try {
      evidence = evidence(in);
    } catch (MalformedException e) {
      in.end();
      LedgerNode _ = threads.call(() -> node(strand, bearer));
      return failed(strand, "malformed", String.valueOf(e.getMessage()));
    }
    in.end();
    return threads.call(() -> verify(node(strand, bearer), strand, evidence));
  }

  private record Evidence(Bytes leaf, Receipt receipt) {}

  private static Evidence evidence(JsonInput in)
      throws RequestRejectedException, MalformedException {
    if (in.has("receiptFile")) {
      ReceiptFile file = ReceiptFile.decode(in.bytes("receiptFile"));
      return new Evidence(file.leaf(), file.receipt());
    }
    Bytes leaf = in.bytes("leaf");
    return new Evidence(leaf, Receipt.decode(in.bytes("receipt")));
  }

  private LedgerNode node(StrandId strand, Bearer bearer) throws RequestRejectedException {
    LedgerNode node = access.node(strand.ledger(), bearer, Scope.EVIDENCE);
    LedgerView _ = node.ledger(strand.ledger());
    return node;
  }

  private Json.Verdict verify(LedgerNode node, StrandId strand, Evidence evidence)
      throws RequestRejectedException {
    ServiceKeys keys = node.serviceKeys(strand.ledger());
    SignedHead head;
    try {
      head = evidence.receipt().verify(evidence.leaf(), strand, keys, signatures);
    } catch (ProofRejectedException e) {
      return failed(
          strand,
          e.reason().name().toLowerCase(Locale.ROOT),
          Objects.requireNonNullElse(e.getMessage(), ""));
    }
    long jsn = evidence.receipt().proof().index();
    String contradiction = contradiction(node, strand, evidence, head.size().value());
    if (contradiction != null) {
      // Its signature is good: a fork of this log, or a log that was set back.
      CONTRADICTIONS.line(end ->
          LOG.error(
              "A valid receipt of journal {} contradicts the log {}: {}{}",
              jsn,
              strand,
              contradiction,
              end));
      return failed(strand, "log_contradicts", contradiction);
    }
    return new Json.Verdict(
        true, LEVEL, jsn, head.size().value(), head.root().digest().hex(), null, null);
  }

  /// The contradiction of the log itself to a receipt that verifies; null if it agrees.
  private static @Nullable String contradiction(
      LedgerNode node, StrandId strand, Evidence evidence, long size)
      throws RequestRejectedException {
    InclusionProof proof = evidence.receipt().proof();
    long jsn = proof.index();
    long newest = node.newestSize(strand);
    if (size > newest) {
      return String.format(Locale.ROOT, "it is signed for %d leaves, the log has %d", size, newest);
    }
    if (!node.journal(strand, jsn, false).leaf().equals(evidence.leaf())) {
      return "the log holds another leaf at " + jsn;
    }
    // Same leaf, place, size and path: the same root.
    return node.inclusion(strand, jsn, size).inclusion().path().equals(proof.path())
        ? null
        : "the log's tree of " + size + " leaves is another";
  }

  private Json.Verdict failed(StrandId strand, String reason, String detail) {
    metrics.verifyFailed();
    LINES.line(end -> LOG.warn("Evidence shown for {} fails: {}{}", strand, reason, end));
    return new Json.Verdict(false, LEVEL, null, null, null, reason, detail);
  }
}
