package io.tallystick.testkit.vectors;

import io.tallystick.journal.Attestation;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;

/// Topic `leaf`: the first leaves of the sample ledger, and what is no leaf.
final class LeafVectors {
  private static final Digest HASH = Digest.fromHex("aa".repeat(32));

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Submission single = ledger.single(1);
  private final Bytes journal = journal(0, 1).encode();
  private final Bytes seal = seal(4, 1, HASH, 2).encode();

  LeafVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    Bytes attestation = ledger.genesisAttestation().encode();
    Bytes genesis =
        new GenesisLeaf(
                Fixtures.TIME_MS, 0, ledger.params().encode(), Attestation.hash(attestation))
            .encode();
    good("genesis", genesis, "the first leaf");
    good("genesis-seal", seal(1, 0, Digest.ZERO, 0).encode(), "the seal of block 0");
    good("journal", journal, "a single request");
    good("batch-member", journal(9999, 10_000).encode(), "the last of the largest batch");
    good("seal", seal, "the seal of block 1");
    bad("type-4", Forge.replaceStart(journal, "8901", "8904"), "not defined");
    bad("seal-read-as-a-journal", Forge.replaceStart(seal, "8902", "8901"), "types differ");
    bad("journal-read-as-a-seal", Forge.replaceStart(journal, "8901", "8902"), "types differ");
    bad("genesis-with-jsn-1", Forge.replaceStart(genesis, "860300", "860301"), "it is always 0");
    bad("bytes-left-over", Forge.append(journal, "00"), "a byte behind the leaf");
    bad("item-left-over", Forge.append(Forge.replaceStart(journal, "89", "8a"), "00"), "ten items");
    bad("type-head-not-shortest", Forge.replaceStart(journal, "8901", "891801"), "0x1801");
    String tail = "5820" + journal(0, 1).attestHash().hex();
    bad("batch-index-equals-count", Forge.replace(journal, tail + "0001", tail + "0101"), "1 of 1");
    bad("batch-count-0", Forge.replace(journal, tail + "0001", tail + "0000"), "at least 1");
    bad("batch-count-10001", Forge.replace(journal, tail + "0001", tail + "00192711"), "limit");
    bad("result-1", Forge.replace(journal, tail + "000100", tail + "000101"), "only 0 for now");
    Bytes delegated = Forge.replace(journal, tail + "00010000", tail + "00010001");
    good("delegated", delegated, "bit 0 of the flags: an agent's key signed");
    bad("flags-2", Forge.replace(journal, tail + "00010000", tail + "00010002"), "no such flag");
    bad("flags-3", Forge.replace(journal, tail + "00010000", tail + "00010003"), "no such flag");
    bad("hash-of-31-bytes", Forge.replace(journal, tail, "581f" + tail.substring(6)), "want 32");
    bad("seal-of-an-empty-block", sealFrom("04"), "firstJsn is the seal's own jsn");
    bad("seal-of-block-1-from-jsn-0", sealFrom("00"), "jsn 0 is in block 0");
    bad("seal-of-block-1-from-jsn-1", sealFrom("01"), "jsn 1 is the seal of block 0");
    Bytes first = seal(1, 0, Digest.ZERO, 0).encode();
    Bytes previous = Forge.replace(first, "5820" + "00".repeat(32), "5820" + "aa".repeat(32));
    bad("genesis-seal-with-a-previous-one", previous, "want 32 zero bytes");
    bad("longer-than-16-KiB", Bytes.wrap(new byte[16 * 1024 + 1]), "one byte above the limit");
    Bytes late = Forge.replace(journal, "8901021b000001a0c4506c00", "8901021b0000e677d21fdc00");
    bad("time-after-year-9999", late, "");
  }

  private Bytes sealFrom(String firstJsn) {
    String hash = "5820" + HASH.hex();
    return Forge.replace(seal, "01" + hash + "02", "01" + hash + firstJsn);
  }

  private JournalLeaf journal(int index, int count) {
    return new JournalLeaf(
        new Jsn(2),
        Fixtures.TIME_MS,
        single.requests().getFirst().header(),
        Attestation.hash(single.attestation()),
        index,
        count);
  }

  private static SealLeaf seal(long jsn, long height, Digest previous, long firstJsn) {
    return SealLeaf.of(new Jsn(jsn), Fixtures.TIME_MS, height, previous, new Jsn(firstJsn), HASH);
  }

  private void good(String name, Bytes leaf, String description) {
    set.accept(leaf(name, leaf, description));
  }

  private void bad(String name, Bytes leaf, String description) {
    set.refuse("MALFORMED", leaf(name, leaf, description));
  }

  private static VectorCase leaf(String name, Bytes leaf, String description) {
    String desc = description.isEmpty() ? name.replace('-', ' ') : description;
    return VectorCase.of("leaf/" + name, "leaf", desc).with("leaf", leaf);
  }
}
