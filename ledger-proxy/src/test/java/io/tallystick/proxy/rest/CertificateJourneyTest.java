package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.MembersProperties;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.testkit.TestAuthority;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a client with JSON, PEM files and a signature library shows a member's certificates,
/// grants, reads them back and erases them; what is wrong is refused by name. Method: a real
/// service over HTTP that is restarted in between.
class CertificateJourneyTest {
  private static final String PEM = "application/pem-certificate-chain";
  private static final TestAuthority CA = TestAuthority.root("root").below("department");

  @TempDir private Path home;

  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer bo = RestService.key(SignatureAlgorithm.ES256);
  private final CertificateChain bos = CA.chain("Bo", bo.publicKey());
  private ServiceProperties properties;

  @BeforeEach
  void listAuthority() throws Exception {
    Path file = Files.writeString(home.resolve("ca.pem"), CA.rootPem());
    properties =
        ServiceProperties.of(home.resolve("data"), 0)
            .withMembers(new MembersProperties(List.of(file.toString())));
  }

  private static String kid(Signer signer) {
    return signer.publicKey().kid().hex();
  }

  private static String[] as(Signer signer, String ledger) {
    String id = ledger.substring(ledger.lastIndexOf('/') + 1);
    return new String[] {"Authorization", "Bearer " + AccessTest.token(signer, id)};
  }

  private static Answer show(RestService rest, String ledger, String pem, String... headers)
      throws Exception {
    return rest.post(
        ledger + "/certificates", PEM, pem.getBytes(StandardCharsets.US_ASCII), headers);
  }

  private Answer grant(RestService rest, String ledger, CertificateChain chain) throws Exception {
    ObjectNode wish =
        MAPPER
            .createObjectNode()
            .put("action", "grant")
            .put("role", "normal")
            .put("spki", base64(bo.publicKey()))
            .put("certDigest", chain.digest().hex());
    return rest.post(ledger + "/members", rest.signed(ledger + "/members:prepare", wish, ada));
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static void refused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
  }

  @Test
  void certificatesAreShownGrantedServedAndErased() throws Exception {
    String ledger;
    String certificate;
    String erasable;
    try (RestService rest = new RestService(properties)) {
      ledger = rest.found("named", ada);
      certificate = ledger + "/members/" + kid(bo) + "/certificate";
      erasable = ledger + "/certificates/" + bos.digest().hex();
      refused(grant(rest, ledger, bos), 422, "certificate_invalid");
      refused(show(rest, ledger, bos.pem()), 401, "token_required");
      JsonNode shown = ok(show(rest, ledger, bos.pem(), as(ada, ledger)));
      assertThat(shown.get("certDigest").stringValue()).isEqualTo(bos.digest().hex());
      assertThat(shown.get("subject").stringValue()).isEqualTo("CN=Bo");
      assertThat(shown.get("untilMs").longValue()).isGreaterThan(System.currentTimeMillis());
      refused(rest.get(erasable, as(ada, ledger)), 404, "unknown_certificate");
      assertThat(grant(rest, ledger, bos).status()).isEqualTo(201);
      assertThat(ok(show(rest, ledger, bos.pem(), as(bo, ledger))).has("untilMs")).isFalse();
    }
    try (RestService rest = new RestService(properties)) {
      Answer served = rest.get(certificate, as(bo, ledger));
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.header("Content-Type")).isEqualTo(PEM);
      assertThat(served.text()).isEqualTo(bos.pem());
      assertThat(rest.get(erasable, as(ada, ledger)).text()).isEqualTo(bos.pem());
      refused(rest.get(certificate), 401, "token_required");
      JsonNode members = ok(rest.get(ledger + "/members", as(ada, ledger))).get("members");
      JsonNode listed =
          members.get(0).get("kid").stringValue().equals(kid(bo)) ? members.get(0) : members.get(1);
      assertThat(listed.get("subject").stringValue()).isEqualTo("CN=Bo");
      assertThat(listed.get("certDigest").stringValue()).isEqualTo(bos.digest().hex());
      refused(
          rest.get(ledger + "/members/" + kid(ada) + "/certificate", as(ada, ledger)),
          404,
          "unknown_certificate");

      refused(
          rest.send(rest.request(erasable, as(bo, ledger)).DELETE().build()),
          403,
          "role_not_allowed");
      ok(rest.send(rest.request(erasable, as(ada, ledger)).DELETE().build()));
      refused(rest.get(certificate, as(ada, ledger)), 404, "unknown_certificate");
      refused(
          rest.send(rest.request(erasable, as(ada, ledger)).DELETE().build()),
          404,
          "unknown_certificate");
    }
  }

  /// Else one chain could be kept under endless invented ids.
  @Test
  void noCertificatesAreKeptForALedgerThatIsNotHere() throws Exception {
    try (RestService rest = new RestService(properties.withReads(ServiceProperties.Reads.ANYONE))) {
      refused(show(rest, "/v1/ledgers/" + "ab".repeat(32), bos.pem()), 404, "unknown_ledger");
      ok(show(rest, rest.found("here", ada), bos.pem()));
    }
  }

  @Test
  void whatIsWrongIsRefused() throws Exception {
    try (RestService rest = new RestService(properties)) {
      String ledger = rest.found("named", ada);
      CertificateChain strangers = TestAuthority.root("x").chain("Bo", bo.publicKey());
      refused(show(rest, ledger, strangers.pem(), as(ada, ledger)), 422, "certificate_invalid");
      refused(show(rest, ledger, "nothing", as(ada, ledger)), 422, "certificate_invalid");
      CertificateChain adas = CA.chain("Ada", ada.publicKey());
      ok(show(rest, ledger, adas.pem(), as(ada, ledger)));
      refused(grant(rest, ledger, adas), 422, "certificate_invalid");
    }
    try (RestService rest = new RestService(ServiceProperties.of(home.resolve("other"), 0))) {
      String ledger = rest.found("named", ada);
      Answer answer = show(rest, ledger, bos.pem(), as(ada, ledger));
      refused(answer, 422, "certificate_invalid");
      assertThat(answer.text()).contains("knows no certificate authority");
    }
  }

  @Test
  void aFileWithoutCertificatesStopsTheStart() throws Exception {
    Path file = Files.writeString(home.resolve("none.pem"), "none");
    ServiceProperties wrong =
        properties.withMembers(new MembersProperties(List.of(file.toString())));
    assertThatThrownBy(() -> new RestService(wrong).close())
        .hasStackTraceContaining("tallystick.members.ca");
  }
}
