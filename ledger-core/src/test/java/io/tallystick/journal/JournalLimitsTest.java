package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: every number in requests, leaves and genesis has exactly the range that the formats give
/// it. Method: the least and the most are taken, one beyond either is refused.
class JournalLimitsTest {
  private static final Sample SAMPLE = new Sample();
  private static final Digest HASH = Digest.fromHex("ab".repeat(32));
  private static final Digest ZERO = Digest.ZERO;
  private static final Extension NONE = Extension.None.INSTANCE;
  private static final Precondition ALWAYS = new Precondition.None();
  private static final long NOW = Sample.TIME_MS;
  private static final long END = Limits.TIME_MS_MAX;

  record Limit(String name, List<Long> taken, List<Long> refused, LongConsumer make) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Limit range(String name, long least, long most, LongConsumer make) {
    return new Limit(name, List.of(least, most), List.of(least - 1, most + 1), make);
  }

  /// Of something that may be empty.
  private static Limit size(String name, long most, LongConsumer make) {
    return new Limit(name, List.of(0L, most), List.of(most + 1), make);
  }

  static List<Limit> headers() {
    return List.of(
        range("bodySize", 5, Limits.REQUEST_BYTES_MAX, n -> header(0, NOW, NOW, n, 0, 0)),
        new Limit(
            "clientSeq",
            List.of(0L, Long.MAX_VALUE),
            List.of(-1L),
            n -> header(n, NOW, NOW, 5, 0, 0)),
        range("clientTime", 0, NOW, n -> header(0, n, NOW, 5, 0, 0)),
        range("expires", NOW, END, n -> header(0, NOW, n, 5, 0, 0)),
        size("clue ids", Limits.CLUES_MAX, n -> header(0, NOW, NOW, 5, n, 0)),
        size("opsCount", Limits.OPS_MAX, n -> header(0, NOW, NOW, 5, 0, n)),
        new Limit(
            "firstHeight",
            List.of(1L, Long.MAX_VALUE),
            List.of(0L),
            n -> new Extension.Parameters(n, Set.of(Feature.CLUE_TRIE))),
        range("size of a time journal", 2, 1L << 62, n -> TrustSamples.time(n, 0, 1)),
        range("time journal before", 2, 98, n -> TrustSamples.time(99, n, 1)),
        range("token", 1, 12_283, n -> TrustSamples.time(99, 0, n)),
        range("notAfterMs", 0, END, TrustSamples::grant),
        range("key to delete", 1, Limits.KEY_BYTES_MAX, n -> new Op.Delete(zeros(n), ALWAYS)),
        range("key to put", 1, Limits.KEY_BYTES_MAX, n -> new Op.Put(zeros(n), HASH, 0, ALWAYS)),
        range(
            "valueSize",
            0,
            Limits.REQUEST_BYTES_MAX,
            n -> new Op.Put(zeros(1), HASH, (int) n, ALWAYS)));
  }

  static List<Limit> bodies() {
    return List.of(
        size("payload", Limits.PAYLOAD_BYTES_MAX, n -> body(zeros(n), "", List.of(), 0)),
        size("content type", 255, n -> body(Bytes.EMPTY, "a".repeat((int) n), List.of(), 0)),
        size("content type of 3 bytes each", 85, n -> body("日".repeat((int) n), List.of())),
        size("clues", Limits.CLUES_MAX, n -> body("", Collections.nCopies((int) n, "a"))),
        range("clue", 1, 256, n -> body("", List.of("a".repeat((int) n)))),
        range("clue of 2 bytes each", 1, 128, n -> body("", List.of("é".repeat((int) n)))),
        size("values", Limits.OPS_MAX, n -> body(Bytes.EMPTY, "", List.of(), (int) n)));
  }

  static List<Limit> leaves() {
    Bytes header = SAMPLE.draft("x").build().header();
    return List.of(
        range("time", 0, END, n -> new JournalLeaf(new Jsn(2), n, header, HASH, 0, 1)),
        range("time of genesis", 0, END, n -> new GenesisLeaf(n, 0, Bytes.EMPTY, HASH)),
        range("time of a seal", 0, END, n -> SealLeaf.of(new Jsn(1), n, 0, ZERO, new Jsn(0), HASH)),
        range(
            "jsn of the seal of genesis",
            1,
            1,
            n -> SealLeaf.of(new Jsn(n), NOW, 0, ZERO, new Jsn(0), HASH)),
        size(
            "header",
            Limits.HEADER_BYTES_MAX,
            n -> new JournalLeaf(new Jsn(2), NOW, zeros(n), HASH, 0, 1)),
        range(
            "batchCount",
            1,
            Limits.BATCH_COUNT_MAX,
            n -> new JournalLeaf(new Jsn(2), NOW, header, HASH, 0, (int) n)),
        range("batchIndex", 0, 6, n -> new JournalLeaf(new Jsn(2), NOW, header, HASH, (int) n, 7)),
        new Limit(
            "strand",
            List.of(0L, (long) Integer.MAX_VALUE),
            List.of(-1L),
            n -> new GenesisLeaf(NOW, (int) n, Bytes.EMPTY, HASH)),
        size(
            "GenesisParams",
            Limits.LEAF_BYTES_MAX - 64,
            n -> new GenesisLeaf(NOW, 0, zeros(n), HASH)),
        range("height of a seal", 1, 3, n -> seal(8, n, 7)),
        range("firstJsn of block 3", 6, 8, n -> seal(9, 3, n)));
  }

  static List<Limit> genesis() {
    return List.of(
        range("createdMs", 0, END, n -> params(n, 1, 1)),
        range("strandCount", 1, Limits.STRANDS_MAX, n -> params(NOW, (int) n, 1)),
        range("maxWindowMs", 1, Limits.GOVERNANCE_WINDOW_MS_MAX, n -> params(NOW, 1, n)),
        range("N_cap", 8, 1L << 40, n -> new StateParams(n, 1, 8, 8, 1)),
        range("leafMax", 4, 1024, n -> new StateParams(1 << 20, 1, (int) n, 8, 1)),
        range("innerMax", 4, 1024, n -> new StateParams(1 << 20, 1, 8, (int) n, 1)),
        range("capacityRule", 1, 1, n -> new StateParams(1 << 20, (int) n, 8, 8, 1)),
        range("splitRule", 1, 1, n -> new StateParams(1 << 20, 1, 8, 8, (int) n)),
        range("salt", 32, 32, n -> Commitments.name(zeros(n), "sample")));
  }

  @ParameterizedTest
  @MethodSource({"headers", "bodies", "leaves", "genesis"})
  void takesTheLeastAndTheMostAndNothingBeyond(Limit limit) {
    for (long taken : limit.taken) {
      assertThatCode(() -> limit.make.accept(taken)).as("%d", taken).doesNotThrowAnyException();
    }
    for (long refused : limit.refused) {
      assertThatIllegalArgumentException()
          .as("%d", refused)
          .isThrownBy(() -> limit.make.accept(refused));
    }
  }

  /// Whoever looks for the ledger of a request has not checked it yet.
  @Test
  void looksForTheStrandInNoLongerHeaderThanThereCanBe() throws MalformedException {
    Bytes header = SAMPLE.draft("x").build().header();
    byte[] longest = Arrays.copyOf(header.toArray(), Limits.HEADER_BYTES_MAX);
    assertThat(RequestHeader.peekStrand(Bytes.wrap(longest))).isEqualTo(SAMPLE.strand);
    Bytes longer = Bytes.wrap(Arrays.copyOf(longest, longest.length + 1));
    assertThatThrownBy(() -> RequestHeader.peekStrand(longer))
        .isInstanceOf(MalformedException.class)
        .hasMessage("header of 16257 bytes, at most 16256");
  }

  private static void header(
      long clientSeq, long clientTimeMs, long expiresMs, long bodySize, long clues, long ops) {
    List<Digest> ids = IntStream.range(0, (int) clues).mapToObj(JournalLimitsTest::id).toList();
    new RequestHeader(
        SAMPLE.strand,
        Kind.APPEND,
        clientSeq,
        clientTimeMs,
        expiresMs,
        HASH,
        (int) bodySize,
        ids,
        ops == 0 ? null : new OpsRoot(HASH),
        (int) ops,
        NONE);
  }

  private static Digest id(int number) {
    byte[] id = new byte[Digest.BYTES];
    id[0] = (byte) number;
    return Digest.of(id);
  }

  private static void body(String contentType, List<String> clues) {
    body(Bytes.EMPTY, contentType, clues, 0);
  }

  private static void body(Bytes payload, String contentType, List<String> clues, int values) {
    new Body(payload, contentType, clues, Collections.nCopies(values, Bytes.EMPTY));
  }

  private static void seal(long jsn, long height, long firstJsn) {
    SealLeaf.of(new Jsn(jsn), NOW, height, HASH, new Jsn(firstJsn), HASH);
  }

  private static void params(long createdMs, int strandCount, long maxWindowMs) {
    GenesisParams params = SAMPLE.params;
    new GenesisParams(
        params.authority(),
        params.nameCommit(),
        params.random(),
        params.owners(),
        params.noteKey(),
        params.receiptKey(),
        createdMs,
        false,
        strandCount,
        maxWindowMs,
        Set.of(),
        null);
  }

  private static Bytes zeros(long count) {
    return Bytes.wrap(new byte[(int) count]);
  }
}
