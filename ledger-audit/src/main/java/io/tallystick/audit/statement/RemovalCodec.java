package io.tallystick.audit.statement;

import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Limits;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The encoding of removals within a statement's state.
final class RemovalCodec {
  private static final int ITEMS = 6;
  private static final int OCCULT_ITEMS = 7;

  private RemovalCodec() {}

  static void write(AuditStatement.Removals removals, CborWriter out) {
    out.array(ITEMS).array(removals.occults().size());
    removals.occults().forEach(occult -> write(occult, out));
    out.uint(removals.count()).uint(removals.journals()).uint(removals.present());
    out.uint(removals.firstJsn());
    writeOrNil(removals.file(), out);
  }

  private static void write(AuditedRemovals.Occult occult, CborWriter out) {
    out.array(OCCULT_ITEMS).uint(occult.jsn()).uint(occult.timeMs()).text(occult.basis());
    writeOrNil(occult.clue(), out);
    out.array(occult.signers().size());
    for (AuditedRemovals.Signer signer : occult.signers()) {
      out.array(2).digest(signer.kid()).uint(signer.role().code());
    }
    out.uint(occult.journals()).array(occult.gone().size());
    for (AuditedRemovals.Range range : occult.gone()) {
      out.array(2).uint(range.first()).uint(range.last());
    }
  }

  private static void writeOrNil(Optional<Digest> hash, CborWriter out) {
    if (hash.isPresent()) {
      out.digest(hash.get());
    } else {
      out.nil();
    }
  }

  static AuditStatement.Removals read(CborReader in) throws MalformedException {
    in.array("removals", ITEMS);
    int count = in.arrayAtMost("occults", AuditedRemovals.KEPT_MAX);
    List<AuditedRemovals.Occult> occults = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      occults.add(readOccult(in));
    }
    return new AuditStatement.Removals(
        occults, in.uint(), in.uint(), in.uint(), in.uint(), readOrNil(in));
  }

  private static AuditedRemovals.Occult readOccult(CborReader in) throws MalformedException {
    in.array("occult", OCCULT_ITEMS);
    long jsn = in.uint();
    long timeMs = in.uint();
    String basis = in.text();
    if (!Printable.is(basis)) {
      throw new MalformedException("a basis that no auditor writes");
    }
    return new AuditedRemovals.Occult(
        jsn, timeMs, basis, readOrNil(in), readSigners(in), in.uint(), readRanges(in));
  }

  private static List<AuditedRemovals.Signer> readSigners(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("signers", Limits.SIGNERS_MAX);
    List<AuditedRemovals.Signer> signers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("signer", 2);
      Digest kid = in.digest();
      long code = in.uint();
      Role role =
          Role.ofCode(code)
              .orElseThrow(() -> new MalformedException("role " + code + " is not defined"));
      signers.add(new AuditedRemovals.Signer(kid, role));
    }
    return signers;
  }

  private static List<AuditedRemovals.Range> readRanges(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("ranges", AuditedRemovals.RANGES_MAX);
    List<AuditedRemovals.Range> ranges = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("range", 2);
      ranges.add(new AuditedRemovals.Range(in.uint(), in.uint()));
    }
    return ranges;
  }

  private static Optional<Digest> readOrNil(CborReader in) throws MalformedException {
    return in.nil() ? Optional.empty() : Optional.of(in.digest());
  }
}
