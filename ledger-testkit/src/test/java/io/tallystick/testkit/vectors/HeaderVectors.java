package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import java.util.List;
import java.util.Set;

/// Topic `request/header`: what can stand in a header, operations and commitments included.
final class HeaderVectors {
  private static final String EMPTY_TAIL = "80f600a0";

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Bytes append = ledger.request(1).header();
  private final Bytes memberAdd =
      ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()).requests().getFirst().header();

  HeaderVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    accepted();
    malformedCommon();
    malformedTail();
    malformedGovernance();
    operations();
    times();
  }

  private void accepted() {
    good("append", append, "an append");
    good("member-add", memberAdd, "a member is added");
    Bytes revoke =
        ledger.memberRevoke(Fixtures.BOB.publicKey().kid()).requests().getFirst().header();
    good("member-revoke", revoke, "a member is revoked");
    Extension parameters = new Extension.Parameters(10, Set.of(Feature.CLUE_TRIE));
    good("parameters", govern(Kind.PARAMETERS, parameters), "the clue trie from height 10 on");
    good(
        "three-clues", ledger.draft(2).withClues(List.of("a", "b", "c")).build().header(), "clues");
    Digest commit = Commitments.value(Fixtures.bytes32("salt 3"), 0, Bytes.utf8("value"));
    RequestHeader plain = decode(append);
    Op put = new Op.Put(Bytes.utf8("key"), commit, 5, new Precondition.IfAbsent());
    Op delete = new Op.Delete(Bytes.utf8("old"), new Precondition.IfVersion(new Jsn(9)));
    RequestHeader withOps =
        new RequestHeader(
            plain.strand(),
            plain.kind(),
            plain.clientSeq(),
            plain.clientTimeMs(),
            plain.expiresMs(),
            plain.bodyCommit(),
            plain.bodySizeBytes(),
            List.of(),
            Op.root(List.of(put, delete)),
            2,
            plain.extension());
    good("two-operations", withOps.encode(), "a put and a delete");
    set.accept(
        VectorCase.of("request/header/commitments", "commitments", "every salted commitment")
            .with("ledger", ledger.strand().ledger().digest())
            .with("salt", Fixtures.bytes32("commitments"))
            .with("name", "sample")
            .with("clue", "invoice 1")
            .with("body", Body.EMPTY.encode())
            .with("index", 258)
            .with("value", Bytes.utf8("value")));
  }

  private void malformedCommon() {
    bad("version-2", Forge.replaceStart(append, "8d01", "8d02"), "a header of another version");
    bad("one-item-more", Forge.append(Forge.replaceStart(append, "8d", "8e"), "00"), "14 items");
    bad("indefinite-array", Forge.append(Forge.replaceStart(append, "8d", "9f"), "ff"), "BREAK");
    bad("bytes-left-over", Forge.append(append, "00"), "a byte behind the header");
    String ledgerId = "5820" + ledger.strand().ledger().hex();
    bad("ledger-of-31-bytes", Forge.replace(append, ledgerId, "581f" + ledgerId.substring(6)), "");
    String start = ledgerId + "0001" + "01";
    bad("kind-head-not-shortest", Forge.replace(append, start, ledgerId + "00180101"), "0x1801");
    bad("kind-0", Forge.replace(append, start, ledgerId + "000001"), "not defined");
    bad("kind-3", Forge.replace(append, start, ledgerId + "000301"), "not defined");
    bad("kind-26", Forge.replace(append, start, ledgerId + "00181a01"), "not defined");
    bad("strand-above-31-bits", Forge.replace(append, start, ledgerId + "1a800000000101"), "");
    String client = time(Fixtures.TIME_MS);
    String expires = time(Fixtures.TIME_MS + 60_000);
    bad(
        "expires-before-client-time",
        Forge.replace(append, client + expires, expires + client),
        "");
    bad("expires-after-year-9999", Forge.replace(append, expires, time(253_402_300_800_000L)), "");
  }

  private void malformedTail() {
    Digest one = Digest.fromHex("11".repeat(32));
    String low = "5820" + one.hex();
    String high = "5820" + "22".repeat(32);
    bad("clue-ids-descending", tail("82" + high + low + "f600a0"), "order is by bytes");
    bad("clue-id-twice", tail("82" + low + low + "f600a0"), "ids are distinct");
    bad("65-clues", tail("9841" + ascending(65) + "f600a0"), "one above the limit");
    bad("operations-without-root", tail("80f601a0"), "opsCount 1, opsRoot nil");
    bad("root-without-operations", tail("80" + low + "00a0"), "opsCount 0, opsRoot not nil");
    bad("ext-on-an-append", tail("80f600a10100"), "kinds below 16 have an empty ext");
    bad("ext-missing", Bytes.fromHex("8c" + tail("80f600").hex().substring(2)), "12 items");
  }

  private void malformedGovernance() {
    String role3 = "a101830103" + "582c" + Fixtures.CAROL.publicKey().spki().hex();
    String spki = role3.substring(10);
    bad("member-add-empty-ext", ext(role3, "a0"), "nothing says who is added");
    bad("member-add-of-role-6", ext(role3, "a101830106" + spki), "not defined");
    bad("member-add-with-two-labels", ext(role3, "a2" + role3.substring(2) + "0200"), "label 2");
    bad("member-add-content-of-revoke", ext(role3, "a101820258" + "20" + "11".repeat(32)), "");
    bad("member-add-key-of-43-bytes", ext(role3, "a101830103582b" + spki.substring(4, 90)), "");
    bad("member-add-with-a-clue", ext("80f600", "81" + "5820" + "11".repeat(32) + "f600"), "");
    bad("member-add-with-operations", ext("80f600", "80" + "5820" + "11".repeat(32) + "01"), "");
    bad("member-add-with-a-body", ext("0580f600", "0680f600"), "bodySize 6, an empty Body has 5");
    Bytes delete = Forge.replace(append, "0001" + "01", "0002" + "01");
    bad("clue-delete-without-a-clue", delete, "it names exactly one");
  }

  private void operations() {
    Digest commit = Digest.fromHex("33".repeat(32));
    Bytes put = new Op.Put(Bytes.utf8("k"), commit, 5, new Precondition.IfCommit(commit)).encode();
    Bytes delete = new Op.Delete(Bytes.utf8("k"), new Precondition.None()).encode();
    set.accept(operation("put", put, "if the old value has a commitment"));
    set.accept(operation("delete", delete, "without a condition"));
    badOp("action-3", Forge.replaceStart(delete, "860702", "860703"));
    badOp("type-8", Forge.replaceStart(delete, "8607", "8608"));
    badOp("empty-key", Forge.replaceStart(delete, "860702416b", "86070240"));
    badOp("delete-with-a-size", Forge.replace(delete, "f600f6", "f601f6"));
    badOp("delete-with-a-value", Bytes.fromHex("860702416b5820" + commit.hex() + "00f6"));
    badOp("put-without-a-value", Bytes.fromHex("860701416bf605f6"));
    badOp("precondition-4", Forge.replace(delete, "f600f6", "f600820400"));
    badOp("if-absent-with-a-version", Forge.replace(delete, "f600f6", "f600820100"));
    badOp(
        "key-of-257-bytes",
        new CborWriter()
            .array(6)
            .uint(7)
            .uint(2)
            .bytes(new byte[257])
            .nil()
            .uint(0)
            .nil()
            .toBytes());
  }

  private void times() {
    long now = Fixtures.TIME_MS;
    set.accept(times("at-expiry", append, now + 60_000));
    set.accept(times("clock-30-s-ahead", append, now - 30_000));
    set.refuse("EXPIRED", times("expired-by-1-ms", append, now + 60_001));
    set.refuse("TOO_EARLY", times("clock-ahead-by-30-s-and-1-ms", append, now - 30_001));
    Bytes longer = ledger.draft(1).withExpiry(now + 60_001).build().header();
    set.refuse("WINDOW_TOO_LONG", times("window-1-ms-too-long", longer, now));
    String expires = time(now + 60_000);
    long month = 30L * 24 * 3600 * 1000;
    set.accept(
        times("governance-30-days", Forge.replace(memberAdd, expires, time(now + month)), now));
    set.refuse(
        "WINDOW_TOO_LONG",
        times(
            "governance-30-days-and-1-ms",
            Forge.replace(memberAdd, expires, time(now + month + 1)),
            now));
  }

  private static VectorCase times(String name, Bytes header, long nowMs) {
    return VectorCase.of("request/times/" + name, "times", name.replace('-', ' '))
        .with("header", header)
        .with("nowMs", nowMs)
        .with("maxWindowMs", 60_000);
  }

  private Bytes govern(Kind kind, Extension extension) {
    return ledger.govern(kind, extension, Fixtures.ALICE).requests().getFirst().header();
  }

  private Bytes tail(String hex) {
    return Forge.replace(append, EMPTY_TAIL, hex);
  }

  private Bytes ext(String from, String to) {
    return Forge.replace(memberAdd, from, to);
  }

  private static String time(long timeMs) {
    return new CborWriter().uint(timeMs).toBytes().hex();
  }

  private static String ascending(int count) {
    StringBuilder ids = new StringBuilder();
    for (int i = 0; i < count; i++) {
      ids.append("5820").append("00".repeat(31)).append(Bytes.wrap(new byte[] {(byte) i}).hex());
    }
    return ids.toString();
  }

  private static RequestHeader decode(Bytes header) {
    try {
      return RequestHeader.decode(header);
    } catch (io.tallystick.model.MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private void good(String name, Bytes header, String description) {
    set.accept(header(name, header, description));
  }

  private void bad(String name, Bytes header, String description) {
    set.refuse("MALFORMED", header(name, header, description));
  }

  private static VectorCase header(String name, Bytes header, String description) {
    String desc = description.isEmpty() ? name.replace('-', ' ') : description;
    return VectorCase.of("request/header/" + name, "header", desc).with("header", header);
  }

  private void badOp(String name, Bytes operation) {
    set.refuse("MALFORMED", operation(name, operation, name.replace('-', ' ')));
  }

  private static VectorCase operation(String name, Bytes operation, String description) {
    return VectorCase.of("request/operation/" + name, "operation", description)
        .with("operation", operation);
  }
}
