package io.tallystick.proxy.rest;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.proposal.Proposals;
import io.tallystick.proxy.read.PageLimit;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Proposals over HTTP, for clients with CBOR and COSE and for those with a signature library only.
@RestController
final class ProposalController {
  private static final String PROPOSALS = Paths.LEDGER + "/proposals";
  private static final String PROPOSAL = PROPOSALS + "/{requestHash}";

  /// A last signature waits for a commit, on a thread that others read with.
  private static final int SIGNINGS_MAX = 2;

  private final Semaphore signings = new Semaphore(SIGNINGS_MAX);
  private final Proposals proposals;
  private final SubmissionInput submissions;
  private final PlatformThreads threads;

  ProposalController(Proposals proposals, SubmissionInput submissions, PlatformThreads threads) {
    this.proposals = proposals;
    this.submissions = submissions;
    this.threads = threads;
  }

  @PostMapping(
      path = PROPOSALS,
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ProposalJson.Proposal put(@PathVariable("ledger") String ledger, @RequestBody byte[] body)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    return signing(() -> {
      Proposal proposal = in.has("proposal") ? decode(in.bytes("proposal")) : proposal(strand, in);
      in.end();
      return ProposalJson.Proposal.whole(proposals.put(strand, proposal));
    });
  }

  private static Proposal decode(Bytes encoded) throws RequestRejectedException {
    try {
      return Proposal.decode(encoded);
    } catch (MalformedException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "proposal: " + e.getMessage(), e);
    }
  }

  /// Makes a proposal of a prepared request and bare signatures.
  private Proposal proposal(StrandId strand, JsonInput in) throws RequestRejectedException {
    Bytes header = in.bytes("header");
    Bytes salt = in.bytes("salt");
    if (salt.size() != Limits.SALT_BYTES) {
      throw in.refused("salt", "has " + salt.size() + " bytes, want " + Limits.SALT_BYTES);
    }
    Bytes attestation = submissions.attestation(strand, RequestHeader.hash(header), in);
    try {
      return new Proposal(
          header,
          salt,
          Attestation.decode(attestation, RequestHeader.decode(header).kind()).signatures());
    } catch (MalformedException | IllegalArgumentException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "proposal: " + e.getMessage(), e);
    }
  }

  @GetMapping(path = PROPOSALS, produces = MediaType.APPLICATION_JSON_VALUE)
  ProposalJson.Page list(
      @PathVariable("ledger") String ledger,
      @RequestParam(name = "limit", required = false) @Nullable String limitText,
      @RequestParam(name = "cursor", required = false) @Nullable String cursor,
      Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    int limit = PageLimit.of(Paths.number("limit", limitText, 0));
    Digest after = cursor == null ? null : JsonInput.digest("cursor", cursor);
    return threads.call(() -> ProposalJson.Page.of(proposals.list(id, after, limit, bearer)));
  }

  @GetMapping(path = PROPOSAL, produces = MediaType.APPLICATION_JSON_VALUE)
  ProposalJson.Proposal get(
      @PathVariable("ledger") String ledger,
      @PathVariable("requestHash") String requestHash,
      Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    Digest hash = JsonInput.digest("requestHash", requestHash);
    return threads.call(() -> ProposalJson.Proposal.whole(proposals.get(id, hash, bearer)));
  }

  @PostMapping(
      path = PROPOSAL + "/signatures",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ProposalJson.Proposal sign(
      @PathVariable("ledger") String ledger,
      @PathVariable("requestHash") String requestHash,
      @RequestBody byte[] body)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    Digest hash = JsonInput.digest("requestHash", requestHash);
    JsonInput in = JsonInput.parse(body);
    return signing(() -> {
      PublicKey key = submissions.signer(strand, in.digest("kid"));
      RequestProtected header = new RequestProtected(key.algorithm(), key.kid(), strand);
      CoseSign1 signature = SubmissionInput.message(header, hash.toBytes(), in);
      return ProposalJson.Proposal.whole(proposals.sign(strand, hash, signature));
    });
  }

  @DeleteMapping(path = PROPOSAL, produces = MediaType.APPLICATION_JSON_VALUE)
  ProposalJson.Withdrawn withdraw(
      @PathVariable("ledger") String ledger,
      @PathVariable("requestHash") String requestHash,
      Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    Digest hash = JsonInput.digest("requestHash", requestHash);
    return threads.call(() -> {
      proposals.withdraw(id, hash, bearer);
      return new ProposalJson.Withdrawn(hash.hex());
    });
  }

  private ProposalJson.Proposal signing(PlatformThreads.Work<ProposalJson.Proposal> work)
      throws RequestRejectedException {
    if (!signings.tryAcquire()) {
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED, SIGNINGS_MAX + " proposals are being signed")
          .withLimit(SIGNINGS_MAX);
    }
    try {
      return threads.call(work);
    } finally {
      signings.release();
    }
  }
}
