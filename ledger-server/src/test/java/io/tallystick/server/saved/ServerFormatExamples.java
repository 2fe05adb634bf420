package io.tallystick.server.saved;

import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.server.frame.BlockDraft;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.CommitFrameWriter;
import io.tallystick.server.frame.Guard;
import io.tallystick.server.keys.KeyFile;
import io.tallystick.server.keys.ServiceKeyStore;
import io.tallystick.server.note.Note;
import io.tallystick.server.note.NotesSection;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.server.world.NewestTime;
import io.tallystick.server.world.ServiceTerms;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The worked examples of the pages on what a shard stores, made anew from the sample ledger: frame
/// 5 commits its first journal, as jsn 2 in block 1, and names block 0.
final class ServerFormatExamples {
  private static final long FRAME = 5;
  private static final Signatures SIGNATURES = SignatureProviders.best();

  private final FrameBuffer frame = new FrameBuffer();

  private ServerFormatExamples(Fixtures ledger, Submission single) throws Exception {
    VerifiedSubmission verified =
        new SubmissionVerifier(SIGNATURES, Set.of(Feature.STATE_FOREST))
            .verify(ledger.strand(), single.requests(), single.attestation(), ledger.keys());
    BlockDraft block = new BlockDraft(ledger.strand(), 2, 1, false);
    block.add(
        new BlockDraft.Submission(
            verified.requests(),
            verified.attestationBytes(),
            verified.signatureIds(),
            verified.latestExpiryMs(),
            false,
            false));
    Guard guard = new Guard(ledger.strand(), 0, digest("seal of block 0"));
    new CommitFrameWriter()
        .write(frame, FRAME, Fixtures.TIME_MS + 1000, List.of(guard), List.of(block));
  }

  private static Digest digest(String text) {
    return Sha256.hash(text.getBytes(StandardCharsets.UTF_8));
  }

  private static ServerFormatExamples plain() throws Exception {
    Fixtures ledger = Fixtures.ledger();
    return new ServerFormatExamples(ledger, ledger.single(1));
  }

  private static ServerFormatExamples withOperations() throws Exception {
    Fixtures ledger = Fixtures.ledger().withSmallState();
    DraftOp put =
        new DraftOp.Put(Bytes.utf8("key"), Bytes.utf8("value"), new Precondition.IfAbsent());
    return new ServerFormatExamples(
        ledger, ledger.writing(1, put, DraftOp.delete(Bytes.utf8("old"))));
  }

  static Map<String, String> commitFrame() throws Exception {
    Map<String, String> page = new LinkedHashMap<>();
    page.put("notes", notes());
    FrameBuffer frame = plain().frame;
    page.put("infos", Bytes.wrap(infos(frame)).hex());
    page.put("payloads", payloads(frame));
    FrameBuffer operations = withOperations().frame;
    page.put("infos-with-operations", Bytes.wrap(infos(operations)).hex());
    page.put("payloads-with-operations", payloads(operations));
    return page;
  }

  private static String notes() {
    List<Note> notes =
        List.of(
            new Note(Bytes.utf8("gaa"), Bytes.utf8("row"), null),
            new Note(Bytes.utf8("qbb"), null, Sha256.hash(Bytes.utf8("old").toArray())));
    FrameBuffer frame = new FrameBuffer();
    NotesSection.write(notes, frame.notes());
    return Bytes.copyOf(frame.notes().array(), 0, frame.notes().length()).hex();
  }

  private static String payloads(FrameBuffer frame) {
    return Bytes.copyOf(
            frame.payloads().array(), frame.payloads().arrayBase(), frame.payloadBytes())
        .hex();
  }

  private static byte[] infos(FrameBuffer frame) {
    return Bytes.copyOf(frame.infos().array(), frame.infos().arrayBase(), frame.infoBytes())
        .toArray();
  }

  private static BlockRow sampleRow() {
    return new BlockRow(
        2,
        3,
        Fixtures.TIME_MS + 1000,
        (1L << 32) + 4096,
        FRAME,
        92,
        64 + 700,
        digest("seal of block 1"),
        digest("journal root"),
        SealLeaf.EMPTY_CLUE_ROOT,
        SealLeaf.EMPTY_STATE_ROOT,
        digest("head root"),
        null);
  }

  static Map<String, String> blockRow() {
    BlockRow row = sampleRow();
    Map<String, String> page = new LinkedHashMap<>();
    page.put("unsigned", Bytes.wrap(row.encode(1)).hex());
    Bytes signature = Bytes.fromHex("5a".repeat(64));
    page.put("signed", Bytes.wrap(row.signed(signature).encode(1)).hex());
    return page;
  }

  static Map<String, String> savepoint(Path keys) throws Exception {
    Fixtures sample = Fixtures.ledger();
    LedgerGenesis state =
        new LedgerGenesis(
            sample.strand().ledger(),
            sample.params().encode(),
            sample.params(),
            new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME));
    Member alice = new Member(Fixtures.ALICE.publicKey(), Role.OWNER, 0, Member.NEVER);
    Member carol = new Member(Fixtures.CAROL.publicKey(), Role.NORMAL, 6, 9);
    Map<String, String> page = new LinkedHashMap<>();
    SavepointRow savepoint =
        new SavepointRow(new StreamPosition((1L << 32) + 4096, 6), 3, Fixtures.TIME_MS + 1000);
    page.put("savepoint-key", SavepointRow.KEY.hex());
    page.put("savepoint-row", savepoint.encode().hex());
    page.put("strand-key", StrandRow.key(sample.strand()).hex());
    page.put("strand-row", new StrandRow(2, false, sampleRow()).encode(sample.strand()).hex());
    page.put("ledger-key", WorldRows.ledgerKey(state.id()).hex());
    page.put("ledger-row", WorldRows.encode(state).hex());
    page.put("member-key", WorldRows.memberKey(state.id(), alice.key().kid()).hex());
    page.put("member-row", WorldRows.encode(alice).hex());
    page.put("revoked-member-row", WorldRows.encode(carol).hex());
    Member granted =
        new Member(
            Fixtures.CAROL.publicKey(),
            Role.REGULATOR,
            6,
            8,
            new Member.Terms(Fixtures.TIME_MS + 3_600_000, true, Optional.empty()),
            9,
            Optional.of(Fixtures.BOB.publicKey().kid()));
    page.put("granted-member-row", WorldRows.encode(granted).hex());
    page.put("closing-key", WorldRows.closingKey(state.id()).hex());
    page.put("closing-row", WorldRows.encodeClosing(10).hex());
    page.put("time-key", WorldRows.timeKey(state.id()).hex());
    page.put("time-row", WorldRows.encode(new NewestTime(12, 10)).hex());
    page.put("rotations-key", WorldRows.rotationsKey(state.id()).hex());
    page.put("rotations-row", WorldRows.encode(rotated(state)).hex());
    MetaBatch.Change.Put replay = replayRow();
    page.put("replay-key", replay.key().hex());
    page.put("replay-row", replay.value().hex());
    page.put("identity-key", Bytes.utf8("i").hex());
    page.put("identity-row", identity(keys).hex());
    page.put("pair-key", "6900000001");
    page.put("pair-row", furtherPair(keys).hex());
    return page;
  }

  /// By journal 2.
  private static ServiceTerms rotated(LedgerGenesis ledger) {
    return new ServiceTerms(
        ServiceTerms.ofGenesis(ledger.params())
            .keys()
            .rotated(new Jsn(2), Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey()),
        Fixtures.TIME_MS);
  }

  /// What is recorded of the fixtures' next service keys, when somebody asks for them.
  private static Bytes furtherPair(Path keys) throws Exception {
    Path folder = keys.resolve(Fixtures.NEXT_RECEIPT.publicKey().kid().hex());
    Files.createDirectories(folder);
    write(folder.resolve("note.pem"), Fixtures.NEXT_NOTE.exportPkcs8());
    write(folder.resolve("receipt.pem"), Fixtures.NEXT_RECEIPT.exportPkcs8());
    InMemoryMetaStore meta = new InMemoryMetaStore();
    RequestHeader rotation =
        RequestHeader.decode(Fixtures.ledger().rotation().requests().getFirst().header());
    new ServiceKeyStore(keys, meta, SIGNATURES).open(new Authority("localhost")).lookFor(rotation);
    Bytes row = meta.get(Bytes.fromHex("6900000001"));
    if (row == null) {
      throw new AssertionError("no further pair was recorded");
    }
    return row;
  }

  private static MetaBatch.Change.Put replayRow() throws Exception {
    CommitFrame frame = new CommitFrame(infos(plain().frame), 0);
    ReplayRows rows = new ReplayRows();
    frame.blocks().forEach(rows::add);
    MetaBatch batch = new MetaBatch();
    rows.savepoint(batch, FRAME + 1, frame.timeMs());
    return (MetaBatch.Change.Put) batch.changes().getFirst();
  }

  /// The identity that the fixtures' service keys are recorded with.
  private static Bytes identity(Path keys) throws Exception {
    Files.createDirectories(keys);
    write(keys.resolve("note.pem"), Fixtures.NOTE.exportPkcs8());
    write(keys.resolve("receipt.pem"), Fixtures.RECEIPT.exportPkcs8());
    InMemoryMetaStore meta = new InMemoryMetaStore();
    new ServiceKeyStore(keys, meta, SIGNATURES).open(new Authority("localhost"));
    Bytes row = meta.get(Bytes.utf8("i"));
    if (row == null) {
      throw new AssertionError("no identity was recorded");
    }
    return row;
  }

  private static void write(Path file, byte[] pkcs8) throws IOException {
    String pem =
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getEncoder().encodeToString(pkcs8)
            + "\n-----END PRIVATE KEY-----\n";
    KeyFile.write(file, pem.getBytes(StandardCharsets.US_ASCII));
  }
}
