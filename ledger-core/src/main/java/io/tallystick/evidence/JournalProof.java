package io.tallystick.evidence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyOpening;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Shows who signed a document into a ledger, and when, to whoever holds the document and has
/// pinned the ledgerId: `[35, GenesisParams bstr, KeyChain bstr | nil, receipt file bstr,
/// attestation bstr, batch proof bstr | nil, [SPKI bstr…], salt, body's rest bstr]`. That the
/// signers were members an audit shows. Source: `docs/formats/journal-proof.md`.
///
/// @param keyChain empty if the service's keys are those of genesis
/// @param receiptFile type 9
/// @param attestation whose hash stands in the leaf
/// @param batchProof of a member of a batch: where its requestHash is among those signed
/// @param keys of the signatures, in their order
public record JournalProof(
    Bytes genesisParams,
    Optional<Bytes> keyChain,
    Bytes receiptFile,
    Bytes attestation,
    Optional<Bytes> batchProof,
    List<PublicKey> keys,
    BodyOpening opening) {
  public static final int BYTES_MAX = 64 << 20;

  private static final int TYPE = 35;
  private static final int ITEMS = 9;

  public JournalProof {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || keys.size() > Limits.SIGNERS_OF_ALL_MAX) {
      throw new IllegalArgumentException(
          keys.size() + " keys of signers, want 1 to " + Limits.SIGNERS_OF_ALL_MAX);
    }
  }

  /// The content of a verified proof.
  ///
  /// @param signers kids, ascending
  /// @param clues that the journal names, in the order of their ids
  /// @param keys of the service as far as the proof shows them
  /// @param heads that the service signed, the journal's last; to be believed by the rule of trust
  public record Verified(
      ShownJournal journal,
      List<Digest> signers,
      String contentType,
      List<String> clues,
      int payloadBytes,
      ServiceKeys keys,
      List<SignedHead> heads) {
    public Verified {
      signers = List.copyOf(signers);
      clues = List.copyOf(clues);
      heads = List.copyOf(heads);
    }

    public Jsn jsn() {
      return journal.jsn();
    }

    /// Under which the journal stands.
    public SignedHead head() {
      return heads.getLast();
    }
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(8192).array(ITEMS).uint(TYPE).bytes(genesisParams);
    keyChain.ifPresentOrElse(out::bytes, out::nil);
    out.bytes(receiptFile).bytes(attestation);
    batchProof.ifPresentOrElse(out::bytes, out::nil);
    out.array(keys.size());
    keys.forEach(key -> out.bytes(key.spki()));
    return out.bytes(opening.salt()).bytes(opening.rest()).toBytes();
  }

  public static JournalProof decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "journal proof of %d bytes, at most %d", encoded.size(), BYTES_MAX));
    }
    CborReader in = new CborReader(encoded);
    in.array("journal proof", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no journal proof, want " + TYPE);
    }
    Bytes params = bytes(in, "GenesisParams", Limits.LEAF_BYTES_MAX);
    Optional<Bytes> chain =
        in.nil() ? Optional.empty() : Optional.of(bytes(in, "key chain", BYTES_MAX));
    Bytes file = bytes(in, "receipt file", KeyChain.RECEIPT_FILE_BYTES_MAX);
    Bytes attestation = bytes(in, "attestation", Limits.ATTESTATION_BYTES_MAX);
    Optional<Bytes> batch =
        in.nil()
            ? Optional.empty()
            : Optional.of(bytes(in, "batch proof", CoseSign1.INCLUSION_PROOF_BYTES_MAX));
    List<PublicKey> keys = keys(in);
    Bytes salt = bytes(in, "salt", Limits.SALT_BYTES);
    if (salt.size() != Limits.SALT_BYTES) {
      throw new MalformedException("salt of " + salt.size() + " bytes, want 32");
    }
    BodyOpening opening =
        new BodyOpening(salt, bytes(in, "rest of the body", Limits.REQUEST_BYTES_MAX));
    in.end();
    return new JournalProof(params, chain, file, attestation, batch, keys, opening);
  }

  private static List<PublicKey> keys(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("keys of signers", Limits.SIGNERS_OF_ALL_MAX);
    if (count == 0) {
      throw new MalformedException("journal proof without a signer's key");
    }
    List<PublicKey> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(PublicKey.ofSpki(Bytes.wrap(in.bytes())));
    }
    return keys;
  }

  private static Bytes bytes(CborReader in, String name, int bytesMax) throws MalformedException {
    return Bytes.wrap(in.bytes(name, bytesMax));
  }

  /// Checks everything, in the order of `docs/formats/journal-proof.md`.
  ///
  /// @param strand as the reader knows it
  /// @param document the journal's payload; read at most to one byte beyond its length
  /// @throws ProofRejectedException with `COMMITMENT_MISMATCH` if it is another document
  public Verified verify(StrandId strand, Signatures signatures, InputStream document)
      throws ProofRejectedException, IOException {
    try {
      return new JournalProofCheck(this, strand, signatures).verify(document);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "journal proof: " + e.getMessage(), e);
    }
  }

  /// The same of a document in memory.
  public Verified verify(StrandId strand, Signatures signatures, Bytes document)
      throws ProofRejectedException {
    try {
      return verify(strand, signatures, new ByteArrayInputStream(document.unsafeArray()));
    } catch (IOException e) {
      throw new AssertionError("bytes in memory can be read", e);
    }
  }

  /// Without the salt.
  @Override
  public String toString() {
    return "JournalProof[" + keys.size() + " signers, " + opening + "]";
  }
}
