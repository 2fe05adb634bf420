package io.tallystick.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.time.TrustedTokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// The certificate of a removal, to be shown to whom it concerns, complete in one file: `[18,
/// GenesisParams bstr, statement bstr, removal's receipt file bstr, attestation bstr, [target
/// receipt file bstr…], receipt file bstr of a covering time journal | nil, KeyChain bstr]`. It
/// proves who ordered the removal and when; that the bytes are gone is the service's word. Source:
/// `docs/formats/removal.md`.
///
/// @param statement an {@link ErasureStatement}
/// @param removal receipt file of the journal of kind 21 or 22
/// @param targets receipt files of journals that were erased, at most 100
/// @param time receipt file of a time journal whose head covers the removal
public record RemovalCertificate(
    Bytes genesisParams,
    Bytes statement,
    Bytes removal,
    Bytes attestation,
    List<Bytes> targets,
    Optional<Bytes> time,
    Bytes keyChain) {
  public static final int TARGETS_MAX = 100;
  public static final int BYTES_MAX = 64 << 20;

  /// A leaf, a path of 63 hashes, a protected header and a signature.
  static final int RECEIPT_FILE_BYTES_MAX = Limits.LEAF_BYTES_MAX + 4096;

  private static final int STATEMENT_BYTES_MAX = 2048;
  private static final int TYPE = 18;
  private static final int ITEMS = 8;

  public RemovalCertificate {
    targets = List.copyOf(targets);
    if (targets.size() > TARGETS_MAX) {
      throw new IllegalArgumentException(
          targets.size() + " target receipts, at most " + TARGETS_MAX);
    }
  }

  /// The content of a verified certificate.
  ///
  /// @param signers of the removal, as they were before it, ascending by kid
  /// @param targets ascending by jsn; of an occult the first of those erased, of a purge some
  /// @param heads that the service signed, to be believed by the rule of trust
  public record Verified(
      StrandId strand,
      GenesisParams genesis,
      ShownJournal removal,
      List<ShownMember> signers,
      ErasureStatement statement,
      List<ShownJournal> targets,
      Optional<CoveringTime> time,
      ServiceKeys keys,
      List<SignedHead> heads) {
    public Verified {
      signers = List.copyOf(signers);
      targets = List.copyOf(targets);
      heads = List.copyOf(heads);
    }
  }

  /// A time journal about a head that holds the removal. Its token is not verified yet.
  public record CoveringTime(ShownJournal journal, Extension.Time content) {
    private static final long SKEW_MS_MAX = Limits.TIME_PROOF_SKEW_MS_MAX;

    /// When an authority that the reader trusts saw the head. That the head is of this log, an
    /// auditor sees.
    ///
    /// @param origin of the strand's log
    /// @return empty if the proof is an entry of a T-Ledger
    public OptionalLong provenMs(String origin, TrustedTokens tokens)
        throws ProofRejectedException {
      if (!(content.proof() instanceof TimeProof.Token(Bytes token))) {
        return OptionalLong.empty();
      }
      Digest imprint = new Checkpoint(origin, content.size(), content.root()).imprint();
      long genTimeMs = tokens.genTimeMs(token, imprint);
      if (Math.abs(journal.timeMs() - genTimeMs) > SKEW_MS_MAX) {
        throw new ProofRejectedException(
            Reason.BROKEN_CHAIN,
            String.format(
                Locale.ROOT,
                "time journal %s is of %s, its token of %s",
                journal.jsn(),
                Printable.time(journal.timeMs()),
                Printable.time(genTimeMs)));
      }
      return OptionalLong.of(genTimeMs);
    }
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(16_384).array(ITEMS).uint(TYPE);
    out.bytes(genesisParams).bytes(statement).bytes(removal).bytes(attestation);
    out.array(targets.size());
    targets.forEach(out::bytes);
    time.ifPresentOrElse(out::bytes, out::nil);
    return out.bytes(keyChain).toBytes();
  }

  public static RemovalCertificate decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException(
          "certificate of " + encoded.size() + " bytes, at most " + BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    in.array("certificate", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no certificate, want " + TYPE);
    }
    Bytes params = Bytes.wrap(in.bytes("GenesisParams", Limits.LEAF_BYTES_MAX));
    Bytes statement = Bytes.wrap(in.bytes("statement", STATEMENT_BYTES_MAX));
    Bytes removal = receiptFile(in);
    Bytes attestation = Bytes.wrap(in.bytes("attestation", Limits.ATTESTATION_BYTES_MAX));
    int count = in.arrayAtMost("target receipts", TARGETS_MAX);
    List<Bytes> targets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      targets.add(receiptFile(in));
    }
    Optional<Bytes> time = in.nil() ? Optional.empty() : Optional.of(receiptFile(in));
    Bytes keyChain = Bytes.wrap(in.bytes("key chain", BYTES_MAX));
    in.end();
    return new RemovalCertificate(params, statement, removal, attestation, targets, time, keyChain);
  }

  private static Bytes receiptFile(CborReader in) throws MalformedException {
    return Bytes.wrap(in.bytes("receipt file", RECEIPT_FILE_BYTES_MAX));
  }

  /// Checks everything but the bytes that are said to be gone.
  ///
  /// @param strand whose journals were removed, as the reader knows it
  public Verified verify(StrandId strand, Signatures signatures) throws ProofRejectedException {
    try {
      return new CertificateCheck(this, strand, signatures).verify();
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "certificate: " + e.getMessage(), e);
    }
  }
}
