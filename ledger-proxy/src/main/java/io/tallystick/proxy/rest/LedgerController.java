package io.tallystick.proxy.rest;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.GenesisProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.StateParams;
import io.tallystick.journal.StyleRules;
import io.tallystick.master.FoundingRule;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.LedgerName;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.Founders;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.read.PageLimit;
import io.tallystick.proxy.read.ReadableLedgers;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// The service itself, its ledgers and their members.
@RestController
final class LedgerController {
  /// Founding waits for a commit, on a thread that others read with.
  private static final int FOUNDINGS_MAX = 2;

  private final Semaphore foundings = new Semaphore(FOUNDINGS_MAX);
  private final LedgerRegistry registry;
  private final ReadAccess access;
  private final Founders founders;
  private final PlatformThreads threads;
  private final String version;
  private final SecureRandom random = new SecureRandom();

  LedgerController(
      LedgerRegistry registry,
      ReadAccess access,
      Founders founders,
      PlatformThreads threads,
      String version) {
    this.registry = registry;
    this.access = access;
    this.founders = founders;
    this.threads = threads;
    this.version = version;
  }

  @GetMapping(path = "/v1/service", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Service service() {
    ServiceIdentity identity = registry.identity();
    return new Json.Service(
        identity.authority().value(),
        Json.base64(identity.noteKey().spki()),
        Json.base64(identity.receiptKey().spki()),
        registry.timeMs(),
        GenesisParams.DEFAULT_WINDOW_MS,
        Limits.REQUEST_BYTES_MAX,
        Limits.BATCH_COUNT_MAX,
        Limits.BATCH_BYTES_MAX,
        version);
  }

  @GetMapping(path = Paths.LEDGERS, produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Ledgers ledgers(
      @RequestParam(name = "limit", required = false) @Nullable String limitText,
      @RequestParam(name = "cursor", required = false) @Nullable String cursor,
      Bearer bearer)
      throws RequestRejectedException {
    int limit = PageLimit.of(Paths.number("limit", limitText, 0));
    LedgerId after = cursor == null ? null : new LedgerId(JsonInput.digest("cursor", cursor));
    return threads.call(() -> Json.Ledgers.of(ledgers(bearer).page(after, limit)));
  }

  @GetMapping(path = Paths.ONE_LEDGER, produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Ledger ledger(@PathVariable("ledger") String ledger, Bearer bearer)
      throws RequestRejectedException, JournalRemovedException {
    LedgerId id = Paths.ledger(ledger);
    try {
      return threads.call(() -> Json.Ledger.whole(ledgers(bearer).ledger(id)));
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.PURGED) {
        throw JournalRemovedException.purged(
            e, threads.call(() -> ledgers(bearer).deletion(id, e)));
      }
      throw e;
    }
  }

  private ReadableLedgers ledgers(Bearer bearer) {
    return new ReadableLedgers(registry, access, bearer);
  }

  @GetMapping(path = Paths.LEDGER + "/members", produces = MediaType.APPLICATION_JSON_VALUE)
  Json.Members members(@PathVariable("ledger") String ledger, Bearer bearer)
      throws RequestRejectedException {
    LedgerId id = Paths.ledger(ledger);
    return threads.call(() -> Json.Members.of(ledgers(bearer).members(id)));
  }

  @PostMapping(
      path = Paths.LEDGERS,
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<Json.Ledger> found(@RequestBody byte[] body, Bearer bearer)
      throws RequestRejectedException {
    JsonInput in = JsonInput.parse(body);
    Bytes params = in.bytes("genesisParams");
    LedgerName name = LedgerName.of(salt(in), in.text("name"));
    Bytes attestation = in.has("signatures") ? attestation(params, in) : in.bytes("attestation");
    String invitation = in.optionalText("invitation").orElse(null);
    in.end();
    if (!foundings.tryAcquire()) {
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED, FOUNDINGS_MAX + " ledgers are being founded")
          .withLimit(FOUNDINGS_MAX);
    }
    try {
      return found(params, attestation, name, founders.ruleFor(invitation), bearer);
    } finally {
      foundings.release();
    }
  }

  private ResponseEntity<Json.Ledger> found(
      Bytes params, Bytes attestation, LedgerName name, FoundingRule rule, Bearer bearer)
      throws RequestRejectedException {
    return threads.call(() -> {
      CreatedLedger created = registry.create(params, attestation, name, rule);
      Json.Ledger answer =
          Json.Ledger.whole(ledgers(bearer).founded(created))
              .founded(created.genesisLeaf(), created.genesisReceipt());
      URI location = URI.create(Paths.LEDGERS + "/" + created.ledger().id().hex());
      return (created.existed()
              ? ResponseEntity.ok().location(location)
              : ResponseEntity.created(location))
          .body(answer);
    });
  }

  private static Digest salt(JsonInput in) throws RequestRejectedException {
    Bytes salt = in.bytes("nameSalt");
    if (salt.size() != Limits.SALT_BYTES) {
      throw in.refused("nameSalt", "has " + salt.size() + " bytes, want " + Limits.SALT_BYTES);
    }
    return Digest.of(salt);
  }

  /// Makes the attestation of bare signatures: the owners' keys are in the parameters.
  private static Bytes attestation(Bytes encodedParams, JsonInput in)
      throws RequestRejectedException {
    GenesisParams params = decode(encodedParams);
    List<CoseSign1> signatures = new ArrayList<>();
    for (JsonInput each : in.objects("signatures", Limits.SIGNERS_MAX)) {
      Digest kid = each.digest("kid");
      PublicKey key =
          params.owners().stream()
              .filter(owner -> owner.kid().equals(kid))
              .findFirst()
              .orElseThrow(() ->
                  new RequestRejectedException(
                      RejectionCode.UNKNOWN_KEY, "genesisParams name no owner " + kid));
      GenesisProtected header = new GenesisProtected(key.algorithm(), key.kid());
      signatures.add(SubmissionInput.message(header, encodedParams, each));
    }
    return SubmissionInput.encode(signatures, in);
  }

  private static GenesisParams decode(Bytes encoded) throws RequestRejectedException {
    try {
      return GenesisParams.decode(encoded);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "genesisParams: " + e.getMessage(), e);
    }
  }

  /// Makes the genesis of a ledger for clients that know neither CBOR nor COSE. Nothing is founded
  /// or remembered.
  @PostMapping(
      path = Paths.LEDGERS + ":prepare",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  Json.PreparedLedger prepare(@RequestBody byte[] body) throws RequestRejectedException {
    JsonInput in = JsonInput.parse(body);
    String name = in.text("name");
    LedgerName.checkName(name);
    List<PublicKey> owners = owners(in);
    boolean isPublic = in.flag("public", false);
    long windowMs = in.optionalNumber("maxWindowMs").orElse(GenesisParams.DEFAULT_WINDOW_MS);
    Set<Feature> features = in.features("features", Set.of(Feature.CLUE_TRIE));
    StyleRules.checkFounding(features, owners.size(), in.has("stateParams"));
    StateParams state = features.contains(Feature.STATE_FOREST) ? stateParams(in) : null;
    in.end();
    Bytes nameSalt = random(Limits.SALT_BYTES);
    ServiceIdentity identity = registry.identity();
    GenesisParams params;
    try {
      params =
          new GenesisParams(
              identity.authority(),
              Commitments.name(nameSalt, name),
              random(GenesisParams.RANDOM_BYTES),
              owners,
              identity.noteKey(),
              identity.receiptKey(),
              registry.clockMs(),
              isPublic,
              1,
              windowMs,
              features,
              state);
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
    Bytes encoded = params.encode();
    return new Json.PreparedLedger(
        Commitments.ledgerId(encoded).hex(),
        name,
        Json.base64(nameSalt),
        Json.base64(encoded),
        owners.stream()
            .map(key ->
                PrepareController.toSign(new GenesisProtected(key.algorithm(), key.kid()), encoded))
            .toList());
  }

  /// Defaults where the caller names nothing.
  private static StateParams stateParams(JsonInput in) throws RequestRejectedException {
    if (!in.has("stateParams")) {
      return StateParams.DEFAULT;
    }
    JsonInput wanted = in.object("stateParams");
    StateParams usual = StateParams.DEFAULT;
    long entriesMax = wanted.optionalNumber("partitionEntriesMax").orElse(usual.entriesMax());
    long leafMax = wanted.optionalNumber("leafEntriesMax").orElse(usual.leafEntriesMax());
    long innerMax = wanted.optionalNumber("innerEntriesMax").orElse(usual.innerEntriesMax());
    wanted.end();
    try {
      return StateParams.of(entriesMax, Math.toIntExact(leafMax), Math.toIntExact(innerMax));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw in.refused("stateParams", "are out of range: " + e.getMessage());
    }
  }

  private static List<PublicKey> owners(JsonInput in) throws RequestRejectedException {
    List<PublicKey> owners = new ArrayList<>();
    for (String text : in.texts("owners", GenesisParams.OWNERS_MAX)) {
      owners.add(PrepareController.key("owners", text));
    }
    owners.sort(Comparator.comparing(PublicKey::kid));
    return owners;
  }

  private Bytes random(int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return Bytes.wrap(value);
  }
}
