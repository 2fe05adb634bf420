package io.tallystick.proxy.rest;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerView;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/// Builds requests for clients that have JSON and a signature library and nothing else. Nothing is
/// stored; what comes back is signed and handed to append, and a byte changed in between is refused
/// there. `docs/rest.md` shows how to check what one is asked to sign.
@RestController
final class PrepareController {
  private final LedgerRegistry registry;
  private final SubmissionInput submissions;
  private final PlatformThreads threads;
  private final SecureRandom random = new SecureRandom();

  PrepareController(LedgerRegistry registry, SubmissionInput submissions, PlatformThreads threads) {
    this.registry = registry;
    this.submissions = submissions;
    this.threads = threads;
  }

  @PostMapping(
      path = Paths.JOURNALS + ":prepare",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  Json.PreparedRequest journal(@PathVariable("ledger") String ledger, @RequestBody byte[] body)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    String kind = in.optionalText("kind").orElse("append");
    return switch (kind) {
      case "append" -> {
        Bytes payload = in.bytes("payload");
        String contentType = in.optionalText("contentType").orElse("");
        List<String> clues = in.clues("clues");
        Extension none = Extension.None.INSTANCE;
        List<DraftOp> ops = OperationInput.read(in);
        RequestDraft draft =
            draft(strand, in, Kind.APPEND, none, payload, contentType, clues).withOps(ops);
        yield prepared(draft, in);
      }
      case "clueDelete" -> {
        Extension none = Extension.None.INSTANCE;
        yield prepared(strand, in, Kind.CLUE_DELETE, none, Bytes.EMPTY, "", in.clue("clue"));
      }
      case "parameters" ->
          prepared(strand, in, Kind.PARAMETERS, parameters(in), Bytes.EMPTY, "", List.of());
      case "close" ->
          prepared(strand, in, Kind.CLOSE, Extension.Close.INSTANCE, Bytes.EMPTY, "", List.of());
      case "occult" -> {
        Extension occult = ErasureInput.occult(strand.ledger(), in);
        yield prepared(strand, in, Kind.OCCULT, occult, Bytes.EMPTY, "", List.of());
      }
      case "purge" ->
          prepared(strand, in, Kind.PURGE, ErasureInput.purge(in), Bytes.EMPTY, "", List.of());
      case "recall" ->
          prepared(strand, in, Kind.RECALL, ErasureInput.recall(in), Bytes.EMPTY, "", List.of());
      default ->
          throw in.refused(
              "kind", "is none of append, clueDelete, parameters, close, occult, purge, recall");
    };
  }

  private static Extension parameters(JsonInput in) throws RequestRejectedException {
    long firstHeight = in.optionalNumber("firstHeight").orElse(0);
    Set<Feature> features = in.features("features", Set.of());
    if (firstHeight < 1) {
      throw in.refused("firstHeight", "is missing or 0");
    }
    if (features.isEmpty()) {
      throw in.refused("features", "are missing");
    }
    if (features.stream().anyMatch(Feature::style)) {
      throw in.refused("features", "of 3 and above come with genesis alone");
    }
    return new Extension.Parameters(firstHeight, features);
  }

  @PostMapping(
      path = Paths.LEDGER + "/members:prepare",
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = MediaType.APPLICATION_JSON_VALUE)
  Json.PreparedRequest member(@PathVariable("ledger") String ledger, @RequestBody byte[] body)
      throws RequestRejectedException {
    StrandId strand = Paths.strand(ledger);
    JsonInput in = JsonInput.parse(body);
    String action = in.text("action");
    return switch (action) {
      case "add" -> {
        Extension add = new Extension.MemberAdd(role(in), key("spki", in.text("spki")));
        yield prepared(strand, in, Kind.MEMBER_ADD, add, Bytes.EMPTY, "", List.of());
      }
      case "revoke" -> {
        Extension revoke = new Extension.MemberRevoke(in.digest("kid"));
        yield prepared(strand, in, Kind.MEMBER_REVOKE, revoke, Bytes.EMPTY, "", List.of());
      }
      case "grant" -> prepared(strand, in, Kind.GRANT, grant(in), Bytes.EMPTY, "", List.of());
      default -> throw in.refused("action", "is none of add, revoke, grant");
    };
  }

  private static Extension grant(JsonInput in) throws RequestRejectedException {
    Optional<Digest> replaces =
        in.has("replaces") ? Optional.of(in.digest("replaces")) : Optional.empty();
    Optional<Digest> certDigest =
        in.has("certDigest") ? Optional.of(in.digest("certDigest")) : Optional.empty();
    try {
      return new Extension.Grant(
          role(in),
          key("spki", in.text("spki")),
          in.optionalNumber("notAfterMs"),
          replaces,
          in.flag("delegated", false),
          certDigest);
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  private static Role role(JsonInput in) throws RequestRejectedException {
    String name = in.text("role");
    return Arrays.stream(Role.values())
        .filter(role -> Json.role(role).equals(name))
        .findFirst()
        .orElseThrow(
            () -> in.refused("role", "is none of owner, regulator, normal, readOnly, verifyOnly"));
  }

  private Json.PreparedRequest prepared(
      StrandId strand,
      JsonInput in,
      Kind kind,
      Extension extension,
      Bytes payload,
      String contentType,
      List<String> clues)
      throws RequestRejectedException {
    return prepared(draft(strand, in, kind, extension, payload, contentType, clues), in);
  }

  private RequestDraft draft(
      StrandId strand,
      JsonInput in,
      Kind kind,
      Extension extension,
      Bytes payload,
      String contentType,
      List<String> clues)
      throws RequestRejectedException {
    long clientSeq = in.optionalNumber("clientSeq").orElse(0);
    long windowMs = in.optionalNumber("expiresInMs").orElse(GenesisParams.DEFAULT_WINDOW_MS);
    if (windowMs > Limits.GOVERNANCE_WINDOW_MS_MAX) {
      throw new RequestRejectedException(
              RejectionCode.WINDOW_TOO_LONG, "expiresInMs " + windowMs + " is more than 30 days")
          .withLimit(Limits.GOVERNANCE_WINDOW_MS_MAX);
    }
    byte[] salt = new byte[Limits.SALT_BYTES];
    random.nextBytes(salt);
    long now = registry.clockMs();
    return new RequestDraft(
        strand,
        kind,
        clientSeq,
        now,
        now + windowMs,
        payload,
        contentType,
        clues,
        extension,
        Bytes.wrap(salt),
        List.of());
  }

  private Json.PreparedRequest prepared(RequestDraft draft, JsonInput in)
      throws RequestRejectedException {
    List<Digest> kids = new ArrayList<>();
    for (String kid : in.texts("signers", draft.kind().signersMax())) {
      kids.add(JsonInput.digest("signers", kid));
    }
    if (kids.isEmpty()) {
      throw in.refused("signers", "names nobody; want the kid of each who will sign");
    }
    in.end();
    return threads.call(() -> prepared(draft, kids));
  }

  private Json.PreparedRequest prepared(RequestDraft draft, List<Digest> kids)
      throws RequestRejectedException {
    LedgerView ledger = registry.ledger(draft.strand().ledger());
    if (!draft.ops().isEmpty()) {
      checkHasState(ledger, draft.ops().size());
    }
    SignedRequest request;
    try {
      request = draft.build();
    } catch (IllegalArgumentException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, String.valueOf(e.getMessage()), e);
    }
    Digest requestHash = RequestHeader.hash(request.header());
    List<Json.ToSign> toSign = new ArrayList<>();
    for (Digest kid : kids) {
      PublicKey key = submissions.signer(draft.strand(), kid);
      RequestProtected header = new RequestProtected(key.algorithm(), kid, draft.strand());
      toSign.add(toSign(header, requestHash.toBytes()));
    }
    return new Json.PreparedRequest(
        Json.base64(request.header()),
        Json.base64(request.salt()),
        Json.base64(request.body()),
        request.ops().isEmpty() ? null : Json.base64(request.ops()),
        requestHash.hex(),
        draft.clientTimeMs(),
        draft.expiresMs(),
        toSign);
  }

  /// A state comes with genesis alone.
  private static void checkHasState(LedgerView ledger, int ops) throws RequestRejectedException {
    try {
      if (!GenesisParams.decode(ledger.genesisParams()).features().contains(Feature.STATE_FOREST)) {
        throw new RequestRejectedException(
            RejectionCode.FEATURE_NOT_ENABLED,
            String.format(
                Locale.ROOT,
                "%d operations need feature %d (%s), which is not enabled",
                ops,
                Feature.STATE_FOREST.code(),
                Feature.STATE_FOREST));
      }
    } catch (MalformedException e) {
      throw new AssertionError("genesis parameters of our own do not decode", e);
    }
  }

  static Json.ToSign toSign(ProtectedHeader header, Bytes payload) {
    Bytes encoded = header.encode();
    CoseSign1 unsigned =
        new CoseSign1(encoded, null, null, Bytes.wrap(new byte[CoseSign1.SIGNATURE_BYTES]));
    return new Json.ToSign(
        header.kid().hex(),
        header.algorithm() == SignatureAlgorithm.ED25519 ? "Ed25519" : "ES256",
        Json.base64(encoded),
        Base64.getEncoder().encodeToString(unsigned.sigStructure(payload)));
  }

  /// @param text base64 SPKI
  static PublicKey key(String name, String text) throws RequestRejectedException {
    try {
      return PublicKey.ofSpki(JsonInput.base64(name, text));
    } catch (MalformedException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, name + ": " + e.getMessage(), e);
    }
  }
}
