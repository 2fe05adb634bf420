package io.tallystick.server.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.testkit.Fixtures;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Goal: a frame gives each journal's operations back, frames of format 1 are read as ever, and an
/// info section that says something impossible of operations is refused. Method: write frames with
/// and without operations and read them; read the format page's example of format 1; spoil single
/// fields.
class FrameOperationsTest {
  private static final int GUARDS_END = FrameLayout.PREAMBLE_BYTES;
  private static final Fixtures LEDGER = Fixtures.ledger().withSmallState();

  private static SignedRequest request(int number, DraftOp... ops) {
    return LEDGER.draft(number).withOps(List.of(ops)).build();
  }

  private static final List<SignedRequest> BATCH =
      List.of(
          request(1),
          request(2, DraftOp.put(Bytes.utf8("a"), Bytes.utf8("one"))),
          request(3, DraftOp.delete(Bytes.utf8("a")), DraftOp.delete(Bytes.utf8("b"))));

  /// Two submissions: a batch and a single.
  private static byte[] infos(List<SignedRequest> batch, SignedRequest single) {
    BlockDraft block = new BlockDraft(LEDGER.strand(), 2, 1, false);
    for (List<SignedRequest> requests : List.of(batch, List.of(single))) {
      block.add(
          new BlockDraft.Submission(
              requests, Bytes.utf8("attestation"), List.of(Digest.ZERO), 9, false, false));
    }
    FrameBuffer frame = new FrameBuffer();
    new CommitFrameWriter().write(frame, 5, 7, List.of(), List.of(block));
    return Bytes.copyOf(frame.infos().array(), frame.infos().arrayBase(), frame.infoBytes())
        .toArray();
  }

  private static BlockInfo block(byte[] infos) throws MalformedException {
    return CommitFrame.checked(infos).blocks().getFirst();
  }

  @Test
  void givesBackWhatEachJournalHas() throws Exception {
    BlockInfo block = block(infos(BATCH, request(4, DraftOp.delete(Bytes.utf8("c")))));
    assertThat(block.hasOperations()).isTrue();
    List<Bytes> headers = new ArrayList<>();
    List<Bytes> ops = new ArrayList<>();
    for (int i = 0; i < block.journals(); i++) {
      headers.add(block.header(i));
      ops.add(block.ops(i));
    }
    assertThat(headers.subList(0, 3)).isEqualTo(BATCH.stream().map(SignedRequest::header).toList());
    assertThat(ops.subList(0, 3)).isEqualTo(BATCH.stream().map(SignedRequest::ops).toList());
    assertThat(ops.get(0)).isEqualTo(Bytes.EMPTY);
    assertThat(ops.get(3)).isEqualTo(request(4, DraftOp.delete(Bytes.utf8("c"))).ops());
  }

  /// Headers of a batch lie side by side, or a member's own proof could not be read.
  @Test
  void headersOfABatchLieSideBySide() throws Exception {
    BlockInfo block = block(infos(BATCH, request(4)));
    for (int i = 1; i < 3; i++) {
      assertThat(block.headerOffset(i))
          .isEqualTo(block.headerOffset(i - 1) + block.headerBytes(i - 1));
    }
  }

  @Test
  void aBlockWithoutOperationsIsOfFormatOne() throws Exception {
    BlockInfo block = block(infos(List.of(request(1), request(2)), request(4)));
    assertThat(block.hasOperations()).isFalse();
    assertThat(block.ops(1)).isEqualTo(Bytes.EMPTY);
    assertThat(block.opsBytes(2)).isZero();
  }

  /// The page's example was written by the version before there were operations.
  @Test
  void readsAFrameOfFormatOne() throws Exception {
    String page =
        Files.readString(Path.of("../docs/formats/commit-frame.md"), StandardCharsets.UTF_8);
    Matcher example = Pattern.compile("```hex infos\\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(example.find()).isTrue();
    String hex = example.group(1).replaceAll("#.*", "").replaceAll("\\s", "");
    BlockInfo block = block(Bytes.fromHex(hex).toArray());
    assertThat(block.hasOperations()).isFalse();
    assertThat(block.journals()).isEqualTo(1);
    assertThat(block.header(0)).isEqualTo(Fixtures.ledger().request(1).header());
    assertThat(block.ops(0)).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void refusesWhatCannotBe() {
    byte[] infos = infos(BATCH, request(4));
    int rows = GUARDS_END + FrameLayout.BLOCK_HEADER_BYTES + 2 * FrameLayout.SUBMISSION_BYTES;
    int second = rows + FrameLayout.JOURNAL_WITH_OPS_BYTES;
    assertRefused(infos, second + FrameLayout.OPS_OFFSET, 3, "offset of operations 3");
    assertRefused(infos, second + FrameLayout.OPS_BYTES, 1 << 20, "offset of operations");
    assertRefused(infos, rows + FrameLayout.OPS_OFFSET, 900, "offset of no operations 900");
    assertRefused(infos, GUARDS_END + FrameLayout.BLOCK_FLAGS, 18, "flags 18");
    assertRefused(infos, GUARDS_END + FrameLayout.BLOCK_FLAGS, 5, "founding block: flags 5");
    assertRefused(infos, second + FrameLayout.JOURNAL_FLAGS, 2, "flags of a journal 2");
    assertRefused(infos, GUARDS_END + FrameLayout.BLOCK_FLAGS, 3, "founding block: flags 3");
    assertRefused(infos, GUARDS_END + FrameLayout.BLOCK_FLAGS, 0, "info section");
  }

  private static void assertRefused(byte[] infos, int at, int value, String why) {
    byte[] spoilt = infos.clone();
    ByteBuffer.wrap(spoilt).putInt(at, value);
    assertThatThrownBy(() -> CommitFrame.checked(spoilt))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }
}
