package io.tallystick.testkit.vectors;

import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Topic `request/body`: a well signed request whose body, salt or wish is refused.
final class BodyVectors {
  private static final Bytes ZERO_SALT = Bytes.wrap(new byte[32]);

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final SignedRequest request = ledger.request(1);
  private final Bytes salt = request.salt();

  BodyVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    bodies();
    salts();
    clues();
    wishes();
  }

  private void bodies() {
    Bytes body = request.body();
    set.accept(signed("good", request));
    SignedRequest governance =
        ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()).requests().getFirst();
    set.accept(signed("good-member-add", governance));
    SignedRequest weak = ledger.memberAdd(Role.NORMAL, Forge.smallOrderKey()).requests().getFirst();
    refuse("KEY_NOT_ALLOWED", "member-add-of-a-key-of-small-order", weak);
    refuse("COMMITMENT_MISMATCH", "payload-bit-flipped", with(Forge.flipBit(body, 5)));
    refuse("COMMITMENT_MISMATCH", "one-byte-longer", with(Forge.append(body, "00")));
    refuse("COMMITMENT_MISMATCH", "empty", with(Bytes.EMPTY));
    refuse("COMMITMENT_MISMATCH", "of-another-request", with(ledger.request(2).body()));
    refuse("MALFORMED", "indefinite-array", committed(Bytes.fromHex("9f40608080ff")));
    refuse("MALFORMED", "payload-indefinite", committed(Bytes.fromHex("845f4100ff608080")));
    refuse("MALFORMED", "payload-head-not-shortest", committed(Bytes.fromHex("84580100608080")));
    refuse("MALFORMED", "content-type-not-utf8", committed(Bytes.fromHex("844062c3288080")));
    refuse("MALFORMED", "bytes-left-over", committed(Bytes.fromHex("844060808000")));
    refuse("MALFORMED", "five-items", committed(Bytes.fromHex("854060808080")));
    Bytes longType = Bytes.fromHex("8440790100" + "61".repeat(256) + "8080");
    refuse("MALFORMED", "content-type-of-256-bytes", committed(longType));
    Bytes value = new Body(Bytes.EMPTY, "", List.of(), List.of(Bytes.utf8("v"))).encode();
    refuse("COMMITMENT_MISMATCH", "value-without-an-operation", committed(value));
  }

  private void salts() {
    refuse(
        "COMMITMENT_MISMATCH",
        "salt-of-another-request",
        new SignedRequest(request.header(), ledger.request(2).salt(), request.body()));
    refuse(
        "SALT_INVALID",
        "salt-of-31-bytes",
        new SignedRequest(request.header(), salt.slice(0, 31), request.body()));
    refuse(
        "SALT_INVALID",
        "salt-missing",
        new SignedRequest(request.header(), Bytes.EMPTY, request.body()));
    RequestDraft zero =
        RequestDraft.append(ledger.strand(), Bytes.utf8("x"), "", Fixtures.TIME_MS, ZERO_SALT);
    refuse("SALT_INVALID", "salt-all-zero", zero.build());
  }

  private void clues() {
    SignedRequest clued = ledger.draft(1).withClues(List.of("invoice 1", "customer 7")).build();
    refuse("FEATURE_NOT_ENABLED", "clues-without-the-clue-trie", clued);
    set.accept(withClues("good-clues", clued));
    Body body = decode(clued.body());
    List<String> swapped = body.clues().reversed();
    refuseClues("clue-texts-swapped", clued, swapped);
    refuseClues("clue-text-missing", clued, body.clues().subList(0, 1));
    refuseClues("clue-text-of-another-clue", clued, List.of(body.clues().getFirst(), "other"));
    set.refuse("CLUE_INVALID", withClues("clue-empty", committedClues(clued, "80", "8160")));
    String longest = "61".repeat(256);
    set.refuse(
        "CLUE_INVALID",
        withClues("clue-of-257-bytes", committedClues(clued, "80", "81790101" + longest + "61")));
    set.refuse(
        "CLUE_INVALID", withClues("clue-not-utf-8", committedClues(clued, "80", "8162c328")));
    set.refuse(
        "CLUE_INVALID",
        withClues("65-clue-texts", committedClues(clued, "80", "9841" + "6161".repeat(65))));
    String id = header(clued).clueIds().getFirst().hex();
    String other = header(clued).clueIds().getLast().hex();
    set.refuse(
        "CLUE_INVALID",
        withClues(
            "clue-id-twice",
            new SignedRequest(Forge.replace(clued.header(), other, id), salt, clued.body())));
  }

  private void wishes() {
    RequestHeader plain = header(request);
    refuse(
        "FEATURE_NOT_ENABLED",
        "operations-without-the-state-forest",
        new SignedRequest(
            copy(plain, plain.kind(), new OpsRoot(plain.bodyCommit()), 1, plain.extension())
                .encode(),
            salt,
            request.body()));
    Extension parameters = new Extension.Parameters(1, Set.of(Feature.CLUE_TRIE));
    governs("kind-18-parameters", Kind.PARAMETERS, parameters);
    refuse("MALFORMED", "kind-19-without-content", kind("0013"));
    refuse("KIND_NOT_ENABLED", "kind-20", kind("0014"));
    for (int kind = 21; kind <= 23; kind++) {
      refuse(
          "MALFORMED",
          String.format(Locale.ROOT, "kind-%d-without-content", kind),
          kind("00" + Integer.toHexString(kind)));
    }
    refuse("MALFORMED", "kind-24-without-content", kind("001818"));
    refuse("MALFORMED", "kind-25-without-content", kind("001819"));
    governs(
        "kind-19-key-rotation",
        Kind.KEY_ROTATION,
        new Extension.KeyRotation(
            Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()));
    Extension grant =
        new Extension.Grant(
            Role.NORMAL,
            Fixtures.CAROL.publicKey(),
            OptionalLong.of(Fixtures.TIME_MS),
            Optional.empty(),
            true,
            Optional.empty());
    governs("kind-21-purge", Kind.PURGE, new Extension.Purge(new Jsn(8), 2, plain.bodyCommit(), 0));
    JournalRef named = new JournalRef(new Jsn(4), plain.bodyCommit());
    governs(
        "kind-22-occult",
        Kind.OCCULT,
        new Extension.Occult(new ErasureTarget.Journals(List.of(named)), "GDPR Art. 17"));
    governs("kind-23-recall", Kind.RECALL, new Extension.Recall(new Jsn(10)));
    governs("kind-24-grant", Kind.GRANT, grant);
    governs("kind-25-close", Kind.CLOSE, Extension.Close.INSTANCE);
    SignedRequest delete = ledger.draft(1).withClues(List.of("a")).build();
    Bytes deleteHeader = Forge.replace(delete.header(), "000101", "000201");
    SignedRequest deleted = new SignedRequest(deleteHeader, delete.salt(), delete.body());
    refuse("FEATURE_NOT_ENABLED", "kind-2-clue-delete-without-the-clue-trie", deleted);
    set.accept(withClues("kind-2-clue-delete", deleted));
    refuse("MALFORMED", "kind-99", kind("001863"));
    refuse(
        "UNSUPPORTED_VERSION",
        "header-version-2",
        new SignedRequest(
            Forge.replaceStart(request.header(), "8d01", "8d02"), salt, request.body()));
    refuse("MALFORMED", "header-empty", new SignedRequest(Bytes.EMPTY, salt, request.body()));
  }

  private void governs(String name, Kind kind, Extension extension) {
    set.accept(signed(name, ledger.govern(kind, extension, Fixtures.ALICE).requests().getFirst()));
  }

  private SignedRequest kind(String strandAndKind) {
    String id = ledger.strand().ledger().hex();
    Bytes changed = Forge.replace(request.header(), id + "0001", id + strandAndKind);
    return new SignedRequest(changed, salt, request.body());
  }

  private SignedRequest with(Bytes body) {
    return new SignedRequest(request.header(), salt, body);
  }

  /// The request with another body, to which its header commits.
  private SignedRequest committed(Bytes body) {
    return recommit(request, body);
  }

  private SignedRequest committedClues(SignedRequest clued, String from, String to) {
    Body body = decode(clued.body());
    Bytes none = new Body(body.payload(), body.contentType(), List.of(), List.of()).encode();
    String hex = none.hex();
    Bytes changed = Bytes.fromHex(hex.substring(0, hex.length() - 4) + to + from);
    return recommit(ledger.draft(1).withClues(List.of("invoice 1")).build(), changed);
  }

  private void refuseClues(String name, SignedRequest clued, List<String> texts) {
    Body body = decode(clued.body());
    Bytes changed = new Body(body.payload(), body.contentType(), texts, List.of()).encode();
    set.refuse("COMMITMENT_MISMATCH", withClues(name, recommit(clued, changed)));
  }

  private SignedRequest recommit(SignedRequest original, Bytes body) {
    RequestHeader old = header(original);
    RequestHeader changed =
        new RequestHeader(
            old.strand(),
            old.kind(),
            old.clientSeq(),
            old.clientTimeMs(),
            old.expiresMs(),
            Commitments.body(original.salt(), body),
            body.size(),
            old.clueIds(),
            null,
            0,
            old.extension());
    return new SignedRequest(changed.encode(), original.salt(), body);
  }

  private static RequestHeader copy(
      RequestHeader old, Kind kind, OpsRoot opsRoot, int opsCount, Extension extension) {
    return new RequestHeader(
        old.strand(),
        kind,
        old.clientSeq(),
        old.clientTimeMs(),
        old.expiresMs(),
        old.bodyCommit(),
        old.bodySizeBytes(),
        old.clueIds(),
        opsRoot,
        opsCount,
        extension);
  }

  private static RequestHeader header(SignedRequest request) {
    try {
      return RequestHeader.decode(request.header());
    } catch (io.tallystick.model.MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static Body decode(Bytes body) {
    try {
      return Body.decode(body);
    } catch (io.tallystick.model.MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void refuse(String code, String name, SignedRequest changed) {
    set.refuse(code, signed(name, changed));
  }

  private VectorCase signed(String name, SignedRequest changed) {
    return VectorCase.submission(
        "request/body/" + name, ledger.submission(changed, Fixtures.ALICE), name.replace('-', ' '));
  }

  private VectorCase withClues(String name, SignedRequest changed) {
    return signed(name, changed).with("features", List.of(1));
  }
}
