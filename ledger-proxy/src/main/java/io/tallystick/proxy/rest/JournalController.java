package io.tallystick.proxy.rest;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Wants;
import io.tallystick.proxy.execute.Submission;
import io.tallystick.proxy.read.LogPage;
import io.tallystick.proxy.read.PageLimit;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
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
  private final Appends appends;
  private final PlatformThreads threads;

  JournalController(
      ReadAccess access, SubmissionInput submissions, Appends appends, PlatformThreads threads) {
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
    Submission submission = read(in, () -> submissions.single(strand, in));
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
    Submission submission = SubmissionInput.cose(Paths.strand(ledger), body);
    if (form == AnswerForm.JSON) {
      appended(submission, response);
    } else {
      Appends.Outcome outcome = outcome(submission);
      locate(submission, outcome.committed(), response);
      PlainAnswer.write(response, COSE, outcome.receipt().unsafeArray());
    }
  }

  /// A submission that comes with its attestation needs no look at a member's key, and no thread
  /// that may touch a disk.
  private Submission read(JsonInput in, PlatformThreads.Work<Submission> reading)
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

  private void appended(Submission submission, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    Appends.Outcome outcome = outcome(submission);
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

  private Appends.Outcome outcome(Submission submission) throws RequestRejectedException {
    Receipted receipted = appends.receipted(submission);
    // Only a repeat reads a disk for its evidence.
    return receipted.committed().repeated()
        ? threads.call(() -> appends.stored(submission, receipted))
        : Appends.Outcome.made(submission, receipted);
  }

  /// What is there now, or was there already.
  private static void locate(
      Submission submission, Committed committed, HttpServletResponse response) {
    response.setStatus(
        committed.repeated() ? HttpServletResponse.SC_OK : HttpServletResponse.SC_CREATED);
    setLocation(submission, committed, response);
  }

  private static void setLocation(
      Submission submission, Committed committed, HttpServletResponse response) {
    response.setHeader(
        HttpHeaders.LOCATION, Paths.journal(submission.strand().ledger(), committed.firstJsn()));
  }

  private void promise(Submission submission, HttpServletResponse response)
      throws RequestRejectedException, IOException {
    Committed committed = appends.committed(submission);
    response.setStatus(HttpServletResponse.SC_ACCEPTED);
    setLocation(submission, committed, response);
    PlainAnswer.json(
        response,
        new Json.Promised(
            committed.firstJsn(), committed.count(), committed.timeMs(), committed.repeated()));
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
    Submission submission = read(in, () -> submissions.batch(strand, in));
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
    Submission submission = read(in, () -> submissions.single(strand, in));
    in.end();
    SubmissionInput.checkMemberKind(submission);
    appended(submission, response);
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Journal journal(
      @PathVariable("ledger") String ledger, @PathVariable("jsn") String jsnText, Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    long jsn = Paths.number("jsn", jsnText);
    return threads.call(() -> json(node(strand, bearer, Wants.BODIES).journal(strand, jsn, true)));
  }

  private static Json.Journal json(JournalView journal) {
    try {
      return Json.Journal.of(journal);
    } catch (MalformedException e) {
      throw new AssertionError("journal " + journal.jsn() + " was committed malformed", e);
    }
  }

  @GetMapping(path = Paths.JOURNALS, produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Journals journals(
      @PathVariable("ledger") String ledger,
      @RequestParam(name = "from", required = false) @Nullable String from,
      @RequestParam(name = "limit", required = false) @Nullable String limit,
      @RequestParam(name = "cursor", required = false) @Nullable String cursor,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    int count = PageLimit.of(Paths.number("limit", limit, 0));
    if (cursor != null && from != null) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "from and cursor exclude each other");
    }
    long first = Paths.number("from", from, 0);
    PageCursor at = cursor == null ? null : PageCursor.decode(strand.ledger(), cursor);
    return threads.call(() -> page(node(strand, bearer, Wants.BODIES), strand, first, at, count));
  }

  private static Json.Journals page(
      LedgerNode node, StrandId strand, long first, @Nullable PageCursor cursor, int count)
      throws RequestRejectedException {
    long newest = node.ledger(strand.ledger()).size();
    PageCursor at = cursor == null ? new PageCursor(first, newest) : cursor;
    PageLimit.checkStart("from", at.next(), at.size(), newest);
    if (at.next() == at.size()) {
      return new Json.Journals(List.of(), at.size(), null);
    }
    List<LogPage.Item> items = LogPage.read(node, strand, at.next(), at.size(), true, count);
    List<Json.Journal> journals = new ArrayList<>(items.size());
    for (LogPage.Item item : items) {
      journals.add(journal(item));
    }
    long next = items.getLast().jsn() + 1;
    LedgerId ledger = strand.ledger();
    return new Json.Journals(
        journals,
        at.size(),
        next < at.size() ? new PageCursor(next, at.size()).encode(ledger) : null);
  }

  /// As a page shows it: without attestation.
  private static Json.Journal journal(LogPage.Item item) {
    try {
      return Json.Journal.of(
          item.jsn(), item.leaf(), item.bodyState(), null, item.salt(), item.body(), null);
    } catch (MalformedException e) {
      throw new AssertionError("journal " + item.jsn() + " was committed malformed", e);
    }
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}/receipt")
  ResponseEntity<?> receipt(
      @PathVariable("ledger") String ledger,
      @PathVariable("jsn") String jsnText,
      @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable String accept,
      Bearer bearer)
      throws RequestRejectedException, HttpMediaTypeNotAcceptableException {
    AnswerForm form = AnswerForm.of(accept, List.of(AnswerForm.JSON, AnswerForm.COSE));
    StrandId strand = Paths.strand(ledger);
    long jsn = Paths.number("jsn", jsnText);
    return threads.call(() -> {
      LedgerNode node = node(strand, bearer, Wants.EVIDENCE);
      byte[] receipt = node.receipt(strand, jsn);
      ResponseEntity.BodyBuilder answer = ResponseEntity.ok().contentType(form.type());
      return form == AnswerForm.COSE
          ? answer.body(receipt)
          : answer.body(
              new Json.Receipt(
                  jsn,
                  Json.base64(node.journal(strand, jsn, false).leaf()),
                  Json.base64(Bytes.wrap(receipt))));
    });
  }

  @GetMapping(path = Paths.JOURNALS + "/{jsn}/proof", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.InclusionProof proof(
      @PathVariable("ledger") String ledger,
      @PathVariable("jsn") String jsnText,
      @RequestParam(name = "size", required = false) @Nullable String sizeText,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    long jsn = Paths.number("jsn", jsnText);
    long size = Paths.number("size", sizeText, 0);
    return threads.call(() ->
        Json.InclusionProof.of(node(strand, bearer, Wants.EVIDENCE).inclusion(strand, jsn, size)));
  }

  private LedgerNode node(StrandId strand, Bearer bearer, Wants wants)
      throws RequestRejectedException {
    return access.node(strand.ledger(), bearer, wants);
  }
}
