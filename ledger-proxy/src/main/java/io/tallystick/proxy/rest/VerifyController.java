package io.tallystick.proxy.rest;

import io.tallystick.journal.ClueRules;
import io.tallystick.journal.Commitments;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.ReadableLog;
import io.tallystick.proxy.verify.ServerVerifier;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/// The server's level of verification: of a receipt that is shown, or of a journal or a clue that
/// is named, with or without data.
@RestController
final class VerifyController {
  private static final List<String> RECEIPTS = List.of("receiptFile", "receipt");
  private static final List<String> CLUES = List.of("clue", "clueId");

  private final ServerVerifier verifier;
  private final ReadAccess access;
  private final PlatformThreads threads;

  VerifyController(ServerVerifier verifier, ReadAccess access, PlatformThreads threads) {
    this.verifier = verifier;
    this.access = access;
    this.threads = threads;
  }

  @PostMapping(
      path = Paths.LEDGER + ":verify",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  VerdictJson verify(@PathVariable("ledger") String ledger, @RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException, JournalRemovedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    checkOne(in);
    ServerVerifier.Caller caller = verifier.of(strand, bearer);
    if (in.has("jsn")) {
      long jsn = in.optionalNumber("jsn").getAsLong();
      Optional<Bytes> data = in.optionalBytes("data");
      in.end();
      return journal(caller, new ReadableLog(access, bearer, strand), jsn, data);
    }
    if (CLUES.stream().anyMatch(in::has)) {
      Digest clueId = clueId(strand, in);
      Optional<Bytes> data = in.optionalBytes("data");
      in.end();
      return VerdictJson.of(threads.call(() -> caller.clue(clueId, data)));
    }
    ReceiptFile file;
    try {
      file = file(in);
    } catch (MalformedException e) {
      in.end();
      return VerdictJson.of(threads.call(() -> caller.malformed(e)));
    }
    in.end();
    return VerdictJson.of(threads.call(() -> caller.receipt(file)));
  }

  private static void checkOne(JsonInput in) throws RequestRejectedException {
    List<String> found =
        Stream.concat(Stream.concat(RECEIPTS.stream(), CLUES.stream()), Stream.of("jsn"))
            .filter(in::has)
            .toList();
    if (found.size() > 1) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.join(" and ", found) + " exclude each other");
    }
    if (in.has("data") && found.stream().anyMatch(RECEIPTS::contains)) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "data goes with jsn, clue or clueId, not with a receipt");
    }
  }

  private static Digest clueId(StrandId strand, JsonInput in) throws RequestRejectedException {
    if (in.has("clueId")) {
      return in.digest("clueId");
    }
    String clue = in.text("clue");
    ClueRules.check(List.of(clue));
    return Commitments.clueId(strand.ledger(), clue);
  }

  private static ReceiptFile file(JsonInput in)
      throws RequestRejectedException, MalformedException {
    if (in.has("receiptFile")) {
      return ReceiptFile.decode(in.bytes("receiptFile"));
    }
    Bytes leaf = in.bytes("leaf");
    return new ReceiptFile(leaf, Receipt.decode(in.bytes("receipt")));
  }

  private VerdictJson journal(
      ServerVerifier.Caller caller, ReadableLog log, long jsn, Optional<Bytes> data)
      throws RequestRejectedException, JournalRemovedException {
    try {
      return VerdictJson.of(threads.call(() -> caller.journal(jsn, data)));
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.PURGED) {
        throw JournalRemovedException.purged(e, threads.call(() -> log.erasure(jsn)));
      }
      if (e.code() == RejectionCode.ERASED) {
        throw JournalRemovedException.erased(jsn, threads.call(() -> log.erasure(jsn)));
      }
      throw e;
    }
  }
}
