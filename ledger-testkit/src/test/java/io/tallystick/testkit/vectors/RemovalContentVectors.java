package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import java.util.ArrayList;
import java.util.List;

/// Topic `request/header`: contents of kinds 21 to 23.
final class RemovalContentVectors {
  private static final Digest HASH = Digest.fromHex("44".repeat(32));
  private static final String HASH_ITEM = "5820" + HASH.hex();
  private static final String REF_2 = "8202" + HASH_ITEM;
  private static final String REF_9 = "8209" + HASH_ITEM;

  /// 90 days.
  private static final long RECALL_MS_MAX = 7_776_000_000L;

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();

  RemovalContentVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    purge();
    occult();
    clue();
    basis();
    recall();
  }

  private void purge() {
    Bytes header = header(Kind.PURGE, purge(12, 3, RECALL_MS_MAX));
    good("purge", header, "up to block 3, which ends below jsn 12; recalled within 90 days");
    good("purge-without-recall", header(Kind.PURGE, purge(12, 3, 0)), "recallMs is 0");
    good("purge-of-the-least", header(Kind.PURGE, purge(4, 1, 0)), "genesis and one journal");
    String longest = "1b00000001cf7c5800";
    String content = "85060c03" + HASH_ITEM + longest;
    bad("purge-with-a-recall-above-90-days", header, longest, "1b00000001cf7c5801");
    bad("purge-of-the-block-of-genesis", header, content, "85060200" + HASH_ITEM + longest);
    bad("purge-of-block-0", header, content, "85060c00" + HASH_ITEM + longest);
    bad("purge-of-more-blocks-than-there-can-be", header, "85060c03", "85060c06");
    bad("purge-with-a-digest-of-31-bytes", header, HASH_ITEM, "581f" + "44".repeat(31));
    bad("purge-without-a-digest", header, HASH_ITEM, "f6");
    bad("purge-without-recall-item", header, content, "84060c03" + HASH_ITEM);
    bad("purge-with-the-code-of-occult", header, "85060c03", "85070c03");
    bad("purge-with-empty-ext", header, "a101" + content, "a0");
  }

  private void occult() {
    Bytes header = header(Kind.OCCULT, occult(named(2, 9), "GDPR, Art. 17"));
    good("occult-of-two-journals", header, "each named by jsn and leaf hash");
    good(
        "occult-of-100-journals",
        header(Kind.OCCULT, occult(named(range(2, 100)), "")),
        "the most that one occult names");
    String both = "82" + REF_2 + REF_9;
    bad("occult-of-journals-in-descending-order", header, both, "82" + REF_9 + REF_2);
    bad("occult-of-one-journal-twice", header, both, "82" + REF_9 + REF_9);
    bad("occult-of-no-journal", header, both, "80");
    bad("occult-of-101-journals", header, both, refs(101));
    bad("occult-of-a-journal-without-its-hash", header, both, "818109");
    bad("occult-of-a-hash-of-31-bytes", header, both, "81" + "8209581f" + "44".repeat(31));
    bad("occult-of-form-0", header, "8201" + both, "8200" + both);
    bad("occult-of-form-3", header, "8201" + both, "8203" + both);
    bad("occult-of-journals-read-as-a-clue", header, "8201" + both, "8202" + both);
    bad("occult-with-a-target-item-more", header, "8201" + both, "8301" + both + "00");
    bad("occult-with-the-code-of-recall", header, "83078201", "83088201");
    String ext = "a1018307" + "8201" + both + "6d" + Bytes.utf8("GDPR, Art. 17").hex();
    bad("occult-with-empty-ext", header, ext, "a0");
    bad("occult-with-an-item-more", header, ext, ext.replace("a1018307", "a1018407") + "00");
    bad("occult-with-a-clue", header, "80f600" + ext, "81" + HASH_ITEM + "f600" + ext);
  }

  private void clue() {
    ErasureTarget range = new ErasureTarget.OfClue(HASH, new Jsn(2), new Jsn(9));
    Bytes header = header(Kind.OCCULT, occult(range, "contract ended"));
    good("occult-of-a-clue", header, "from jsn 2 to 9, both included");
    ErasureTarget one = new ErasureTarget.OfClue(HASH, new Jsn(9), new Jsn(9));
    good("occult-of-a-clue-at-one-jsn", header(Kind.OCCULT, occult(one, "")), "first is last");
    String target = "8402" + HASH_ITEM + "0209";
    bad("occult-of-a-clue-backwards", header, target, "8402" + HASH_ITEM + "0902");
    bad("occult-of-a-clue-without-an-end", header, target, "8302" + HASH_ITEM + "02");
    bad("occult-of-a-clue-with-nil-for-its-end", header, target, "8402" + HASH_ITEM + "02f6");
    bad("occult-of-a-clue-read-as-journals", header, target, "8401" + HASH_ITEM + "0209");
    bad("occult-of-a-clue-of-31-bytes", header, target, "8402581f" + "44".repeat(31) + "0209");
  }

  private void basis() {
    Bytes header = header(Kind.OCCULT, occult(named(2), "b".repeat(128)));
    good("occult-with-a-basis-of-128-bytes", header, "the longest reason");
    String basis = "7880" + "62".repeat(128);
    bad("occult-with-a-basis-of-129-bytes", header, basis, "7881" + "62".repeat(129));
    bad("occult-with-a-basis-in-bytes", header, basis, "5880" + "62".repeat(128));
    bad("occult-with-a-basis-that-is-not-utf-8", header, basis, "61ff");
    bad("occult-without-a-basis", header, basis, "f6");
  }

  private void recall() {
    Bytes header = header(Kind.RECALL, new Extension.Recall(new Jsn(9)));
    good("recall", header, "takes the purge at jsn 9 back");
    bad("recall-of-nil", header, "a101820809", "a1018208f6");
    bad("recall-of-a-negative-jsn", header, "a101820809", "a101820829");
    bad("recall-without-a-purge", header, "a101820809", "a1018108");
    bad("recall-with-an-item-more", header, "a101820809", "a10183080900");
    bad("recall-with-the-code-of-a-grant", header, "a101820809", "a101820909");
  }

  private static Extension purge(long firstKept, long height, long recallMs) {
    return new Extension.Purge(new Jsn(firstKept), height, HASH, recallMs);
  }

  private static Extension occult(ErasureTarget target, String basis) {
    return new Extension.Occult(target, basis);
  }

  private static long[] range(long first, int count) {
    long[] jsns = new long[count];
    for (int i = 0; i < count; i++) {
      jsns[i] = first + i;
    }
    return jsns;
  }

  private static ErasureTarget named(long... jsns) {
    List<JournalRef> named = new ArrayList<>();
    for (long jsn : jsns) {
      named.add(new JournalRef(new Jsn(jsn), HASH));
    }
    return new ErasureTarget.Journals(named);
  }

  /// References to jsns 2, 3 and so on, in hex.
  private static String refs(int count) {
    CborWriter out = new CborWriter().array(count);
    for (long jsn : range(2, count)) {
      out.array(2).uint(jsn).digest(HASH);
    }
    return out.toBytes().hex();
  }

  private Bytes header(Kind kind, Extension extension) {
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
