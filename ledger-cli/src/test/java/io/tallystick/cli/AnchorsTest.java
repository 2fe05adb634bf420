package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.AnchoredClue;
import io.tallystick.client.AnchoredJournal;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedAnchor;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a user's own anchors are in the trust directory and verification begins there; anchors of
/// others are believed only as heads of the log that a member signed. Method: clients over gRPC,
/// and the commands, against a real service.
class AnchorsTest {
  @TempDir private Path home;

  private final ClientKey ada = ClientKey.generate();
  private final ClientKey bo = ClientKey.generate();
  private RunningService service;

  @BeforeEach
  void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private TallyClient client(String user) throws Exception {
    return TallyClient.connect(ClientConfig.of(service.target(), home.resolve(user)));
  }

  private static void rejected(Reason reason, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            VerificationException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private interface Call {
    void run() throws Exception;
  }

  private static JournalDraft draft(String text, String... clues) {
    return JournalDraft.text(text).withClues(List.of(clues));
  }

  @Test
  void verificationBeginsAtTheNearestAnchorOfTheTrustDirectory() throws Exception {
    LedgerId id;
    SignedHead middle;
    Jsn early;
    try (TallyClient client = client("ada")) {
      LedgerHandle ledger = client.createLedger("mine", List.of(ada), LedgerOptions.DEFAULT);
      id = ledger.id();
      early = ledger.append(draft("one", "case")).jsn();
      ledger.append(draft("two", "case"));
      AnchoredClue whole = ledger.verify("case");
      assertThat(whole.anchor()).isEmpty();
      assertThat(whole.journals()).hasSize(2);
      middle = ledger.checkpoint();
      ledger.anchors().set(middle);
      ledger.append(draft("three", "case"));
      ledger.append(draft("four", "other"));
    }
    try (TallyClient client = client("ada")) {
      LedgerHandle ledger = client.open(id, ada);
      assertThat(ledger.anchors().list()).containsExactly(middle);
      AnchoredJournal below = ledger.verify(early);
      assertThat(below.anchor()).contains(middle);
      assertThat(below.journal().jsn()).isEqualTo(early);
      Jsn late = new Jsn(middle.size().value());
      assertThat(ledger.verify(late).anchor()).isEmpty();
      AnchoredClue since = ledger.verify("case");
      assertThat(since.anchor()).contains(middle);
      assertThat(since.before()).isEqualTo(2);
      assertThat(since.journals()).extracting(LineageEntry::jsn).containsExactly(late.value());
      assertThat(ledger.verify("other").journals()).hasSize(1);
    }
    Path head = home.resolve("ada").resolve(id.hex()).resolve("anchors-0");
    byte[] file = Files.readAllBytes(head);
    file[file.length - 1] ^= 1;
    Files.write(head, file);
    try (TallyClient client = client("ada")) {
      assertThatThrownBy(() -> client.open(id, ada)).isInstanceOf(TrustStoreException.class);
    }
  }

  @Test
  void anchorsOfOthersAreBelievedOnlyAsHeadsThatAMemberSigned() throws Exception {
    try (TallyClient adas = client("ada");
        TallyClient bos = client("bo")) {
      LedgerHandle ledger = adas.createLedger("shared", List.of(ada), LedgerOptions.DEFAULT);
      ledger.addMember(Role.NORMAL, bo.publicKey());
      LedgerHandle reader = bos.open(ledger.id(), bo);
      assertThatThrownBy(() -> reader.anchors().newest())
          .isInstanceOfSatisfying(
              RequestRefusedException.class, e -> assertThat(e.code()).isEqualTo("out_of_range"));
      SignedHead head = reader.checkpoint();
      Bytes anchor = reader.anchors().share(head);
      ledger.append(draft("one"));
      VerifiedAnchor found = ledger.anchors().newest();
      assertThat(found.encoded()).isEqualTo(anchor);
      assertThat(found.signed().kid()).isEqualTo(bo.kid());
      assertThat(found.head().size()).isEqualTo(head.size());
      assertThat(ledger.anchors().nearest(head.size())).isEqualTo(found);

      StrandId strand = new StrandId(ledger.id(), 0);
      Anchor falsely = new Anchor(strand, head.size(), new JournalRoot(Digest.ZERO));
      rejected(Reason.ROOT_MISMATCH, () -> ledger.anchors().verify(falsely.sign(bo.signer())));
      Anchor between = new Anchor(strand, new TreeSize(head.size().value() - 1), head.root());
      rejected(Reason.ROOT_MISMATCH, () -> ledger.anchors().verify(between.sign(bo.signer())));
      Bytes strangers =
          new Anchor(strand, head.size(), head.root()).sign(ClientKey.generate().signer());
      rejected(Reason.NOT_A_MEMBER, () -> ledger.anchors().verify(strangers));
      ledger.revokeMember(bo.kid());
      rejected(Reason.NOT_A_MEMBER, () -> ledger.anchors().verify(anchor));
      assertThatThrownBy(() -> ledger.anchors().newest())
          .as("the service gives none of a revoked member")
          .isInstanceOf(RequestRefusedException.class);
    }
  }

  @Test
  void theCommandsSetShareAndGetAnchors() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(key);
    String ledger =
        cli.call("ledger", "create", "cli", "--key", key, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    JsonNode set = cli.call("anchor", "set", ledger, "--json").json();
    assertThat(set.get("size").longValue()).isEqualTo(2);
    cli.call("append", ledger, "--text", "one", "--key", key).hasStatus(0);
    JsonNode shared = cli.call("anchor", "share", ledger, "--key", key, "--json").json();
    assertThat(shared.get("size").longValue()).isEqualTo(4);
    Path out = home.resolve("shared.anchor");
    JsonNode got = cli.call("anchor", "get", ledger, "--out", out, "--set", "--json").json();
    assertThat(got.get("size").longValue()).isEqualTo(4);
    assertThat(got.get("root")).isEqualTo(shared.get("root"));
    JsonNode listed = cli.call("anchor", "list", ledger, "--json").json();
    assertThat(listed.get("anchors")).hasSize(2);
    StrandId strand = new StrandId(LedgerId.fromHex(ledger), 0);
    assertThat(Anchor.decode(Bytes.wrap(Files.readAllBytes(out)), strand).anchor().size())
        .isEqualTo(new TreeSize(4));
    cli.call("anchor", "get", ledger, "--size", 3).hasStatus(3);
    cli.call("time", "last", ledger, "--at", System.currentTimeMillis()).hasStatus(3);
    assertThat(got.get("kid").stringValue()).isEqualTo(ClientKey.load(key).kid().hex());

    cli.call("append", ledger, "--text", "two", "--key", key).hasStatus(0);
    JsonNode audit = cli.call("audit", ledger, "--from-anchor", out, "--json").json().get("audit");
    assertThat(audit.get("result").stringValue()).isEqualTo("passed");
    assertThat(audit.get("vouchedSize").longValue()).isEqualTo(4);
    assertThat(audit.get("counts").get("bodies").longValue()).isEqualTo(1);
    Anchor falsely = new Anchor(strand, new TreeSize(4), new JournalRoot(Digest.ZERO));
    Files.write(out, falsely.sign(ClientKey.load(key).signer()).toArray());
    cli.call("audit", ledger, "--from-anchor", out).hasStatus(4);
  }
}
