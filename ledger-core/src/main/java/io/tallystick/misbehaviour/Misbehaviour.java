package io.tallystick.misbehaviour;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.time.TrustedTokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Evidence of a misdeed: `[19, claim, GenesisParams bstr, KeyChain bstr, [receipt file bstr…],
/// [bstr…]]`. What the receipt files and the items are depends on the claim; the service signed
/// every receipt, so nobody else can have made the evidence. Two heads that contradict each other
/// are {@link io.tallystick.evidence.ForkEvidence}. Source: `docs/formats/people-and-time.md`.
///
/// @param receiptFiles 1 to 100
/// @param items what else the claim needs
public record Misbehaviour(
    Claim claim, Bytes genesisParams, Bytes keyChain, List<Bytes> receiptFiles, List<Bytes> items) {
  public static final int FILES_MAX = 100;

  /// An attestation and a key for each of 200 signers.
  public static final int ITEMS_MAX = 201;

  private static final int TYPE = 19;
  private static final int ITEMS = 6;
  private static final int BYTES_MAX = 64 << 20;

  public Misbehaviour {
    receiptFiles = List.copyOf(receiptFiles);
    items = List.copyOf(items);
    if (receiptFiles.isEmpty() || receiptFiles.size() > FILES_MAX || items.size() > ITEMS_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d receipt files, want 1 to %d; %d items, at most %d",
              receiptFiles.size(),
              FILES_MAX,
              items.size(),
              ITEMS_MAX));
    }
  }

  /// A misdeed that is proven.
  ///
  /// @param detail what was found, with actual and expected
  /// @param heads that the service signed
  public record Confirmed(Claim claim, String detail, List<SignedHead> heads) {
    public Confirmed {
      heads = List.copyOf(heads);
    }
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(8192);
    out.array(ITEMS).uint(TYPE).uint(claim.code()).bytes(genesisParams).bytes(keyChain);
    write(out, receiptFiles);
    write(out, items);
    return out.toBytes();
  }

  private static void write(CborWriter out, List<Bytes> list) {
    out.array(list.size());
    list.forEach(out::bytes);
  }

  public static Misbehaviour decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("misbehaviour", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no misbehaviour, want " + TYPE);
    }
    Claim claim = Claim.ofCode(in.uint());
    Bytes params = Bytes.wrap(in.bytes("GenesisParams", Limits.LEAF_BYTES_MAX));
    Bytes chain = Bytes.wrap(in.bytes("key chain", BYTES_MAX));
    List<Bytes> files = read(in, "receipt files", FILES_MAX);
    List<Bytes> items = read(in, "items", ITEMS_MAX);
    in.end();
    if (files.isEmpty()) {
      throw new MalformedException("misbehaviour without a receipt file");
    }
    return new Misbehaviour(claim, params, chain, files, items);
  }

  private static List<Bytes> read(CborReader in, String name, int max) throws MalformedException {
    int count = in.arrayAtMost(name, max);
    List<Bytes> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(Bytes.wrap(in.bytes(name, BYTES_MAX)));
    }
    return list;
  }

  /// Confirms the claim.
  ///
  /// @param strand whose service is charged
  /// @param tokens asked for claim 1 only
  /// @throws ProofRejectedException with `MISSING` if everything is in order or too little is
  ///   shown; else with the reason why a part is not the service's
  public Confirmed confirm(StrandId strand, Signatures signatures, TrustedTokens tokens)
      throws ProofRejectedException {
    try {
      KeyChain.Verified chain = KeyChain.decode(keyChain).verify(genesisParams, strand, signatures);
      List<ShownLeaf> leaves = new ArrayList<>(receiptFiles.size());
      List<SignedHead> heads = new ArrayList<>(chain.heads());
      for (Bytes encoded : receiptFiles) {
        ReceiptFile file = ReceiptFile.decode(encoded);
        ShownLeaf leaf = ShownLeaf.of(file, file.verify(strand, chain.keys(), signatures));
        leaves.add(leaf);
        heads.add(leaf.head());
      }
      Shown shown = new Shown(strand, chain.keys(), leaves, items, signatures);
      String detail =
          switch (claim) {
            case MISDATED -> new MisdatedJournal(shown, tokens).find();
            case FALSE_ATTESTATION -> new FalseAttestation(shown).find();
            case FALSE_SEAL -> FalseSeal.find(shown);
            case OMITTED_JOURNAL -> OmittedJournal.find(shown);
          };
      return new Confirmed(claim, detail, heads);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "misbehaviour: " + e.getMessage(), e);
    }
  }
}
