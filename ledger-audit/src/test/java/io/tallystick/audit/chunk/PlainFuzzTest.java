package io.tallystick.audit.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.StateLogs;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.replay.StateOp;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Goal: what is read in place is accepted exactly when the strict decoders accept it and it is
/// plain, with the same values. Method: both on every input; Jazzer; `docs/testing.md`.
class PlainFuzzTest extends FuzzContract {
  private static final List<LogEntry> LOG = entries(4);
  private static final AuditContext CONTEXT = context();

  /// The same strand, had its genesis turned the state forest on.
  private static final AuditContext STATE_CONTEXT =
      new AuditContext(
          CONTEXT.strand(),
          StateLogs.FIXTURES.params(),
          CONTEXT.signatures(),
          CONTEXT.keys(),
          true);

  /// The four fields of every entry of two logs, as parts.
  private static final Edits CHUNKS = new Edits(List.of(fields(LOG), fields(entries(5))));

  /// Buffers of two checks of a chunk.
  private static final long CHUNK_BYTES = 16L << 20;

  /// What stands before and behind an input, so that reading beyond it shows.
  private static final int MARGIN_BYTES = 40;

  /// Genesis, seal; Alice, a batch of two by Alice, Alice about two clues; seal.
  private static List<LogEntry> entries(int number) {
    return MemoryLog.of(
            ReferenceLedger.found(Logs.FIXTURES)
                .append(Logs.FIXTURES.single(number))
                .append(Logs.FIXTURES.batch(10 * number, 2))
                .append(Logs.FIXTURES.clued(number + 20, "a", "invoice 7"))
                .seal())
        .entries();
  }

  private static AuditContext context() {
    try {
      return AuditedGenesis.check(
          Logs.FIXTURES.strand(), LOG.getFirst(), SignatureProviders.best(), true);
    } catch (FaultException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Bytes> fields(List<LogEntry> entries) {
    List<Bytes> fields = new ArrayList<>();
    for (LogEntry entry : entries) {
      fields.addAll(List.of(entry.leaf(), entry.attestation(), entry.salt(), entry.body()));
    }
    return fields;
  }

  @Override
  protected long allocatedBytesMax() {
    return CHUNK_BYTES;
  }

  /// The leaf of a journal and the header in it.
  private record Journal(JournalLeaf leaf, RequestHeader header) {}

  @FuzzTest
  void journal(byte[] leaf) {
    judge(leaf, CONTEXT);
  }

  /// The same in a ledger that has a state.
  @FuzzTest
  void stateJournal(byte[] leaf) {
    judge(leaf, STATE_CONTEXT);
  }

  private void judge(byte[] leaf, AuditContext context) {
    attempt(
        () -> {
          Optional<Journal> want = strictJournal(leaf, context);
          PlainJournal plain = new PlainJournal(context);
          byte[] array = between(leaf);
          boolean accepted = plain.read(array, MARGIN_BYTES, MARGIN_BYTES + leaf.length);
          assertThat(accepted).isEqualTo(want.isPresent());
          if (want.isEmpty()) {
            throw new MalformedException("it is no plain journal");
          }
          assertSame(want.get(), plain, array);
        },
        MalformedException.class);
  }

  private static Optional<Journal> strictJournal(byte[] encoded, AuditContext context) {
    try {
      if (!(Leaf.decode(Bytes.copyOf(encoded)) instanceof JournalLeaf leaf)) {
        return Optional.empty();
      }
      RequestHeader header = RequestHeader.decode(leaf.header());
      RequestTimes.check(header, leaf.timeMs(), CONTEXT.genesis().maxWindowMs());
      boolean plain =
          header.strand().equals(CONTEXT.strand())
              && header.kind() == Kind.APPEND
              && (header.opsCount() == 0 || context.hasState())
              && header.extension() instanceof Extension.None;
      return plain ? Optional.of(new Journal(leaf, header)) : Optional.empty();
    } catch (MalformedException | RequestRejectedException e) {
      return Optional.empty();
    }
  }

  private static void assertSame(Journal want, PlainJournal plain, byte[] array) {
    JournalLeaf leaf = want.leaf();
    RequestHeader header = want.header();
    assertThat(plain.jsn).isEqualTo(leaf.jsn().value());
    assertThat(plain.timeMs).isEqualTo(leaf.timeMs());
    assertThat(plain.batchIndex).isEqualTo(leaf.batchIndex());
    assertThat(plain.batchCount).isEqualTo(leaf.batchCount());
    assertThat(Bytes.copyOf(array, plain.headerAt, plain.headerBytes())).isEqualTo(leaf.header());
    assertThat(Digest.of(array, plain.attestHashAt)).isEqualTo(leaf.attestHash());
    assertThat(plain.expiresMs).isEqualTo(header.expiresMs());
    assertThat(Digest.of(array, plain.bodyCommitAt)).isEqualTo(header.bodyCommit());
    assertThat(plain.bodySizeBytes).isEqualTo(header.bodySizeBytes());
    assertThat(plain.opsCount).isEqualTo(header.opsCount());
    if (header.opsRoot() != null) {
      assertThat(Digest.of(array, plain.opsRootAt)).isEqualTo(header.opsRoot().digest());
    }
    List<Digest> clueIds = new ArrayList<>();
    for (int i = 0; i < plain.clueCount; i++) {
      clueIds.add(Digest.of(array, plain.clueIdAt(i)));
    }
    assertThat(clueIds).isEqualTo(header.clueIds());
  }

  /// @param input the body of a request whose header has the clue ids of this body, if it is one
  ///   and they ascend; else no clue ids
  @FuzzTest
  void body(byte[] input) {
    attempt(
        () -> {
          Optional<Body> body = strictBody(input);
          List<Digest> clueIds = body.map(PlainFuzzTest::ascendingClueIds).orElse(List.of());
          boolean want = body.isPresent() && isPlain(body.get(), clueIds);
          byte[] leaf = leafOf(clueIds);
          PlainJournal plain = new PlainJournal(CONTEXT);
          assertThat(plain.read(leaf, 0, leaf.length)).isTrue();
          byte[] array = between(input);
          boolean accepted =
              plain.readBody(array, MARGIN_BYTES, MARGIN_BYTES + input.length)
                  && new PlainOps().valuesRight(array, 0, plain);
          assertThat(accepted).isEqualTo(want);
          if (!want) {
            throw new MalformedException("it is no plain body");
          }
        },
        MalformedException.class);
  }

  private static Optional<Body> strictBody(byte[] encoded) {
    try {
      return Optional.of(Body.decode(Bytes.copyOf(encoded)));
    } catch (MalformedException e) {
      return Optional.empty();
    }
  }

  private static List<Digest> clueIds(Body body) {
    return body.clues().stream()
        .map(clue -> Commitments.clueId(CONTEXT.strand().ledger(), clue))
        .toList();
  }

  private static List<Digest> ascendingClueIds(Body body) {
    List<Digest> ids = clueIds(body);
    for (int i = 1; i < ids.size(); i++) {
      if (ids.get(i - 1).compareTo(ids.get(i)) >= 0) {
        return List.of();
      }
    }
    return ids;
  }

  private static boolean isPlain(Body body, List<Digest> headerClueIds) {
    return body.values().isEmpty()
        && isAscii(body.contentType())
        && body.clues().stream().allMatch(PlainFuzzTest::isAscii)
        && clueIds(body).equals(headerClueIds);
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(character -> character < 0x80);
  }

  private static byte[] leafOf(List<Digest> clueIds) {
    RequestHeader header =
        new RequestHeader(
            CONTEXT.strand(),
            Kind.APPEND,
            0,
            1_000,
            1_000,
            Digest.ZERO,
            100,
            clueIds,
            null,
            0,
            new Extension.None());
    return new JournalLeaf(new Jsn(2), 1_000, header.encode(), Digest.ZERO, 0, 1)
        .encode()
        .toArray();
  }

  private static byte[] between(byte[] input) {
    byte[] array = new byte[input.length + 2 * MARGIN_BYTES];
    Arrays.fill(array, (byte) 0x01);
    System.arraycopy(input, 0, array, MARGIN_BYTES, input.length);
    return array;
  }

  @FuzzTest
  void ops(byte[] input) {
    attempt(
        () -> {
          List<Op> want = strictOps(input);
          PlainOps plain = new PlainOps();
          boolean accepted = plain.read(between(input), MARGIN_BYTES, MARGIN_BYTES + input.length);
          assertThat(accepted).isEqualTo(!want.isEmpty());
          if (want.isEmpty()) {
            throw new MalformedException("these are no operations");
          }
          assertThat(plain.all().stream().map(PlainFuzzTest::encode).toList())
              .isEqualTo(want.stream().map(Op::encode).toList());
          assertThat(Digest.of(plain.root())).isEqualTo(Op.root(want).digest());
        },
        MalformedException.class);
  }

  private static List<Op> strictOps(byte[] encoded) {
    try {
      return Ops.decode(Bytes.copyOf(encoded)).values();
    } catch (MalformedException e) {
      return List.of();
    }
  }

  private static Bytes encode(StateOp op) {
    Precondition precondition =
        switch (op.condition()) {
          case StateOp.Condition.Always() -> new Precondition.None();
          case StateOp.Condition.Absent() -> new Precondition.IfAbsent();
          case StateOp.Condition.Version(long jsn) -> new Precondition.IfVersion(new Jsn(jsn));
          case StateOp.Condition.Commit(Digest commit) -> new Precondition.IfCommit(commit);
        };
    Digest commit = op.valueCommit();
    return commit == null
        ? new Op.Delete(op.key(), precondition).encode()
        : new Op.Put(op.key(), commit, op.valueSizeBytes(), precondition).encode();
  }

  /// Both checks of a chunk, on edits of a log's entries. No such edit makes a right journal that
  /// is not plain.
  @FuzzTest
  void chunk(byte[] program) {
    attempt(
        () -> {
          List<Bytes> edited = CHUNKS.apply(program);
          CheckedChunk want = ChunkCheck.check(chunkOf(edited), CONTEXT);
          CheckedChunk scanned = new ChunkScan(CONTEXT).check(chunkOf(edited));
          assertThat(scanned != null).isEqualTo(isRight(want));
          if (scanned == null) {
            throw new MalformedException("the chunk has a fault");
          }
          assertThat(scanned).usingRecursiveComparison().ignoringFields("closing").isEqualTo(want);
          assertThat(scanned.closing()).isEqualTo(want.closing());
        },
        MalformedException.class);
  }

  private static boolean isRight(CheckedChunk chunk) {
    return chunk.fatal() == null
        && chunk.faults().isEmpty()
        && chunk.events().stream()
            .noneMatch(event ->
                event instanceof Event.Submission submission
                    && !(submission.verdict() instanceof Event.Verdict.Good));
  }

  private static Chunk chunkOf(List<Bytes> fields) {
    EntryRun run = new EntryRun();
    for (int i = 0; i < LOG.size(); i++) {
      run.add(
          new LogEntry(
              fields.get(4 * i),
              fields.get(4 * i + 1),
              LOG.get(i).bodyState(),
              fields.get(4 * i + 2),
              fields.get(4 * i + 3)));
    }
    return new Chunk(0, run, null, new LogEnd(Bytes.EMPTY, Bytes.EMPTY), null);
  }
}
