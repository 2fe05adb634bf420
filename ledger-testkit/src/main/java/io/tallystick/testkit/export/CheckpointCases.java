package io.tallystick.testkit.export;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.testkit.Fixtures;

/// Checkpoints of small, odd and very large trees, under authorities with and without a port.
final class CheckpointCases {
  private static final long[] SIZES = {
    1, 2, 3, 12, 255, 256, 257, 99_999, 1L << 40, (1L << 62) - 1
  };
  private static final String[] AUTHORITIES = {"localhost", "ledger.example.org:8443"};

  private CheckpointCases() {}

  static void write(CaseFile file) throws Exception {
    Signatures signatures = SignatureProviders.best();
    Signer note = signatures.importPkcs8(Fixtures.NOTE.exportPkcs8());
    StrandId strand = Fixtures.ledger().strand();
    for (String name : AUTHORITIES) {
      Authority authority = new Authority(name);
      ServiceKeys keys = new ServiceKeys(authority, note.publicKey(), Fixtures.RECEIPT.publicKey());
      for (long size : SIZES) {
        JournalRoot root = new JournalRoot(Digest.of(Fixtures.bytes32("root " + size)));
        TreeSize treeSize = new TreeSize(size);
        Bytes encoded = Checkpoint.sign(note, authority, strand, treeSize, root).encode();
        Checkpoint.verify(encoded, strand, keys, signatures);
        file.add(
            new CaseLine("checkpoint")
                .text("origin", authority.origin(strand))
                .number("size", size)
                .hex("root", root.digest())
                .text("vkey", new NoteKey(authority.origin(strand), note.publicKey()).vkey())
                .base64("note", encoded));
      }
    }
  }
}
