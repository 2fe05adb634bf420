package io.tallystick.proxy.rest;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.StateHistory;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.BlockAtTime;
import io.tallystick.proxy.read.HistoryCursor;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadableState;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// The values of a ledger's state, each answer with its proof. Source: `docs/formats/forest.md`.
@RestController
final class StateController {
  /// The end of the path of a read of several keys.
  static final String LOOKUP = "/state:lookup";

  private static final String STATE = Paths.LEDGER + "/state";

  private final ReadAccess access;
  private final PlatformThreads threads;

  StateController(ReadAccess access, PlatformThreads threads) {
    this.access = access;
    this.threads = threads;
  }

  @GetMapping(path = STATE + "/{key}", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<StateJson.Key> key(
      @PathVariable("ledger") String ledger,
      @PathVariable("key") String keyText,
      @RequestParam @QueryNames({"keys", "asOf", "atTime", "proof", "values"})
          MultiValueMap<String, String> query,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    QueryInput in = new QueryInput(query);
    Bytes key = keyOf("key", keyText, in);
    long height = in.number("asOf", StateReads.NEWEST);
    OptionalLong time = atTime(in);
    boolean withProof = in.choice("proof", "true", "false", true);
    boolean withValue = in.choice("values", "true", "false", true);
    ReadableState state = new ReadableState(access, bearer, strand);
    return threads.call(() -> {
      Optional<BlockAtTime> at = at(state, time);
      long wanted = at.map(found -> found.block().height()).orElse(height);
      return answer(StateJson.Key.of(state.key(key, wanted, withValue), at, withProof));
    });
  }

  /// The time that the query names instead of a height, or of a page to go on with.
  private static OptionalLong atTime(QueryInput in) throws RequestRejectedException {
    in.exclude("atTime", "asOf");
    in.exclude("atTime", "cursor");
    return in.has("atTime") ? OptionalLong.of(in.number("atTime", 0)) : OptionalLong.empty();
  }

  private static Optional<BlockAtTime> at(ReadableState state, OptionalLong time)
      throws RequestRejectedException {
    return time.isPresent() ? Optional.of(state.block(time.getAsLong())) : Optional.empty();
  }

  /// Several keys, with one proof. They are too many for a query.
  @PostMapping(
      path = Paths.LEDGER + LOOKUP,
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<StateJson.Keys> keys(
      @PathVariable("ledger") String ledger, @RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    List<Bytes> keys = keys(in);
    long height = in.optionalNumber("asOf").orElse(StateReads.NEWEST);
    boolean withProof = in.flag("proof", true);
    boolean withValues = in.flag("values", true);
    in.end();
    ReadableState state = new ReadableState(access, bearer, strand);
    return threads.call(
        () -> answer(StateJson.Keys.of(state.keys(keys, height, withValues), withProof)));
  }

  private static List<Bytes> keys(JsonInput in) throws RequestRejectedException {
    if (!in.has("keyTexts")) {
      return in.listOfBytes("keys");
    }
    if (in.has("keys")) {
      throw in.refused("keys", "and keyTexts exclude each other");
    }
    return in.texts("keyTexts", Integer.MAX_VALUE).stream().map(Bytes::utf8).toList();
  }

  @GetMapping(path = STATE, produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<StateJson.Page> range(
      @PathVariable("ledger") String ledger,
      @RequestParam
          @QueryNames({
            "keys", "from", "to", "limit", "asOf", "atTime", "proof", "values", "cursor"
          })
          MultiValueMap<String, String> query,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    QueryInput in = new QueryInput(query);
    StateQuery wanted = wanted(strand.ledger(), in);
    boolean withProof = in.choice("proof", "true", "false", true);
    ReadableState state = new ReadableState(access, bearer, strand);
    OptionalLong time = atTime(in);
    return threads.call(() -> {
      Optional<BlockAtTime> at = at(state, time);
      StateQuery sought = at.map(found -> wanted.at(found.block().height())).orElse(wanted);
      return answer(
          StateJson.Page.of(strand.ledger(), state.page(sought), wanted.to(), at, withProof));
    });
  }

  /// A cursor says it all but the limit.
  private static StateQuery wanted(LedgerId ledger, QueryInput in) throws RequestRejectedException {
    int limit = PageLimit.of(in.number("limit", 0));
    boolean withValues = in.choice("values", "true", "false", true);
    boolean _ = isText(in); // also where no key is given
    String cursor = in.text("cursor");
    if (cursor != null) {
      in.exclude("cursor", "from");
      in.exclude("cursor", "to");
      in.exclude("cursor", "asOf");
      StateCursor next = StateCursor.parse(ledger, cursor);
      return new StateQuery(next.from(), next.to(), limit, next.height(), withValues);
    }
    return new StateQuery(
        bound("from", in).orElse(Bytes.EMPTY),
        bound("to", in),
        limit,
        in.number("asOf", StateReads.NEWEST),
        withValues);
  }

  private static Optional<Bytes> bound(String name, QueryInput in) throws RequestRejectedException {
    @Nullable String text = in.text(name);
    return text == null ? Optional.empty() : Optional.of(keyOf(name, text, in));
  }

  /// The writes of a key, newest first.
  @GetMapping(path = STATE + "/{key}/history", produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<HistoryJson.History> history(
      @PathVariable("ledger") String ledger,
      @PathVariable("key") String keyText,
      @RequestParam @QueryNames({"keys", "asOf", "limit", "proof", "values", "cursor"})
          MultiValueMap<String, String> query,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    QueryInput in = new QueryInput(query);
    in.exclude("cursor", "asOf");
    Bytes key = keyOf("key", keyText, in);
    long height = in.number("asOf", StateReads.NEWEST);
    int limit = PageLimit.of(in.number("limit", 0));
    boolean withProof = in.choice("proof", "true", "false", true);
    boolean withValues = in.choice("values", "true", "false", true);
    String cursor = in.text("cursor");
    Optional<HistoryCursor> from =
        cursor == null
            ? Optional.empty()
            : Optional.of(CursorText.history(strand.ledger(), key, cursor));
    ReadableState state = new ReadableState(access, bearer, strand);
    return threads.call(() -> {
      StateHistory page =
          state.history(
              new HistoryQuery(
                  key,
                  from.isPresent() ? from.get().size() : state.size(height),
                  from.map(it -> OptionalLong.of(it.before())).orElse(OptionalLong.empty()),
                  from.map(HistoryCursor::newer).orElse(OptionalLong.empty()),
                  limit,
                  withValues,
                  withProof));
      return answer(HistoryJson.History.of(strand.ledger(), key, page, from, withProof));
    });
  }

  /// A key of the path or query: text, or hex if the query says `keys=hex`.
  private static Bytes keyOf(String name, String text, QueryInput in)
      throws RequestRejectedException {
    if (isText(in)) {
      return Bytes.utf8(text);
    }
    try {
      return Bytes.wrap(HexFormat.of().parseHex(text));
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, name + " is no hex", e);
    }
  }

  private static boolean isText(QueryInput in) throws RequestRejectedException {
    return in.choice("keys", "text", "hex", true);
  }

  /// An answer that is of another head by the next block, so of no use to a cache.
  private static <T> ResponseEntity<T> answer(T body) {
    return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(body);
  }
}
