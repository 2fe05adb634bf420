package io.tallystick.testkit.export;

import java.nio.file.Files;
import java.nio.file.Path;

/// Writes the cases that foreign verifiers are shown: `proofs.jsonl`, `checkpoints.jsonl`,
/// `signatures.jsonl`, `receipts.jsonl`, `tries.jsonl` and `cluetrees.jsonl`. Proofs, heads and
/// receipts have passed our own verifier first. Only the ES256 signatures differ from run to run.
public final class ConformanceExport {
  private ConformanceExport() {}

  /// Writes some cases into a file.
  private interface Cases {
    void write(CaseFile file) throws Exception;
  }

  /// @param args the folder to write to; made if it is not there
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      throw new IllegalArgumentException("usage: ConformanceExport FOLDER");
    }
    Path folder = Files.createDirectories(Path.of(args[0]));
    export(folder);
  }

  static void export(Path folder) throws Exception {
    write(folder.resolve("proofs.jsonl"), ProofCases::write);
    write(folder.resolve("checkpoints.jsonl"), CheckpointCases::write);
    write(folder.resolve("signatures.jsonl"), SignatureCases::write);
    write(folder.resolve("receipts.jsonl"), ReceiptCases::write);
    write(folder.resolve("tries.jsonl"), ClueCases::writeTries);
    write(folder.resolve("cluetrees.jsonl"), ClueCases::writeTrees);
  }

  private static void write(Path path, Cases cases) throws Exception {
    try (CaseFile file = CaseFile.create(path)) {
      cases.write(file);
      file.end();
      System.out.println(path.getFileName() + ": " + file.cases() + " cases");
    }
  }
}
