package io.tallystick.audit.statement;

import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The bytes of a statement, signed.
///
/// ```
///  0          8         12            16
///  +----------+---------+-------------+-------+-------------+--------+-----+-----------+
///  | TALLYAUD | version | state bytes | state | window size | window | kid | signature |
///  +----------+---------+-------------+-------+-------------+--------+-----+-----------+
/// ```
public final class StatementCodec {
  static final Bytes MAGIC = Bytes.utf8("TALLYAUD");
  static final int VERSION = 6;

  /// Without removals, and the times since when members are; still read.
  static final int VERSION_WITHOUT_REMOVALS = 5;

  /// Without since when members are, who replaced them, and the earliest token; still read.
  static final int VERSION_WITHOUT_HISTORY = 4;

  /// Without time and grants; written by auditors that knew neither, still read.
  private static final int VERSION_WITHOUT_TRUST = 3;

  /// Without the state too.
  private static final int VERSION_WITHOUT_STATE = 2;

  /// Without clues too.
  private static final int VERSION_WITHOUT_CLUES = 1;

  private static final byte[] DOMAIN =
      "tallystick/audit-statement/1\0".getBytes(StandardCharsets.US_ASCII);
  private static final int PREFIX_BYTES = 16;
  private static final int SIGNATURE_BYTES = 64;
  private static final int SUFFIX_BYTES = Digest.BYTES + SIGNATURE_BYTES;
  private static final int ITEMS = 15;
  private static final int HEAD_ITEMS = 8;
  private static final int COUNTS = 14;
  private static final int COUNTS_WITHOUT_CLUES = 10;

  private StatementCodec() {}

  public static Bytes encode(AuditStatement statement, Signer auditor) {
    CborWriter state = new CborWriter(4096);
    writeState(statement, state);
    Bytes window = statement.window();
    ByteBuffer out =
        ByteBuffer.allocate(PREFIX_BYTES + state.length() + Integer.BYTES + window.size());
    out.put(MAGIC.unsafeArray()).putInt(VERSION).putInt(state.length());
    out.put(state.buffer(), 0, state.length());
    out.putInt(window.size() / AuditStatement.WINDOW_ENTRY_BYTES).put(window.unsafeArray());
    return signed(Bytes.wrap(out.array()), auditor);
  }

  /// The whole file: its content, the signer's key, the signature over both.
  static Bytes signed(Bytes content, Signer auditor) {
    ByteBuffer out = ByteBuffer.allocate(content.size() + SUFFIX_BYTES);
    out.put(content.unsafeArray()).put(auditor.publicKey().kid().toArray());
    out.put(auditor.sign(signedMessage(out.array(), out.position())));
    return Bytes.wrap(out.array());
  }

  /// The message that is signed: in a domain of its own, so that no key can be made to sign
  /// anything else by it.
  private static byte[] signedMessage(byte[] file, int count) {
    byte[] message = Arrays.copyOf(DOMAIN, DOMAIN.length + Digest.BYTES);
    Sha256.hash(Arrays.copyOf(file, count)).copyInto(message, DOMAIN.length);
    return message;
  }

  private static void writeState(AuditStatement statement, CborWriter out) {
    out.array(ITEMS).digest(statement.strand().ledger().digest());
    out.uint(statement.strand().strand());
    PeopleCodec.writeChecks(statement.checks(), out);
    out.bytes(statement.genesis());
    writeHead(statement.head(), out);
    PeopleCodec.writeMembers(statement.members(), out);
    writeCounts(statement.counts(), out);
    out.uint(statement.faultCount()).array(statement.faults().size());
    for (AuditFault fault : statement.faults()) {
      out.array(3).uint(fault.jsn()).text(fault.kind().name()).text(fault.detail());
    }
    if (statement.compared().isPresent()) {
      AuditStatement.Compared compared = statement.compared().get();
      out.array(2).uint(compared.size()).digest(compared.root());
    } else {
      out.nil();
    }
    out.uint(statement.madeMs());
    PeopleCodec.writeOrNil(statement.clueTrieFrom(), out);
    if (statement.stateFile().isPresent()) {
      out.digest(statement.stateFile().get());
    } else {
      out.nil();
    }
    TrustCodec.write(statement.trust(), out);
    RemovalCodec.write(statement.removals(), out);
  }

  private static void writeHead(AuditStatement.Head head, CborWriter out) {
    out.array(HEAD_ITEMS).uint(head.size()).array(head.frontier().size());
    head.frontier().forEach(out::digest);
    out.digest(head.root()).digest(head.seal()).uint(head.sealAt());
    out.uint(head.height()).uint(head.timeMs()).bool(head.signed());
  }

  private static void writeCounts(AuditCounts counts, CborWriter out) {
    out.array(COUNTS).uint(counts.leaves()).uint(counts.blocks()).uint(counts.journals());
    out.uint(counts.batches()).uint(counts.signatures()).uint(counts.bodies());
    out.uint(counts.bodiesErased()).uint(counts.bodiesDamaged());
    out.uint(counts.memberChanges()).uint(counts.bytes());
    out.uint(counts.clues()).uint(counts.clueEntries()).uint(counts.clueDeletions());
    out.uint(counts.operations());
  }

  /// Believes nothing before the signature has been verified, but its version.
  public static AuditStatement decode(Bytes encoded, PublicKey auditor, Signatures signatures)
      throws StatementException {
    byte[] file = encoded.unsafeArray();
    checkVersion(file);
    int signed = file.length - SIGNATURE_BYTES;
    Digest kid = Digest.of(file, signed - Digest.BYTES);
    if (!kid.equals(auditor.kid())) {
      throw new StatementException(
          Reason.WRONG_KEY, "it is signed by key " + kid + ", this auditor's is " + auditor.kid());
    }
    try {
      signatures.verify(
          auditor, signedMessage(file, signed), Arrays.copyOfRange(file, signed, file.length));
    } catch (ProofRejectedException e) {
      throw new StatementException(Reason.BAD_SIGNATURE, "it was altered: " + e.getMessage(), e);
    }
    try {
      return read(file);
    } catch (MalformedException | IllegalArgumentException e) {
      throw new StatementException(Reason.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  /// Whether a file begins as a statement does.
  public static boolean isStatement(Bytes file) {
    return file.size() >= MAGIC.size() && file.slice(0, MAGIC.size()).equals(MAGIC);
  }

  /// How far another auditor's statement says that its audit came. Its signature is not verified:
  /// nothing but the other auditor's word, whose key is not known here.
  ///
  /// @throws ProofRejectedException `MALFORMED`; `WRONG_LEDGER` if it is of another strand
  public static AuditStatement.Head head(Bytes encoded, StrandId strand)
      throws ProofRejectedException {
    AuditStatement statement;
    try {
      checkVersion(encoded.unsafeArray());
      statement = read(encoded.unsafeArray());
    } catch (StatementException | MalformedException | IllegalArgumentException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.MALFORMED, "audit statement: " + e.getMessage(), e);
    }
    if (!statement.strand().equals(strand)) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.WRONG_LEDGER, statement.strand() + ", want " + strand);
    }
    return statement.head();
  }

  private static void checkVersion(byte[] file) throws StatementException {
    if (file.length < PREFIX_BYTES + Integer.BYTES + SUFFIX_BYTES
        || !Arrays.equals(file, 0, MAGIC.size(), MAGIC.unsafeArray(), 0, MAGIC.size())) {
      throw new StatementException(
          Reason.MALFORMED, file.length + " bytes that are no audit statement");
    }
    long version = Integer.toUnsignedLong(ByteBuffer.wrap(file).getInt(MAGIC.size()));
    if (version > VERSION) {
      throw new StatementException(
          Reason.NEWER_VERSION, "version " + version + ", this auditor reads up to " + VERSION);
    }
    if (version < VERSION_WITHOUT_CLUES) {
      throw new StatementException(Reason.MALFORMED, "version " + version);
    }
  }

  private static AuditStatement read(byte[] file) throws MalformedException {
    ByteBuffer in = ByteBuffer.wrap(file);
    long stateBytes = Integer.toUnsignedLong(in.getInt(PREFIX_BYTES - Integer.BYTES));
    long windowAt = PREFIX_BYTES + stateBytes + Integer.BYTES;
    long window = file.length - SUFFIX_BYTES - windowAt;
    if (window < 0
        || window
            != Integer.toUnsignedLong(in.getInt((int) windowAt - Integer.BYTES))
                * AuditStatement.WINDOW_ENTRY_BYTES) {
      throw new MalformedException("the lengths do not add up to " + file.length + " bytes");
    }
    CborReader state = new CborReader(file, PREFIX_BYTES, (int) stateBytes);
    int version = in.getInt(MAGIC.size());
    AuditStatement statement =
        readState(state, version, Bytes.copyOf(file, (int) windowAt, (int) window));
    state.end();
    return statement;
  }

  private static AuditStatement readState(CborReader in, int version, Bytes window)
      throws MalformedException {
    in.array("state", items(version));
    LedgerId ledger = new LedgerId(in.digest());
    StrandId strand = new StrandId(ledger, (int) in.uint("strand", Integer.MAX_VALUE));
    boolean trusting = version > VERSION_WITHOUT_TRUST;
    AuditStatement.Checks checks = PeopleCodec.readChecks(in, trusting);
    Bytes genesis = Bytes.wrap(in.bytes("genesis", Limits.LEAF_BYTES_MAX));
    AuditStatement.Head head = readHead(in);
    List<AuditStatement.Member> members = PeopleCodec.readMembers(in, version);
    AuditCounts counts = readCounts(in, version);
    long faultCount = in.uint();
    List<AuditFault> faults = readFaults(in);
    Optional<AuditStatement.Compared> compared = Optional.empty();
    if (!in.nil()) {
      in.array("compared", 2);
      compared = Optional.of(new AuditStatement.Compared(in.uint(), in.digest()));
    }
    long madeMs = in.uint();
    long clueTrieFrom =
        version == VERSION_WITHOUT_CLUES || in.nil() ? AuditStatement.NEVER : in.uint();
    Optional<Digest> stateFile =
        version <= VERSION_WITHOUT_STATE || in.nil() ? Optional.empty() : Optional.of(in.digest());
    AuditStatement.Trust trust =
        trusting
            ? TrustCodec.read(in, version > VERSION_WITHOUT_HISTORY)
            : AuditStatement.Trust.behind(head, counts.journals());
    AuditStatement.Removals removals =
        version > VERSION_WITHOUT_REMOVALS
            ? RemovalCodec.read(in)
            : AuditStatement.Removals.behind(head);
    return new AuditStatement(
        strand,
        checks,
        genesis,
        head,
        members,
        counts,
        faultCount,
        faults,
        compared,
        clueTrieFrom,
        stateFile,
        madeMs,
        window,
        trust,
        removals);
  }

  private static int items(int version) {
    int withoutRemovals = version > VERSION_WITHOUT_REMOVALS ? 0 : 1;
    return ITEMS - withoutRemovals - Math.max(0, VERSION_WITHOUT_HISTORY - version);
  }

  private static AuditStatement.Head readHead(CborReader in) throws MalformedException {
    in.array("head", HEAD_ITEMS);
    long size = in.uint();
    int count = in.arrayAtMost("frontier", Long.SIZE);
    List<Digest> frontier = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      frontier.add(in.digest());
    }
    return new AuditStatement.Head(
        size, frontier, in.digest(), in.digest(), in.uint(), in.uint(), in.uint(), in.bool());
  }

  private static AuditCounts readCounts(CborReader in, int version) throws MalformedException {
    int known =
        switch (version) {
          case VERSION_WITHOUT_CLUES -> COUNTS_WITHOUT_CLUES;
          case VERSION_WITHOUT_STATE -> COUNTS - 1;
          default -> COUNTS;
        };
    in.array("counts", known);
    long[] counts = new long[COUNTS];
    for (int i = 0; i < known; i++) {
      counts[i] = in.uint();
    }
    return new AuditCounts(
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4],
        counts[5],
        counts[6],
        counts[7],
        counts[8],
        counts[9],
        counts[10],
        counts[11],
        counts[12],
        counts[13]);
  }

  private static List<AuditFault> readFaults(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("faults", Findings.KEPT_MAX);
    List<AuditFault> faults = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("fault", 3);
      long jsn = in.uint();
      FaultKind kind = FaultKind.named(in.text());
      String detail = in.text();
      AuditFault fault = new AuditFault(jsn, kind, detail);
      if (!fault.detail().equals(detail)) {
        throw new MalformedException("a detail that no auditor writes");
      }
      faults.add(fault);
    }
    return faults;
  }
}
