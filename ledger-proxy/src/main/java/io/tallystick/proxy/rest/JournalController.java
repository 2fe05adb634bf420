package io.tallystick.proxy.rest;

import io.tallystick.journal.JournalFilter;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import io.tallystick.proxy.read.PageCursor;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadJournal;
import io.tallystick.proxy.read.ReadableLog;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Journals over HTTP: appending, reading, proving one by one.
@RestController
final class JournalController {
  static final String COSE = "application/cose";

  private final ReadAccess access;
  private final SubmissionInput submissions;
  private final AwaitedAppends appends;
  private final PlatformThreads threads;

  JournalController(
      ReadAccess access,
      SubmissionInput submissions,
      AwaitedAppends appends,
      PlatformThreads threads) {
    this.access = access;
    this.submissions = submissions;
    this.appends = appends;
    this.threads = threads;
  }

  @PostMapping(
      path = Paths.JOURNALS,
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  void append(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    UnverifiedSubmission submission = read(in, () -> submissions.single(strand, in));
    boolean deferred = deferred(in);
    in.end();
    if (deferred) {
      promise(submission, response);
    } else {
      appended(submission, response);
    }
  }

  /// The same for a request that travels as one COSE_Sign1, answered with its receipt alone, as
  /// COSE, unless JSON is asked for.
  @PostMapping(path = Paths.JOURNALS, consumes = COSE)
  void appendCose(
      @PathVariable("ledger") String ledger,
      @RequestBody byte[] body,
      @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable String accept,
      HttpServletResponse response)
      throws RequestRejectedException, HttpMediaTypeNotAcceptableException, IOException {
    AnswerForm form = AnswerForm.of(accept, List.of(AnswerForm.COSE, AnswerForm.JSON));
    UnverifiedSubmission submission = SubmissionInput.cose(Paths.strand(ledger), body);
    if (form == AnswerForm.JSON) {
      appended(submission, response);
    } else {
      AwaitedAppends.Outcome outcome = outcome(submission);
      locate(submission, outcome.committed(), response);
      PlainAnswer.write(response, COSE, outcome.receipt().unsafeArray());
    }
  }

  /// A submission that comes with its attestation needs no look at a member's key, and no thread
  /// that may touch a disk.
  private UnverifiedSubmission read(
      JsonInput in, PlatformThreads.Work<UnverifiedSubmission> reading)
      throws RequestRejectedException {
    return SubmissionInput.looksUpKeys(in) ? threads.call(reading) : reading.run();
  }

  private static boolean deferred(JsonInput in) throws RequestRejectedException {
    String mode = in.optionalText("mode").orElse("receipt");
    return switch (mode) {
      case "receipt" -> false;
      case "deferred" -> true;
      default -> throw in.refused("mode", "is neither receipt nor deferred");
    };
  }

  private void appended(UnverifiedSubmission submission, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    AwaitedAppends.Outcome outcome = outcome(submission);
    Committed committed = outcome.committed();
    locate(submission, committed, response);
    PlainAnswer.json(
        response,
        new Json.Appended(
            committed.firstJsn(),
            committed.timeMs(),
            committed.repeated(),
            Json.base64(outcome.leaf()),
            Json.base64(outcome.receipt())));
  }

  private AwaitedAppends.Outcome outcome(UnverifiedSubmission submission)
      throws RequestRejectedException {
    Receipted receipted = appends.receipted(submission);
    // Only a repeat reads a disk for its evidence.
    return receipted.committed().repeated()
        ? threads.call(() -> appends.stored(submission, receipted))
        : AwaitedAppends.Outcome.made(submission, receipted);
  }

  /// Tells the place of a journal that is there now, or was there already.
  private static void locate(
      UnverifiedSubmission submission, Committed committed, HttpServletResponse response) {
    response.setStatus(
        committed.repeated() ? HttpServletResponse.SC_OK : HttpServletResponse.SC_CREATED);
    setLocation(submission, committed, response);
  }

  private static void setLocation(
      UnverifiedSubmission submission, Committed committed, HttpServletResponse response) {
    response.setHeader(
        HttpHeaders.LOCATION, Paths.journal(submission.strand().ledger(), committed.firstJsn()));
  }

  private void promise(UnverifiedSubmission submission, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    Committed committed = appends.committed(submission);
    response.setStatus(HttpServletResponse.SC_ACCEPTED);
    setLocation(submission, committed, response);
    PlainAnswer.json(
        response,
        new Json.Promised(
            committed.firstJsn(),
            committed.count(),
            committed.timeMs(),
            committed.repeated(),
            committed.delegated()));
  }

  @PostMapping(
      path = Paths.JOURNALS + ":batch",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  void batch(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    UnverifiedSubmission submission = read(in, () -> submissions.batch(strand, in));
    boolean deferred = deferred(in);
    in.end();
    if (deferred) {
      promise(submission, response);
      return;
    }
    Receipted receipted = appends.receipted(submission);
    Committed committed = receipted.committed();
    locate(submission, committed, response);
    PlainAnswer.json(
        response,
        new Json.BatchAppended(
            committed.firstJsn(),
            committed.count(),
            committed.timeMs(),
            committed.repeated(),
            committed.delegated(),
            Json.base64(receipted.rangeReceipt())));
  }

  /// Journals of kinds 16 and 17 only: nothing else belongs under members.
  @PostMapping(
      path = Paths.LEDGER + "/members",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  void member(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    UnverifiedSubmission submission = read(in, () -> submissions.single(strand, in));
    in.end();
    SubmissionInput.checkMemberKind(submission);
    appended(submission, response);
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<Json.Journal> journal(
      @PathVariable("ledger") String ledger, @PathVariable("jsn") String jsnText, Bearer bearer)
      throws RequestRejectedException, JournalRemovedException {
    ReadableLog log = log(ledger, bearer);
    long jsn = Paths.number("jsn", jsnText);
    ReadJournal read;
    try {
      read = threads.call(() -> log.journal(jsn));
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.PURGED) {
        throw JournalRemovedException.purged(e, threads.call(() -> log.erasure(jsn)));
      }
      throw e;
    }
    if (read.erasure().isPresent()) {
      throw JournalRemovedException.erased(jsn, read.erasure().get());
    }
    return erasable(Json.Journal.of(read.view()));
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}/erasure", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Erasure erasure(
      @PathVariable("ledger") String ledger, @PathVariable("jsn") String jsnText, Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    long jsn = Paths.number("jsn", jsnText);
    return threads.call(() -> Json.Erasure.of(log.erasure(jsn)));
  }

  @GetMapping(path = Paths.JOURNALS, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<Json.Journals> journals(
      @PathVariable("ledger") String ledger,
      @RequestParam @QueryNames({"from", "limit", "cursor", "signer", "kind", "fromTime", "toTime"})
          MultiValueMap<String, String> query,
      Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    LedgerId id = log.strand().ledger();
    QueryInput in = new QueryInput(query);
    int limit = PageLimit.of(in.number("limit", 0));
    in.exclude("from", "cursor");
    JournalFilter filter = in.filter();
    String cursor = in.text("cursor");
    PageCursor start =
        cursor == null
            ? new PageCursor(in.number("from", 0), PageCursor.NEWEST)
            : CursorText.page(id, filter, cursor);
    return erasable(
        threads.call(() ->
            filter.isAll()
                ? Json.Journals.of(id, log.page(start, limit))
                : Json.Journals.of(id, filter, log.scan(filter, start, limit))));
  }

  /// A body may be erased one day, and must then be gone from caches too.
  private static <T> ResponseEntity<T> erasable(T answer) {
    return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(answer);
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}/receipt")
  ResponseEntity<?> receipt(
      @PathVariable("ledger") String ledger,
      @PathVariable("jsn") String jsnText,
      @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable String accept,
      Bearer bearer)
      throws RequestRejectedException, HttpMediaTypeNotAcceptableException {
    AnswerForm form = AnswerForm.of(accept, List.of(AnswerForm.JSON, AnswerForm.COSE));
    ReadableLog log = log(ledger, bearer);
    long jsn = Paths.number("jsn", jsnText);
    Object receipt =
        form == AnswerForm.COSE
            ? threads.call(() -> log.receipt(jsn).toArray())
            : threads.call(() -> Json.Receipt.of(jsn, log.receiptedLeaf(jsn)));
    return ResponseEntity.ok().contentType(form.type()).body(receipt);
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}/proof", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.InclusionProof proof(
      @PathVariable("ledger") String ledger,
      @PathVariable("jsn") String jsnText,
      @RequestParam(name = "size", required = false) @Nullable String sizeText,
      Bearer bearer)
      throws RequestRejectedException {
    ReadableLog log = log(ledger, bearer);
    long jsn = Paths.number("jsn", jsnText);
    long size = Paths.number("size", sizeText, 0);
    return threads.call(() -> Json.InclusionProof.of(log.inclusion(jsn, size)));
  }

  private ReadableLog log(String ledger, Bearer bearer) throws RequestRejectedException {
    return new ReadableLog(access, bearer, Paths.strand(ledger));
  }
}
