package io.tallystick.server.frame;

/// Offsets of the info section of a commit frame. All numbers are big-endian; offsets into the
/// infos count from the first byte of the info section, offsets into the payloads from the first
/// byte of the payload section.
///
/// ```
/// infos   = timeMs u64 | guardCount u32 | blockCount u32 | guard × guardCount | block × blockCount
/// guard   = ledgerId 32 | strand u32 | height u64 | blockHash 32
/// block   = ledgerId 32 | strand u32 | flags u32 | firstJsn u64 | height u64 | submissions u32 |
///           journals u32 | blockBytes u32 | 0 u32 | submission × submissions | journal × journals | texts
/// submission = attestationOffset u32 | attestationBytes u32 | firstJournal u32 | journals u32 |
///              idsOffset u32 | ids u32 | latestExpiresMs u64
/// journal = headerOffset u32 | headerBytes u32 | payloadOffset u32 | payloadBytes u32 |
///           submission u32 | batchIndex u32 | result u32 | flags u32 |
///           opsOffset u32 | opsBytes u32                       (both only in a block with operations)
/// texts   = attestations, signature ids (16 bytes each), headers and operations, found by their
///           offsets
/// payload = salt 32 | body | crc32c u32 over (frame number u64 | payloadOffset u32 | salt | body)
/// ```
final class FrameLayout {
  static final int TIME = 0;
  static final int GUARD_COUNT = 8;
  static final int BLOCK_COUNT = 12;
  static final int PREAMBLE_BYTES = 16;

  static final int GUARD_BYTES = 76;
  static final int GUARD_HEIGHT = 36;

  static final int BLOCK_STRAND = 32;
  static final int BLOCK_FLAGS = 36;
  static final int BLOCK_FIRST_JSN = 40;
  static final int BLOCK_HEIGHT = 48;
  static final int BLOCK_SUBMISSIONS = 56;
  static final int BLOCK_JOURNALS = 60;
  static final int BLOCK_LENGTH = 64;
  static final int BLOCK_HEADER_BYTES = 72;

  /// The block is a ledger's first: one row, whose header is GenesisParams and whose payload is the
  /// opening of nameCommit (salt, name in UTF-8).
  static final int FLAG_GENESIS = 1;

  /// Journals of the block have operations: the rows of its journals have {@link #OPS_OFFSET} and
  /// {@link #OPS_BYTES}. Blocks of format 1 never have it.
  static final int FLAG_OPERATIONS = 2;

  /// The keys of signers of some journals of the block are delegated. Blocks of formats 1 and 2
  /// never have it.
  static final int FLAG_SOME_DELEGATED = 4;

  /// A purge has made zeros of the texts of submissions of the block. Blocks of formats 1 to 3
  /// never have it.
  static final int FLAG_ERASED = 8;

  static final int FLAGS_KNOWN = FLAG_GENESIS | FLAG_OPERATIONS | FLAG_SOME_DELEGATED | FLAG_ERASED;

  static final int SUBMISSION_BYTES = 32;
  static final int JOURNAL_BYTES = 32;
  static final int OPS_OFFSET = 32;
  static final int OPS_BYTES = 36;
  static final int JOURNAL_WITH_OPS_BYTES = 40;

  /// The journal changes members or parameters: replay decodes its header.
  static final int FLAG_GOVERNANCE = 1;

  /// The key of a signer of the journal is delegated at its jsn, as its leaf says. Only in a block
  /// with {@link #FLAG_SOME_DELEGATED}.
  static final int FLAG_DELEGATED = 2;

  /// Offset of a journal's flags in its row.
  static final int JOURNAL_FLAGS = 28;

  static final int SIGNATURE_ID_BYTES = 16;
  static final int PAYLOAD_CRC_BYTES = 4;

  private FrameLayout() {}

  /// Bytes of a journal's row in a block with these flags.
  static int journalBytes(int blockFlags) {
    return (blockFlags & FLAG_OPERATIONS) != 0 ? JOURNAL_WITH_OPS_BYTES : JOURNAL_BYTES;
  }
}
