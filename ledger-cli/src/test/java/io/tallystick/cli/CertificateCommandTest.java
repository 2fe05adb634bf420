package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.client.ClientKey;
import io.tallystick.proxy.MembersProperties;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an owner grants a key with its certificate on the command line, and an auditor judges it
/// again from exported files, and from the service. Method: the commands against a real service.
class CertificateCommandTest {
  private static final TestAuthority CA = TestAuthority.root("root").below("department");

  @TempDir private Path home;

  private Path write(String name, String pem) throws Exception {
    return Files.writeString(home.resolve(name), pem);
  }

  private static JsonNode certificates(Cli.Result audit) {
    return audit.json().get("audit").get("certificates");
  }

  @Test
  void aGrantWithACertificateIsListedExportedAndAudited() throws Exception {
    Path owner = home.resolve("owner.pem");
    Path member = home.resolve("member.pem");
    Cli.run("keygen", owner).hasStatus(0);
    Cli.run("keygen", member).hasStatus(0);
    ClientKey bo = ClientKey.load(member);
    CertificateChain chain = CA.chain("Bo", bo.publicKey());
    Path pem = write("bo.pem", chain.pem());
    Path ca = write("ca.pem", CA.rootPem());
    ServiceProperties properties =
        ServiceProperties.of(home.resolve("data"), 0)
            .withMembers(new MembersProperties(List.of(ca.toString())));
    String ledger;
    try (RunningService service = TallystickService.start(LocalNode::open, properties)) {
      Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(owner);
      ledger =
          cli.call("ledger", "create", "named", "--key", owner, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      String spki = bo.publicKey().spki().hex();
      cli.call("member", "grant", ledger, spki, "--key", owner, "--certificate", pem).hasStatus(0);
      assertThat(cli.call("member", "list", ledger).hasStatus(0).out())
          .contains("certificates " + chain.digest() + " (CN=Bo)");
      String kid = bo.kid().hex();
      assertThat(cli.call("member", "certificate", ledger, kid).hasStatus(0).out())
          .isEqualToNormalizingNewlines(chain.pem());
      cli.call("export", ledger, home.resolve("public")).hasStatus(0);

      Cli.Result good = cli.call("audit", ledger, "--ca", ca, "--json").hasStatus(0);
      assertThat(certificates(good).get("good").intValue()).isEqualTo(1);
      cli.call("member", "certificate", ledger, "--erase", chain.digest(), "--key", owner)
          .hasStatus(0);
      Cli.Result erased = cli.call("audit", ledger, "--ca", ca, "--json").hasStatus(0);
      assertThat(certificates(erased).get("missing").intValue()).isEqualTo(1);
      assertThat(cli.call("member", "certificate", ledger, kid).err())
          .contains("unknown_certificate");
    }
    Cli nobody = new Cli("127.0.0.1:1", home.resolve("nobody").toString());
    Path files = home.resolve("public");
    Cli.Result good =
        nobody
            .call("audit", ledger, "--tiles", files, "--no-bodies", "--ca", ca, "--json")
            .hasStatus(0);
    JsonNode found = certificates(good).get("grants").get(0);
    assertThat(found.get("subject").stringValue()).isEqualTo("CN=Bo");
    Path stranger = write("x.pem", TestAuthority.root("x").rootPem());
    Cli.Result wrong =
        nobody
            .call("audit", ledger, "--tiles", files, "--no-bodies", "--ca", stranger)
            .hasStatus(4);
    assertThat(wrong.out()).contains("CERTIFICATE_INVALID").contains("UNTRUSTED");
  }
}
