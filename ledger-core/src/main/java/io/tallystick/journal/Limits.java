package io.tallystick.journal;

import io.tallystick.cose.BatchProtected;

/// The bounds on everything that is decoded before it is verified. They are part of the format:
/// raising one changes what old verifiers accept.
public final class Limits {
  /// Header, salt, body and attestation of one request.
  public static final int REQUEST_BYTES_MAX = (1 << 20) + (64 << 10);

  public static final int PAYLOAD_BYTES_MAX = 1 << 20;

  /// Header, salt, body of all requests, and the attestation.
  public static final int BATCH_BYTES_MAX = 4 << 20;

  public static final int BATCH_COUNT_MIN = BatchProtected.COUNT_MIN;
  public static final int BATCH_COUNT_MAX = BatchProtected.COUNT_MAX;

  /// In UTF-8, as all texts.
  public static final int CONTENT_TYPE_BYTES_MAX = 255;

  public static final int CLUES_MAX = 64;

  /// At least 1.
  public static final int CLUE_BYTES_MAX = 256;

  /// Operations of one request.
  public static final int OPS_MAX = 10_000;

  /// At least 1.
  public static final int KEY_BYTES_MAX = 256;

  public static final int SALT_BYTES = 32;

  public static final int LEAF_BYTES_MAX = 16 << 10;

  /// The proof of a time journal as it is encoded.
  public static final int TIME_PROOF_BYTES_MAX = 12_288;

  /// How far the time of a time journal's leaf may be from the time that its proof states.
  public static final long TIME_PROOF_SKEW_MS_MAX = 10_000;

  /// Bytes of a header: what a journal leaf adds to it takes at most 80 bytes.
  public static final int HEADER_BYTES_MAX = LEAF_BYTES_MAX - 128;

  /// Signatures of one attestation. Genesis is signed by all owners and there are at most 16 of
  /// them; a journal needs fewer. Every signature costs a verification of about 60 µs, so one
  /// submission can ask for at most a millisecond of it.
  public static final int SIGNERS_MAX = 16;

  /// Signatures of a purge or a closing, which every affected member or every owner signs. The kind
  /// is read before the attestation, and all kids are looked up before a signature is verified.
  public static final int SIGNERS_OF_ALL_MAX = 200;

  /// Sixteen owners' signatures, each with the GenesisParams attached, or 200 of one request.
  public static final int ATTESTATION_BYTES_MAX = 64 << 10;

  /// The end of the year 9999: sums of two times stay far from overflow.
  public static final long TIME_MS_MAX = 253_402_300_799_999L;

  /// How far a request may wait when it changes the ledger itself (kinds 16 and above).
  public static final long GOVERNANCE_WINDOW_MS_MAX = 30L * 24 * 60 * 60 * 1000;

  /// How long a purge may be recalled.
  public static final long RECALL_MS_MAX = 90L * 24 * 60 * 60 * 1000;

  /// The reason that an occult states, in UTF-8.
  public static final int ERASURE_BASIS_BYTES_MAX = 128;

  /// How far a client's clock may be ahead, and a service's and client's apart at genesis.
  public static final long CLOCK_SKEW_MS_MAX = 30_000;

  /// Signatures within their windows at one time: a shard takes no more, so that any auditor can
  /// keep as many and judge every log that an honest service writes.
  public static final int OPEN_SIGNATURES_MAX = 1 << 21;

  public static final int STRANDS_MAX = 1 << 16;

  private Limits() {}
}
