package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.LineageProof;
import io.tallystick.lineage.VerifiedLineage;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.receipt.Receipt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: over REST a clue's whole history is listed and proven, as JSON and as a file to keep.
/// Method: the real application, a client of JSON and signatures only, and core's verifiers on what
/// it got.
class LineageJourneyTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);

  @TempDir private static Path data;

  private static RestService rest;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static StrandId strand(String ledger) {
    return new StrandId(LedgerId.fromHex(ledger.substring("/v1/ledgers/".length())), 0);
  }

  private static Digest clueId(String ledger, String clue) {
    return Commitments.clueId(strand(ledger).ledger(), clue);
  }

  private static ServiceKeys keys() throws Exception {
    JsonNode service = rest.get("/v1/service").json();
    return new ServiceKeys(
        new Authority(service.get("authority").stringValue()),
        PublicKey.ofSpki(Bytes.wrap(bytes(service.get("noteKey")))),
        PublicKey.ofSpki(Bytes.wrap(bytes(service.get("receiptKey")))));
  }

  /// The head a clue was proven under, verified by its receipt.
  private static SignedHead head(String ledger, JsonNode clue) throws Exception {
    JsonNode head = clue.get("head");
    return Receipt.decode(Bytes.wrap(bytes(head.get("headReceipt"))))
        .verify(Bytes.wrap(bytes(head.get("sealLeaf"))), strand(ledger), keys(), SIGNATURES);
  }

  private static ClueState state(String ledger, JsonNode clue) throws Exception {
    return ClueProof.decode(Bytes.wrap(bytes(clue.get("proof"))))
        .verify(Digest.fromHex(clue.get("clueId").stringValue()), head(ledger, clue));
  }

  private static VerifiedLineage verified(String ledger, JsonNode lineage) throws Exception {
    JsonNode clue = lineage.get("clue");
    return LineageProof.decode(Bytes.wrap(bytes(lineage.get("proof"))))
        .verify(Digest.fromHex(clue.get("clueId").stringValue()), head(ledger, clue));
  }

  private static JsonNode lineage(String ledger, String query) throws Exception {
    Answer answer = rest.get(ledger + "/lineage?" + query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    return answer.json();
  }

  private static List<Long> jsns(JsonNode lineage) {
    List<Long> jsns = new ArrayList<>();
    lineage.get("jsns").forEach(jsn -> jsns.add(jsn.longValue()));
    return jsns;
  }

  private static List<Long> proven(VerifiedLineage lineage) {
    return lineage.entries().stream().map(LineageEntry::jsn).toList();
  }

  private static long delete(String ledger, String clue) throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "clueDelete").put("clue", clue);
    return rest.append(ledger, wish, OWNER);
  }

  @Test
  void aCluesJournalsAreListedBothWaysAndProvenToBeAll() throws Exception {
    String ledger = rest.found("both ways", OWNER);
    List<Long> wanted = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      wanted.add(rest.append(ledger, "revision " + i, List.of("a.txt", "all files"), OWNER));
      rest.append(ledger, "another " + i, List.of("b.txt", "all files"), OWNER);
    }
    JsonNode ascending = lineage(ledger, "clue=a.txt");
    assertThat(jsns(ascending)).isEqualTo(wanted);
    assertThat(ascending.get("total").longValue()).isEqualTo(5);
    assertThat(ascending.has("cursor")).isFalse();
    VerifiedLineage verified = verified(ledger, ascending);
    assertThat(verified.isComplete()).isTrue();
    assertThat(proven(verified)).isEqualTo(wanted);
    assertThat(bytes(ascending.get("journals").get(3).get("content").get("payload")))
        .asString()
        .isEqualTo("revision 3");

    JsonNode descending = lineage(ledger, "clue=a.txt&order=desc&limit=2&journals=false");
    assertThat(jsns(descending)).containsExactly(wanted.get(4), wanted.get(3));
    assertThat(descending.get("first").longValue()).isEqualTo(3);
    assertThat(descending.has("journals")).isFalse();
    assertThat(proven(verified(ledger, descending))).isEqualTo(wanted.subList(3, 5));

    String all = clueId(ledger, "all files").hex();
    assertThat(jsns(lineage(ledger, "clueId=" + all + "&from=7")))
        .isEqualTo(jsns(lineage(ledger, "clue=all%20files")).subList(7, 10));
    assertThat(jsns(lineage(ledger, "clue=a.txt&fromJsn=" + (wanted.get(1) + 1))))
        .isEqualTo(wanted.subList(2, 5));
    assertThat(jsns(lineage(ledger, "clue=a.txt&order=desc&fromJsn=" + (wanted.get(1) + 1))))
        .containsExactly(wanted.get(1), wanted.get(0));
    assertThat(jsns(lineage(ledger, "clue=a.txt&order=desc&fromJsn=9223372036854775807")))
        .isEqualTo(wanted.reversed());
  }

  @Test
  void allPagesOfAWalkAreProvenUnderTheHeadOfTheFirst() throws Exception {
    String ledger = rest.found("walk", OWNER);
    for (int i = 0; i < 7; i++) {
      rest.append(ledger, "revision " + i, List.of("a"), OWNER);
    }
    for (String order : new String[] {"asc", "desc"}) {
      List<Long> listed = jsns(lineage(ledger, "clue=a&order=" + order));
      List<Long> seen = new ArrayList<>();
      List<VerifiedLineage> runs = new ArrayList<>();
      JsonNode page = lineage(ledger, "clue=a&limit=2&order=" + order);
      JsonNode head = page.get("clue").get("head");
      for (int pages = 0; pages < 10; pages++) {
        seen.addAll(jsns(page));
        assertThat(page.get("clue").get("head")).isEqualTo(head);
        runs.add(verified(ledger, page));
        if (!page.has("cursor")) {
          break;
        }
        rest.append(ledger, "meanwhile", List.of("a", "b"), OWNER);
        page = lineage(ledger, "clue=a&limit=2&cursor=" + page.get("cursor").stringValue());
      }
      assertThat(seen).isEqualTo(listed);
      List<VerifiedLineage> ascending = order.equals("asc") ? runs : runs.reversed();
      VerifiedLineage whole = ascending.getFirst();
      for (VerifiedLineage next : ascending.subList(1, ascending.size())) {
        whole = whole.joined(next);
      }
      assertThat(whole.isComplete()).isTrue();
    }
  }

  @Test
  void aLineageAsOfASizeOrABlockHasAWitnessThatNoJournalIsLeftOut() throws Exception {
    String ledger = rest.found("as of", OWNER);
    List<Long> wanted = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      wanted.add(rest.append(ledger, "revision " + i, List.of("a"), OWNER));
    }
    long size = wanted.get(1) + 1;
    JsonNode then = lineage(ledger, "clue=a&asOfSize=" + size);
    assertThat(jsns(then)).isEqualTo(wanted.subList(0, 2));
    assertThat(then.get("total").longValue()).isEqualTo(2);
    assertThat(verified(ledger, then).completeAt(new TreeSize(size))).hasSize(2);

    JsonNode latest = rest.get(ledger + "/blocks/latest").json();
    JsonNode before = rest.get(ledger + "/blocks/" + (latest.get("height").longValue() - 1)).json();
    JsonNode asOfBlock = lineage(ledger, "clue=a&asOfBlock=" + before.get("height").longValue());
    assertThat(jsns(asOfBlock)).isEqualTo(wanted.subList(0, 3));
    assertThat(verified(ledger, asOfBlock).completeAt(new TreeSize(before.get("size").longValue())))
        .hasSize(3);

    JsonNode page = lineage(ledger, "clue=a&limit=1&asOfBlock=" + before.get("height").longValue());
    page = lineage(ledger, "clue=a&limit=5&cursor=" + page.get("cursor").stringValue());
    assertThat(jsns(page)).isEqualTo(wanted.subList(1, 3));
    assertThat(lineage(ledger, "clue=a&asOfBlock=0").get("total").longValue()).isZero();
  }

  @Test
  void aClueThatWasNeverUsedIsProvenAbsent() throws Exception {
    String ledger = rest.found("absent", OWNER);
    rest.append(ledger, "something", List.of("here"), OWNER);
    JsonNode lineage = lineage(ledger, "clue=gone");
    assertThat(jsns(lineage)).isEmpty();
    assertThat(lineage.get("journals").size()).isZero();
    assertThat(lineage.has("proof")).isFalse();
    assertThat(state(ledger, lineage.get("clue"))).isInstanceOf(ClueState.NeverUsed.class);
    JsonNode clue = rest.get(ledger + "/clue?clue=gone").json();
    assertThat(clue.get("count").longValue()).isZero();
    assertThat(state(ledger, clue)).isInstanceOf(ClueState.NeverUsed.class);
    // Also where clues are off.
    String without = rest.foundWithoutClues("no clues", OWNER);
    assertThat(state(without, rest.get(without + "/clue?clue=gone").json()))
        .isInstanceOf(ClueState.NeverUsed.class);
  }

  @Test
  void aDeletedClueIsGoneUntilItIsUsedAgainAndItsJournalsStay() throws Exception {
    String ledger = rest.found("deleted", OWNER);
    long first = rest.append(ledger, "first", List.of("a"), OWNER);
    long deleted = delete(ledger, "a");
    Answer answer = rest.get(ledger + "/lineage?clue=a");
    assertThat(answer.status()).as(answer.text()).isEqualTo(410);
    assertThat(answer.json().get("code").stringValue()).isEqualTo("clue_deleted");
    assertThat(answer.json().get("jsn").longValue()).isEqualTo(deleted);
    JsonNode clue = rest.get(ledger + "/clue?clue=a").json();
    assertThat(clue.get("deletedJsn").longValue()).isEqualTo(deleted);
    assertThat(state(ledger, clue))
        .isInstanceOfSatisfying(
            ClueState.Used.class, used -> assertThat(used.isDeleted()).isTrue());
    assertThat(rest.get(ledger + "/journals/" + first).status()).isEqualTo(200);
    assertThat(rest.get(ledger + "/journals/" + first + "/membership?clue=a").status())
        .isEqualTo(200);

    long again = rest.append(ledger, "again", List.of("a"), OWNER);
    JsonNode lineage = lineage(ledger, "clue=a");
    assertThat(jsns(lineage)).containsExactly(first, deleted, again);
    assertThat(lineage.get("clue").has("deletedJsn")).isFalse();
    assertThat(verified(ledger, lineage).isComplete()).isTrue();
    assertThat(lineage.get("journals").get(1).get("content").get("kind").intValue()).isEqualTo(2);
  }

  @Test
  void oneJournalIsProvenToNameAClue() throws Exception {
    String ledger = rest.found("member", OWNER);
    for (int i = 0; i < 3; i++) {
      rest.append(ledger, "before " + i, List.of("a"), OWNER);
    }
    long jsn = rest.append(ledger, "this one", List.of("a"), OWNER);
    JsonNode membership = rest.get(ledger + "/journals/" + jsn + "/membership?clue=a").json();
    assertThat(membership.get("jsn").longValue()).isEqualTo(jsn);
    assertThat(membership.get("index").longValue()).isEqualTo(3);
    assertThat(proven(verified(ledger, membership))).containsExactly(jsn);
  }

  @Test
  void whatIsProvenIsOneFileToKeep() throws Exception {
    String ledger = rest.found("file", OWNER);
    long first = rest.append(ledger, "first", List.of("a"), OWNER);
    long second = rest.append(ledger, "second", List.of("a"), OWNER);
    LineageFile.Verified complete = file(ledger, ledger + "/lineage?clue=a");
    assertThat(complete.lineage().orElseThrow().isComplete()).isTrue();
    assertThat(proven(complete.lineage().orElseThrow())).containsExactly(first, second);
    LineageFile.Verified one = file(ledger, ledger + "/journals/" + second + "/membership?clue=a");
    assertThat(proven(one.lineage().orElseThrow())).containsExactly(second);
    assertThat(file(ledger, ledger + "/clue?clue=a").state().count()).isEqualTo(2);
    for (String path : new String[] {"/clue?clue=b", "/lineage?clue=b"}) {
      assertThat(file(ledger, ledger + path).state()).isInstanceOf(ClueState.NeverUsed.class);
    }
  }

  private static LineageFile.Verified file(String ledger, String path) throws Exception {
    Answer answer = rest.get(path, "Accept", "application/cbor");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo("application/cbor");
    return LineageFile.decode(Bytes.wrap(answer.response().body()))
        .verify(strand(ledger), keys(), SIGNATURES);
  }

  @Test
  void pagesOfLargeJournalsAreCutAndLeaveNoneOut() throws Exception {
    String ledger = rest.found("large", OWNER);
    List<Long> wanted = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      wanted.add(rest.append(ledger, "x".repeat(300_000), List.of("a"), OWNER));
    }
    for (String order : new String[] {"asc", "desc"}) {
      List<Long> seen = new ArrayList<>();
      JsonNode page = lineage(ledger, "clue=a&order=" + order);
      for (int pages = 0; pages < 10; pages++) {
        assertThat(page.get("journals").size()).isBetween(1, 2);
        assertThat(jsns(page)).hasSize(page.get("journals").size());
        assertThat(verified(ledger, page).entries()).hasSize(page.get("journals").size());
        page.get("journals").forEach(journal -> seen.add(journal.get("jsn").longValue()));
        if (!page.has("cursor")) {
          break;
        }
        page = lineage(ledger, "clue=a&cursor=" + page.get("cursor").stringValue());
      }
      assertThat(seen).isEqualTo(order.equals("asc") ? wanted : wanted.reversed());
    }
  }

  @Test
  void aLedgerFoundedWithoutCluesTakesThemOnceItsOwnerTurnedThemOn() throws Exception {
    String ledger = rest.foundWithoutClues("turned on", OWNER);
    long height = rest.get(ledger + "/blocks/latest").json().get("height").longValue();
    ObjectNode wish =
        MAPPER.createObjectNode().put("kind", "parameters").put("firstHeight", height + 2);
    wish.putArray("features").add(1);
    rest.append(ledger, wish, OWNER);
    rest.append(ledger, "on from here", List.of(), OWNER);
    long jsn = rest.append(ledger, "first", List.of("a"), OWNER);
    JsonNode lineage = lineage(ledger, "clue=a");
    assertThat(proven(verified(ledger, lineage))).containsExactly(jsn);
  }
}
