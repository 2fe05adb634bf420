package io.tallystick.proxy.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Body;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.BlockView;
import io.tallystick.node.JournalView;
import io.tallystick.node.LedgerView;
import io.tallystick.node.ProvenClue;
import io.tallystick.node.ProvenLeaf;
import io.tallystick.node.ProvenLineage;
import io.tallystick.proxy.read.LineagePage;
import io.tallystick.proxy.read.ListedJournals;
import io.tallystick.proxy.read.LogPage;
import io.tallystick.proxy.read.ReadableCertificates;
import io.tallystick.proxy.read.ReadableLedgers;
import io.tallystick.proxy.read.ReadableLedgers.SignedLedger;
import io.tallystick.proxy.read.ReadablePurges;
import io.tallystick.proxy.read.ReceiptedLeaf;
import io.tallystick.proxy.read.ScannedJournals;
import io.tallystick.proxy.read.ShownMembers;
import io.tallystick.removal.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The answers of REST, as records that become JSON. Hashes and ids are hex, other byte strings
/// base64, times milliseconds since the epoch; what does not apply is absent.
final class Json {
  private Json() {}

  /// A snapshot that a purge may name.
  record PreparedPurge(
      String snapshot,
      String digest,
      long firstKept,
      long height,
      List<String> affected,
      List<String> absent) {
    static PreparedPurge of(ReadablePurges.Prepared prepared) {
      Snapshot snapshot = prepared.snapshot();
      return new PreparedPurge(
          base64(prepared.encoded()),
          prepared.digest().hex(),
          snapshot.firstKept().value(),
          snapshot.height(),
          snapshot.affected().stream().map(Digest::hex).toList(),
          snapshot.absent().stream().map(Digest::hex).toList());
    }
  }

  static String base64(Bytes bytes) {
    return Base64.getEncoder().encodeToString(bytes.unsafeArray());
  }

  private static @Nullable String base64OrNothing(@Nullable Bytes bytes) {
    return bytes == null ? null : base64(bytes);
  }

  private static List<String> hex(List<Digest> digests) {
    return digests.stream().map(Digest::hex).toList();
  }

  static String role(Role role) {
    return switch (role) {
      case OWNER -> "owner";
      case REGULATOR -> "regulator";
      case NORMAL -> "normal";
      case READ_ONLY -> "readOnly";
      case VERIFY_ONLY -> "verifyOnly";
    };
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Ledger(
      String ledgerId,
      String name,
      String origin,
      long size,
      long height,
      long newestTimeMs,
      @Nullable String genesisParams,
      @Nullable String checkpoint,
      @Nullable String genesisLeaf,
      @Nullable String genesisReceipt) {
    /// As a list shows it.
    static Ledger row(LedgerView view) {
      return new Ledger(
          view.id().hex(),
          view.name(),
          view.origin(),
          view.size(),
          view.height(),
          view.timeMs(),
          null,
          null,
          null,
          null);
    }

    static Ledger whole(SignedLedger ledger) {
      String checkpoint = new String(ledger.checkpoint().unsafeArray(), StandardCharsets.UTF_8);
      return row(ledger.view()).with(base64(ledger.view().genesisParams()), checkpoint, null, null);
    }

    Ledger founded(Bytes leaf, Bytes receipt) {
      return with(genesisParams, checkpoint, base64(leaf), base64(receipt));
    }

    private Ledger with(
        @Nullable String params,
        @Nullable String note,
        @Nullable String leaf,
        @Nullable String receipt) {
      return new Ledger(
          ledgerId, name, origin, size, height, newestTimeMs, params, note, leaf, receipt);
    }
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Ledgers(List<Ledger> ledgers, @Nullable String cursor) {
    static Ledgers of(ReadableLedgers.Page page) {
      return new Ledgers(
          page.ledgers().stream().map(Ledger::row).toList(),
          page.next().map(LedgerId::hex).orElse(null));
    }
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Member(
      String kid,
      String role,
      String spki,
      long addedJsn,
      @Nullable Long revokedJsn,
      @Nullable Long grantedJsn,
      @Nullable Long notAfterMs,
      boolean delegated,
      @Nullable String certDigest,
      @Nullable String subject,
      @Nullable String replacedBy) {
    static Member of(io.tallystick.node.Member member, Optional<String> subject) {
      boolean granted = member.grantedJsn() != member.addedJsn();
      return new Member(
          member.key().kid().hex(),
          Json.role(member.role()),
          base64(member.key().spki()),
          member.addedJsn(),
          member.revoked() ? member.revokedJsn() : null,
          granted ? member.grantedJsn() : null,
          member.expires() ? member.terms().notAfterMs() : null,
          member.terms().delegated(),
          member.terms().certDigest().map(Digest::hex).orElse(null),
          subject.orElse(null),
          member.replacedBy().map(Digest::hex).orElse(null));
    }
  }

  record Members(long asOfSize, List<Member> members) {
    static Members of(ShownMembers shown) {
      return new Members(
          shown.view().asOfSize(),
          shown.view().members().stream()
              .map(member -> Member.of(member, shown.subject(member)))
              .toList());
    }
  }

  /// @param untilMs until when they wait for a grant that names them; absent if one has
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Certificates(String certDigest, String subject, @Nullable Long untilMs) {
    static Certificates of(ReadableCertificates.Shown shown) throws RequestRejectedException {
      boolean waits = shown.untilMs() != io.tallystick.node.Member.NEVER;
      return new Certificates(
          shown.chain().digest().hex(), shown.subject(), waits ? shown.untilMs() : null);
    }
  }

  record Erased(String certDigest) {}

  /// @param receipt COSE_Sign1, tagged
  record Appended(long jsn, long timeMs, boolean repeated, String leaf, String receipt) {}

  /// @param rangeReceipt over the journals' leaves, which the client rebuilds
  record BatchAppended(
      long firstJsn,
      int count,
      long timeMs,
      boolean repeated,
      boolean delegated,
      String rangeReceipt) {}

  /// Durable, and no evidence.
  record Promised(long firstJsn, int count, long timeMs, boolean repeated, boolean delegated) {}

  /// A leaf with what belongs to it, and what its bytes say.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Journal(
      long jsn,
      String type,
      long timeMs,
      String leaf,
      String leafHash,
      String bodyState,
      @Nullable String attestation,
      @Nullable String salt,
      @Nullable String body,
      @Nullable String ops,
      @Nullable String batchProof,
      @Nullable Content content) {
    static Journal of(LogPage.Item item) {
      return of(
          new JournalView(
              item.jsn(),
              item.leaf(),
              item.attestation(),
              item.bodyState(),
              item.salt(),
              item.body(),
              item.ops(),
              null));
    }

    static Journal of(JournalView view) {
      try {
        return decode(view);
      } catch (MalformedException e) {
        throw new AssertionError("journal " + view.jsn() + " was committed malformed", e);
      }
    }

    private static Journal decode(JournalView view) throws MalformedException {
      Leaf decoded = Leaf.decode(view.leaf());
      var batchProof = view.batchProof();
      String type =
          switch (decoded) {
            case GenesisLeaf _ -> "genesis";
            case JournalLeaf _ -> "journal";
            case SealLeaf _ -> "seal";
          };
      Content content = decoded instanceof JournalLeaf journal ? Content.of(journal, view) : null;
      return new Journal(
          view.jsn(),
          type,
          decoded.timeMs(),
          base64(view.leaf()),
          TreeHasher.leafHash(view.leaf()).hex(),
          view.bodyState().name().toLowerCase(Locale.ROOT),
          base64OrNothing(view.attestation()),
          base64OrNothing(view.salt()),
          base64OrNothing(view.body()),
          view.ops().isEmpty() ? null : base64(view.ops()),
          batchProof == null ? null : base64(InclusionProofBytes.encode(batchProof)),
          content);
    }
  }

  /// The content of leaf, attestation and body, decoded for readers; the evidence is the bytes
  /// beside it.
  ///
  /// @param kind as docs/formats/request.md numbers them
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Content(
      int kind,
      long clientSeq,
      long clientTimeMs,
      long expiresMs,
      int batchIndex,
      int batchCount,
      boolean delegated,
      @Nullable List<String> signers,
      @Nullable String contentType,
      @Nullable String payload,
      @Nullable List<String> clues,
      @Nullable List<StateJson.Operation> operations) {
    static Content of(JournalLeaf leaf, JournalView view) throws MalformedException {
      Bytes attestation = view.attestation();
      Bytes encodedBody = view.body();
      RequestHeader header = RequestHeader.decode(leaf.header());
      Body body = encodedBody == null ? null : Body.decode(encodedBody);
      return new Content(
          header.kind().code(),
          header.clientSeq(),
          header.clientTimeMs(),
          header.expiresMs(),
          leaf.batchIndex(),
          leaf.batchCount(),
          leaf.delegated(),
          attestation == null ? null : signers(attestation, header.kind()),
          body == null ? null : body.contentType(),
          body == null ? null : base64(body.payload()),
          body == null ? null : body.clues(),
          view.ops().isEmpty() ? null : StateJson.operations(view.ops()));
    }

    private static List<String> signers(Bytes attestation, Kind kind) throws MalformedException {
      List<String> kids = new ArrayList<>();
      for (var signature : Attestation.decode(attestation, kind).signatures()) {
        kids.add(ProtectedHeader.kid(signature.protectedHeader()).hex());
      }
      return kids;
    }
  }

  /// @param scannedTo of a scan: all leaves below it were looked at, by the service's word
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Journals(
      List<Journal> journals, long size, @Nullable Long scannedTo, @Nullable String cursor) {
    static Journals of(LedgerId ledger, ListedJournals page) {
      return new Journals(
          page.journals().stream().map(Journal::of).toList(),
          page.size(),
          null,
          page.next().map(next -> CursorText.of(ledger, JournalFilter.ALL, next)).orElse(null));
    }

    static Journals of(LedgerId ledger, JournalFilter filter, ScannedJournals found) {
      return new Journals(
          found.journals().stream().map(proven -> Journal.of(proven.journal())).toList(),
          found.size(),
          found.scannedTo(),
          found.next().map(next -> CursorText.of(ledger, filter, next)).orElse(null));
    }
  }

  record Receipt(long jsn, String leaf, String receipt) {
    static Receipt of(long jsn, ReceiptedLeaf leaf) {
      return new Receipt(jsn, base64(leaf.leaf()), base64(leaf.receipt()));
    }
  }

  /// Why a body is not there any more.
  ///
  /// @param jsn of the occult that erased it
  /// @param receipt a receipt file of that occult
  /// @param doneMs when all that it names was erased; absent before
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Erasure(long jsn, String receipt, String attestation, @Nullable Long doneMs) {
    static Erasure of(io.tallystick.node.Erasure erasure) {
      return new Erasure(
          erasure.removal(),
          base64(erasure.receiptFile()),
          base64(erasure.attestation()),
          erasure.doneMs().isPresent() ? erasure.doneMs().getAsLong() : null);
    }
  }

  record InclusionProof(long jsn, long size, String leafHash, List<String> path) {
    static InclusionProof of(ProvenLeaf leaf) {
      var proof = leaf.inclusion();
      return new InclusionProof(
          proof.index(), proof.size(), leaf.leafHash().hex(), hex(proof.path()));
    }
  }

  record ConsistencyProof(long from, long to, List<String> path) {
    static ConsistencyProof of(io.tallystick.merkle.ConsistencyProof proof) {
      return new ConsistencyProof(proof.from(), proof.to(), hex(proof.path()));
    }
  }

  record Block(
      long height,
      long firstJsn,
      long sealJsn,
      long timeMs,
      long size,
      String root,
      String blockHash,
      String sealLeaf,
      String headReceipt) {
    static Block of(BlockView block) {
      return new Block(
          block.height(),
          block.firstJsn(),
          block.sealJsn(),
          block.timeMs(),
          block.size(),
          block.root().hex(),
          block.blockHash().hex(),
          base64(block.sealLeaf()),
          base64(block.headReceipt()));
    }
  }

  /// @param deletedJsn absent unless the clue is deleted
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Clue(String clueId, long count, @Nullable Long deletedJsn, Block head, String proof) {
    static Clue of(Digest clueId, ProvenClue clue) {
      ClueValue value = clue.value().orElse(null);
      return new Clue(
          clueId.hex(),
          value == null ? 0 : value.count(),
          value == null || !value.isDeleted() ? null : value.deletedJsn(),
          Block.of(clue.head()),
          base64(clue.proof().encode()));
    }
  }

  /// @param proof absent if no journal is shown or needed to show that there are none
  /// @param journals in the order of `jsns`; absent where they were not asked for
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Lineage(
      Clue clue,
      long total,
      long first,
      List<Long> jsns,
      @Nullable String proof,
      @Nullable List<Journal> journals,
      @Nullable String cursor) {
    static Lineage of(Digest clueId, LineagePage page, @Nullable List<Journal> journals) {
      ProvenLineage lineage = page.lineage();
      return new Lineage(
          Clue.of(clueId, lineage.clue()),
          lineage.total(),
          lineage.first(),
          lineage.jsns(),
          lineage.proof().map(proof -> base64(proof.encode())).orElse(null),
          journals,
          page.next().map(next -> CursorText.of(clueId, next)).orElse(null));
    }
  }

  /// @param index among the clue's journals
  record Membership(Clue clue, long jsn, long index, String proof) {
    static Membership of(Digest clueId, ProvenLineage one) {
      return new Membership(
          Clue.of(clueId, one.clue()),
          one.jsns().getFirst(),
          one.first(),
          base64(one.proof().orElseThrow().encode()));
    }
  }

  record Service(
      String authority,
      String noteKey,
      String receiptKey,
      long timeMs,
      long defaultWindowMs,
      int maxRequestBytes,
      int maxBatchCount,
      int maxBatchBytes,
      String version) {}

  /// @param protectedHeader bstr content of the COSE protected header
  /// @param bytes what to sign: the Sig_structure of RFC 9052 section 4.4
  record ToSign(String kid, String alg, String protectedHeader, String bytes) {}

  /// @param ops CBOR array of the operations; absent if there are none
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record PreparedRequest(
      String header,
      String salt,
      String body,
      @Nullable String ops,
      String requestHash,
      long clientTimeMs,
      long expiresMs,
      List<ToSign> toSign) {}

  record PreparedLedger(
      String ledgerId, String name, String nameSalt, String genesisParams, List<ToSign> toSign) {}
}
