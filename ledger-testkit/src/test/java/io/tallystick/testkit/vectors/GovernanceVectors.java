package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Topic `request/header`: contents of kinds 19, 20, 24 and 25, and what no parameters may name.
final class GovernanceVectors {
  private static final Digest HASH = Digest.fromHex("44".repeat(32));
  private static final String HASH_ITEM = "5820" + "44".repeat(32);
  private static final JournalRoot ROOT = new JournalRoot(Digest.fromHex("55".repeat(32)));
  private static final String ROOT_ITEM = "5820" + "55".repeat(32);
  private static final String NOTE = item(Fixtures.NEXT_NOTE);
  private static final String RECEIPT = item(Fixtures.NEXT_RECEIPT);
  private static final String CAROL = item(Fixtures.CAROL);

  /// `[1, h'30']`: it looks like a token no further than its first byte.
  private static final String TOKEN = "82014130";

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();

  GovernanceVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    parameters();
    rotation();
    time();
    proofs();
    grant();
    close();
  }

  private void parameters() {
    Bytes header = ledger.clueTrieFrom(10).requests().getFirst().header();
    for (int feature = 3; feature <= 5; feature++) {
      String features = "a1" + "0" + feature + "01";
      bad("parameters-naming-feature-" + feature, header, "83030aa10101", "83030a" + features);
    }
    bad("parameters-naming-feature-1-and-3", header, "83030aa10101", "83030aa201010301");
  }

  private void rotation() {
    Bytes header = ledger.rotation().requests().getFirst().header();
    good("key-rotation", header, "note key and receipt key change");
    String content = "8304" + NOTE + RECEIPT;
    bad("key-rotation-to-one-key", header, content, "8304" + NOTE + NOTE);
    String es256 = item(SeededSigner.es256("n"));
    bad("key-rotation-to-an-es256-note-key", header, content, "8304" + es256 + RECEIPT);
    bad("key-rotation-to-an-es256-receipt-key", header, content, "8304" + NOTE + es256);
    bad("key-rotation-without-a-receipt-key", header, content, "8204" + NOTE);
    bad("key-rotation-with-an-item-more", header, content, "8404" + NOTE + RECEIPT + "00");
    bad("key-rotation-with-the-code-of-time", header, content, "8305" + NOTE + RECEIPT);
    bad("key-rotation-of-nil", header, content, "8304" + NOTE + "f6");
    bad("key-rotation-with-empty-ext", header, "a101" + content, "a0");
  }

  private void time() {
    Bytes first = header(time(Optional.empty(), token(1)));
    good("time-the-first", first, "no time journal before it");
    Bytes header = header(time(Optional.of(new JournalRef(new Jsn(8), HASH)), token(1)));
    good("time-with-a-previous-one", header, "the head covers the time journal before");
    Bytes covered = header(time(Optional.of(new JournalRef(new Jsn(11), HASH)), token(1)));
    good("time-of-a-head-that-ends-with-the-previous-one", covered, "jsn 11 in a size of 12");
    String tail = ROOT_ITEM + "8208" + HASH_ITEM + TOKEN;
    bad("time-of-size-1", header, "0c" + tail, "01" + ROOT_ITEM + "f6" + TOKEN);
    bad("time-of-size-0", header, "0c" + tail, "00" + ROOT_ITEM + "f6" + TOKEN);
    bad("time-of-a-head-below-the-previous-one", header, "0c" + tail, "08" + tail);
    bad("time-of-a-size-above-2-62", header, "0c" + tail, "1b4000000000000001" + tail);
    bad("time-with-genesis-as-the-previous-one", header, "8208" + HASH_ITEM, "8200" + HASH_ITEM);
    bad("time-with-a-seal-as-the-previous-one", header, "8208" + HASH_ITEM, "8201" + HASH_ITEM);
    bad("time-with-a-previous-one-without-hash", header, "8208" + HASH_ITEM, "8108");
    bad("time-with-a-root-of-31-bytes", header, ROOT_ITEM, "581f" + "55".repeat(31));
    bad("time-without-proof", header, "0c" + tail, "0c" + tail.replace(TOKEN, "f6"));
  }

  private void proofs() {
    Bytes header = header(time(Optional.empty(), token(1)));
    good(
        "time-with-a-token-of-the-largest-size", header(time(Optional.empty(), token(12_283))), "");
    bad("time-with-a-proof-a-byte-too-long", header, TOKEN, token("30".repeat(12_284)));
    bad("time-with-an-empty-token", header, TOKEN, token(""));
    bad("time-with-a-proof-of-form-0", header, TOKEN, "82004130");
    bad("time-with-a-proof-of-form-3", header, TOKEN, "82034130");
    bad("time-with-two-tokens", header, TOKEN, "830141304130");
    TimeProof entry =
        new TimeProof.TLedger(
            new LedgerId(HASH),
            Bytes.fromHex("8309"),
            Fixtures.bytes32("entry"),
            Bytes.fromHex("84"));
    Bytes tLedger = header(time(Optional.empty(), entry));
    good("time-with-an-entry-of-a-t-ledger", tLedger, "what is in the proof is not looked at here");
    String salt = "5820" + Fixtures.bytes32("entry").hex();
    bad("time-with-a-salt-of-31-bytes", tLedger, salt, "581f" + salt.substring(6));
    bad("time-with-an-entry-without-its-body", tLedger, salt + "4184", salt + "40");
    bad("time-with-an-entry-without-a-receipt", tLedger, "428309", "40");
    bad("time-with-an-entry-read-as-a-token", tLedger, "8502" + HASH_ITEM, "8501" + HASH_ITEM);
  }

  private void grant() {
    Extension.Grant most =
        new Extension.Grant(
            Role.OWNER,
            Fixtures.CAROL.publicKey(),
            OptionalLong.of(253_402_300_799_999L),
            Optional.of(Fixtures.BOB.publicKey().kid()),
            true,
            Optional.of(Commitments.certificates(List.of(Bytes.utf8("member"), Bytes.utf8("CA")))));
    good("grant-of-everything", govern(Kind.GRANT, most), "expiry, replaced key, mark, chain");
    Extension.Grant least =
        new Extension.Grant(
            Role.READ_ONLY,
            Fixtures.CAROL.publicKey(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            Optional.empty());
    Bytes header = govern(Kind.GRANT, least);
    good("grant-of-a-role-alone", header, "for ever, in nobody's place");
    String head = "8709" + "04" + CAROL;
    String content = head + "f6f6f4f6";
    bad("grant-of-role-6", header, head, "8709" + "06" + CAROL);
    bad("grant-of-role-0", header, head, "8709" + "00" + CAROL);
    bad("grant-of-a-key-of-43-bytes", header, CAROL, "582b" + CAROL.substring(4, 90));
    bad("grant-until-after-year-9999", header, content, head + "1b0000e677d21fdc00" + "f6f4f6");
    String own = "5820" + Fixtures.CAROL.publicKey().kid().hex();
    bad("grant-that-replaces-its-own-key", header, content, head + "f6" + own + "f4f6");
    bad(
        "grant-that-replaces-31-bytes",
        header,
        content,
        head + "f6581f" + "11".repeat(31) + "f4f6");
    bad("grant-with-a-number-for-the-mark", header, content, head + "f6f600f6");
    bad("grant-with-nil-for-the-mark", header, content, head + "f6f6f6f6");
    bad("grant-with-a-false-expiry", header, content, head + "f4f6f4f6");
    bad("grant-with-a-negative-expiry", header, content, head + "20f6f4f6");
    bad(
        "grant-without-certificate-item",
        header,
        "a101" + content,
        "a101" + "8609" + content.substring(4, content.length() - 2));
    bad(
        "grant-with-an-item-more",
        header,
        "a101" + content,
        "a101" + "88" + content.substring(2) + "f6");
    bad("grant-with-the-code-of-close", header, head, "870a" + "04" + CAROL);
  }

  private void close() {
    Bytes header = govern(Kind.CLOSE, Extension.Close.INSTANCE);
    good("close", header, "the ledger ends");
    bad("close-with-an-item-more", header, "a101810a", "a101820a00");
    bad("close-with-the-code-of-a-grant", header, "a101810a", "a1018109");
    bad("close-with-empty-ext", header, "a101810a", "a0");
    bad("close-with-a-reason", header, "a101810a", "a20181" + "0a" + "0260");
    bad("close-with-operations", header, "80f600a101810a", "80" + HASH_ITEM + "01a101810a");
  }

  private static Extension.Time time(Optional<JournalRef> previous, TimeProof proof) {
    return new Extension.Time(new TreeSize(12), ROOT, previous, proof);
  }

  private static TimeProof token(int bytes) {
    return new TimeProof.Token(Bytes.fromHex("30".repeat(bytes)));
  }

  private static String token(String der) {
    return new CborWriter().array(2).uint(1).bytes(Bytes.fromHex(der)).toBytes().hex();
  }

  private static String item(SeededSigner signer) {
    return new CborWriter().bytes(signer.publicKey().spki()).toBytes().hex();
  }

  private Bytes header(Extension.Time time) {
    return ledger
        .service(Kind.TIME, time, List.of(Fixtures.RECEIPT))
        .requests()
        .getFirst()
        .header();
  }

  private Bytes govern(Kind kind, Extension extension) {
    return ledger.govern(kind, extension, Fixtures.ALICE).requests().getFirst().header();
  }

  private void good(String name, Bytes header, String description) {
    set.accept(header(name, header, description));
  }

  private void bad(String name, Bytes header, String from, String to) {
    set.refuse("MALFORMED", header(name, Forge.replace(header, from, to), ""));
  }

  private static VectorCase header(String name, Bytes header, String description) {
    String desc = description.isEmpty() ? name.replace('-', ' ') : description;
    return VectorCase.of("request/header/" + name, "header", desc).with("header", header);
  }
}
