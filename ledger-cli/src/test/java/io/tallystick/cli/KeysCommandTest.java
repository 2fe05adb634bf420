package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.PrivateFile;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Goal: the keys that an operator makes while the service runs are those that an owner may rotate
/// to, and the rotated ledger passes an audit from its exported files. Method: the command line
/// against a real service; the rotation goes to the node directly.
class KeysCommandTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  @TempDir private Path home;

  private RunningService start() throws Exception {
    return TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
  }

  private static PublicKey key(JsonNode made, String field) throws Exception {
    return PublicKey.ofSpki(Bytes.fromHex(made.get(field).stringValue()));
  }

  /// As Kubernetes would put a Secret into the service's file system.
  @Test
  void aServiceStartsOnThePairOfASecretAndMakesNoneItself() throws Exception {
    JsonNode secret = Cli.run("keys", "--secret", "tally-keys", "--json").json();
    assertThat(secret.get("metadata").get("name").stringValue()).isEqualTo("tally-keys");
    Path keys = home.resolve("keys");
    for (String name : new String[] {"note.pem", "receipt.pem"}) {
      PrivateFile.createDirectory(keys);
      PrivateFile.replace(
          keys.resolve(name),
          secret.get("stringData").get(name).stringValue().getBytes(StandardCharsets.US_ASCII));
    }
    String data = "--tallystick.data-dir=" + home.resolve("data");
    try (RunningService service =
        TallystickService.start(
            LocalNode::open, data, "--tallystick.port=0", "--tallystick.keys-dir=" + keys)) {
      assertThat(service.port()).isPositive();
    }
    assertThat(home.resolve("data").resolve("keys")).doesNotExist();
    try (Stream<Path> files = Files.list(keys)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void printsASecretOnceAndRefusesANameThatIsNone() {
    Cli.Result first = Cli.run("keys", "--secret", "a.b-1").hasStatus(0);
    assertThat(first.out())
        .startsWith("apiVersion: v1\nkind: Secret\nmetadata:\n  name: \"a.b-1\"\n")
        .containsOnlyOnce("\n  note.pem: |\n    -----BEGIN PRIVATE KEY-----\n    ")
        .containsOnlyOnce("\n  receipt.pem: |\n    -----BEGIN PRIVATE KEY-----\n    ")
        .endsWith("\n    -----END PRIVATE KEY-----\n");
    assertThat(Cli.run("keys", "--secret", "a.b-1").out()).isNotEqualTo(first.out());
    for (String name : new String[] {"", "A", "-a", "a..b", "a b"}) {
      Cli.run("keys", "--secret", name).hasStatus(ExitCode.USAGE);
    }
    Cli.run("keys").hasStatus(ExitCode.USAGE);
  }

  @Test
  void makesTheFirstPairOfAFolderAndThenFurtherOnes() {
    Path keys = home.resolve("given");
    JsonNode first = Cli.run("keys", "new", "--keys", keys, "--json").json();
    JsonNode second = Cli.run("keys", "new", "--keys", keys, "--json").json();
    assertThat(keys.resolve("note.pem")).exists();
    assertThat(keys.resolve(second.get("receiptKid").stringValue())).isDirectory();
    assertThat(first.get("receiptKid")).isNotEqualTo(second.get("receiptKid"));
    Cli.run("keys", "new", "--keys", keys, "--data", home).hasStatus(ExitCode.USAGE);
  }

  @Test
  void aLedgerRotatedToNewKeysPassesAnAudit() throws Exception {
    Path owner = home.resolve("owner.pem");
    Cli.run("keygen", owner).hasStatus(0);
    String ledger;
    JsonNode made;
    try (RunningService service = start()) {
      Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(owner);
      ledger =
          cli.call("ledger", "create", "rotated", "--key", owner, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      cli.call("append", ledger, "--text", "by the old keys", "--key", owner).hasStatus(0);
      made = Cli.run("keys", "new", "--data", home.resolve("data"), "--json").json();
      cli.call("export", ledger, home.resolve("public")).hasStatus(0);
    }
    rotate(
        LedgerId.fromHex(ledger),
        new Extension.KeyRotation(key(made, "noteSpki"), key(made, "receiptSpki")),
        ClientKey.load(owner));
    try (RunningService service = start()) {
      new Cli(service.target(), home.resolve("stranger").toString())
          .withReader(owner)
          .call("export", ledger, home.resolve("public"))
          .hasStatus(0);
      checkServedChain(service, LedgerId.fromHex(ledger), owner, made);
    }
    Cli.Result audit =
        new Cli("127.0.0.1:1", home.resolve("nobody").toString())
            .call("audit", ledger, "--tiles", home.resolve("public"), "--no-bodies")
            .hasStatus(0);
    assertThat(audit.out()).startsWith("AUDIT PASSED");
  }

  /// Over REST the chain is served to whoever may read, and proves the new keys.
  private static void checkServedChain(
      RunningService service, LedgerId id, Path owner, JsonNode made) throws Exception {
    String token =
        Cli.run("token", "--key", owner, id.digest().hex(), "--json")
            .json()
            .get("token")
            .stringValue();
    String ledger = service.httpTarget() + "/v1/ledgers/" + id.digest().hex();
    Bytes genesis;
    KeyChain chain;
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest.Builder get = HttpRequest.newBuilder().header("Authorization", "Bearer " + token);
      String json = http.send(get.uri(URI.create(ledger)).build(), BodyHandlers.ofString()).body();
      genesis =
          Bytes.wrap(
              Base64.getDecoder()
                  .decode(new ObjectMapper().readTree(json).get("genesisParams").stringValue()));
      byte[] served =
          http.send(get.uri(URI.create(ledger + "/key-chain")).build(), BodyHandlers.ofByteArray())
              .body();
      URI file = URI.create(service.httpTarget() + "/l/" + id.digest().hex() + "/0/key-chain");
      assertThat(http.send(get.uri(file).build(), BodyHandlers.ofByteArray()).body())
          .isEqualTo(served);
      chain = KeyChain.decode(Bytes.wrap(served));
    }
    KeyChain.Verified proven = chain.verify(genesis, new StrandId(id, 0), SIGNATURES);
    assertThat(proven.keys().noteKey()).isEqualTo(key(made, "noteSpki"));
    assertThat(proven.keys().receiptKey()).isEqualTo(key(made, "receiptSpki"));
  }

  /// And one journal more, which the new keys sign.
  private void rotate(LedgerId id, Extension.KeyRotation keys, ClientKey owner) throws Exception {
    try (LocalNode local =
        LocalNode.open(
            home.resolve("data"),
            new Authority("localhost"),
            SIGNATURES,
            new SimpleMeterRegistry())) {
      LedgerNode node = local.node();
      StrandId strand = new StrandId(id, 0);
      append(node, owner, govern(node, strand, Kind.KEY_ROTATION, keys));
      Extension add = new Extension.MemberAdd(Role.NORMAL, ClientKey.generate().publicKey());
      append(node, owner, govern(node, strand, Kind.MEMBER_ADD, add));
      LedgerView view = node.ledger(id);
      KeyChain.Verified proven = node.keyChain(id).verify(view.genesisParams(), strand, SIGNATURES);
      assertThat(proven.keys().noteKey()).isEqualTo(keys.noteKey());
      assertThat(proven.keys().receiptKey()).isEqualTo(keys.receiptKey());
    }
  }

  private static SignedRequest govern(
      LedgerNode node, StrandId strand, Kind kind, Extension extension) {
    Bytes salt = Sha256.hash(Bytes.utf8(kind.name()).toArray()).toBytes();
    return RequestDraft.govern(strand, kind, extension, node.timeMs(), salt).build();
  }

  private static void append(LedgerNode node, ClientKey owner, SignedRequest request)
      throws Exception {
    StrandId strand = RequestHeader.decode(request.header()).strand();
    Bytes attestation =
        RequestSigner.sign(strand, RequestHeader.hash(request.header()), List.of(owner.signer()))
            .encode();
    node.append(
            new SubmissionVerifier(SIGNATURES, Set.of())
                .verify(
                    strand,
                    List.of(request),
                    attestation,
                    kid -> Optional.of(owner.publicKey()).filter(key -> key.kid().equals(kid))))
        .receipted()
        .get();
  }

  /// As owners on several machines do it, and with a receipt key alone.
  @Test
  void aProposalRotatesTheReceiptKeyAlone() throws Exception {
    Path owner = home.resolve("owner.pem");
    Path proposal = home.resolve("rotate.proposal");
    Cli.run("keygen", owner).hasStatus(0);
    try (RunningService service = start()) {
      Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(owner);
      String ledger =
          cli.call("ledger", "create", "proposed", "--key", owner, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      JsonNode made = Cli.run("keys", "new", "--data", home.resolve("data"), "--json").json();
      String receiptSpki = made.get("receiptSpki").stringValue();
      cli.call("keys", "rotate", ledger, "--receipt-key", receiptSpki, "--key", owner).hasStatus(0);
      Cli.Result again =
          cli.call("keys", "rotate", ledger, "--receipt-key", receiptSpki, "--key", owner)
              .hasStatus(ExitCode.REFUSED);
      assertThat(again.err()).contains("key_not_allowed").contains("neither key");
      Cli.run(
              "propose",
              "rotate",
              ledger,
              "--note-key",
              made.get("noteSpki").stringValue(),
              "--receipt-key",
              receiptSpki,
              "--out",
              proposal)
          .hasStatus(0);
      Cli.run("sign", proposal, "--key", owner).hasStatus(0);
      cli.call("submit", proposal).hasStatus(0);
      JsonNode terms = cli.call("keys", "chain", ledger, "--json").json().get("terms");
      assertThat(terms).hasSize(3);
      assertThat(terms.get(1).get("noteKid")).isEqualTo(terms.get(0).get("noteKid"));
      assertThat(terms.get(2).get("noteKid")).isEqualTo(made.get("noteKid"));
      assertThat(terms.get(2).get("receiptKid")).isEqualTo(terms.get(1).get("receiptKid"));
    }
  }

  @Test
  void makesNoKeysWhereNoServiceEverStarted() {
    Cli.Result result = Cli.run("keys", "new", "--data", home).hasStatus(ExitCode.FILE);
    assertThat(result.err()).contains("holds no service keys");
    assertThat(home.resolve("keys")).doesNotExist();
  }
}
