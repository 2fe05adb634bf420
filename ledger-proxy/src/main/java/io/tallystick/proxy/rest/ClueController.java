package io.tallystick.proxy.rest;

import io.tallystick.lineage.LineageFile;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenLineage;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.LineagePage;
import io.tallystick.proxy.read.LineageRequest;
import io.tallystick.proxy.read.ReadableClues;
import io.tallystick.receipt.Receipt;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Clues over HTTP: which journals name one, proven complete. Every answer comes as JSON, or as the
/// evidence file of what it proves. Source: `docs/formats/lineage.md`.
@RestController
final class ClueController {
  private final ReadAccess access;
  private final PlatformThreads threads;

  ClueController(ReadAccess access, PlatformThreads threads) {
    this.access = access;
    this.threads = threads;
  }

  @GetMapping(path = Paths.LEDGER + "/clue")
  ResponseEntity<?> clue(
      @PathVariable("ledger") String ledger,
      @RequestParam @QueryNames({"clue", "clueId"}) MultiValueMap<String, String> query,
      @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable String accept,
      Bearer bearer)
      throws RequestRejectedException, HttpMediaTypeNotAcceptableException {
    AnswerForm form = form(accept);
    StrandId strand = Paths.strand(ledger);
    Digest clueId = new QueryInput(query).clueId(strand.ledger());
    return threads.call(() -> {
      ProvenClue clue = new ReadableClues(access, bearer, strand).clue(clueId);
      return form == AnswerForm.JSON
          ? answer(form, Json.Clue.of(clueId, clue))
          : file(clueId, clue, clue.proof().encode());
    });
  }

  @GetMapping(path = Paths.LEDGER + "/lineage")
  ResponseEntity<?> lineage(
      @PathVariable("ledger") String ledger,
      @RequestParam
          @QueryNames({
            "clue",
            "clueId",
            "from",
            "fromJsn",
            "order",
            "limit",
            "asOfSize",
            "asOfBlock",
            "journals",
            "cursor"
          })
          MultiValueMap<String, String> query,
      @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable String accept,
      Bearer bearer)
      throws RequestRejectedException, HttpMediaTypeNotAcceptableException {
    AnswerForm form = form(accept);
    StrandId strand = Paths.strand(ledger);
    QueryInput in = new QueryInput(query);
    LineageRequest page = in.lineage(strand.ledger());
    boolean journals = in.choice("journals", "true", "false", true);
    ReadableClues clues = new ReadableClues(access, bearer, strand);
    return threads.call(() -> lineage(clues, page, journals, form));
  }

  private static ResponseEntity<?> lineage(
      ReadableClues clues, LineageRequest request, boolean journals, AnswerForm form)
      throws RequestRejectedException {
    Digest clueId = request.query().clueId();
    if (form != AnswerForm.JSON) {
      return file(clueId, clues.page(request).lineage());
    }
    if (!journals) {
      return answer(form, Json.Lineage.of(clueId, clues.page(request), null));
    }
    LineagePage page = clues.pageWithJournals(request);
    List<Json.Journal> shown = page.journals().stream().map(Json.Journal::of).toList();
    return answer(form, Json.Lineage.of(clueId, page, shown));
  }

  /// Also of a clue that was deleted since.
  @GetMapping(path = Paths.JOURNALS + "/{jsn}/membership")
  ResponseEntity<?> membership(
      @PathVariable("ledger") String ledger,
      @PathVariable("jsn") String jsnText,
      @RequestParam @QueryNames({"clue", "clueId"}) MultiValueMap<String, String> query,
      @RequestHeader(name = HttpHeaders.ACCEPT, required = false) @Nullable String accept,
      Bearer bearer)
      throws RequestRejectedException, HttpMediaTypeNotAcceptableException {
    AnswerForm form = form(accept);
    StrandId strand = Paths.strand(ledger);
    long jsn = Paths.number("jsn", jsnText);
    Digest clueId = new QueryInput(query).clueId(strand.ledger());
    return threads.call(() -> {
      ProvenLineage one = new ReadableClues(access, bearer, strand).membership(clueId, jsn);
      return form == AnswerForm.JSON
          ? answer(form, Json.Membership.of(clueId, one))
          : file(clueId, one);
    });
  }

  private static AnswerForm form(@Nullable String accept)
      throws HttpMediaTypeNotAcceptableException {
    return AnswerForm.of(accept, List.of(AnswerForm.JSON, AnswerForm.CBOR));
  }

  /// An answer that is of another head by the next block, so of no use to a cache.
  private static ResponseEntity<?> answer(AnswerForm form, Object body) {
    return ResponseEntity.ok()
        .contentType(form.type())
        .cacheControl(CacheControl.noStore())
        .header(HttpHeaders.VARY, HttpHeaders.ACCEPT)
        .body(body);
  }

  private static ResponseEntity<?> file(Digest clueId, ProvenLineage lineage) {
    Bytes proof =
        lineage.proof().isPresent()
            ? lineage.proof().get().encode()
            : lineage.clue().proof().encode();
    return file(clueId, lineage.clue(), proof);
  }

  private static ResponseEntity<?> file(Digest clueId, ProvenClue clue, Bytes proof) {
    LineageFile file = new LineageFile(clueId, statement(clue.head()), proof);
    return answer(AnswerForm.CBOR, file.encode().toArray());
  }

  /// The statement that the service signed of a block's head.
  private static Bytes statement(BlockView head) {
    try {
      return Receipt.decode(head.headReceipt())
          .head()
          .statement(new JournalRoot(head.root()))
          .encode();
    } catch (MalformedException e) {
      throw new AssertionError("a receipt of our own does not decode", e);
    }
  }
}
