package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Topic `keychain`: which keys a service has come to, from genesis alone.
final class KeyChainVectors {
  private static final SeededSigner RECEIPT = Fixtures.RECEIPT;
  private static final SeededSigner NEXT = Fixtures.NEXT_RECEIPT;
  private static final SeededSigner LAST_NOTE = SeededSigner.ed25519("last note");
  private static final SeededSigner LAST = SeededSigner.ed25519("last receipt");
  private static final SeededSigner CAROL = Fixtures.CAROL;

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();

  /// Journals 2 and 6 rotate, 4 is an append.
  private final ReferenceLedger twice =
      ReferenceLedger.found(ledger)
          .block(ledger.rotation())
          .rotated(Fixtures.NEXT_NOTE, NEXT)
          .block(ledger.single(1))
          .block(rotation(LAST_NOTE, LAST, List.of(NEXT, LAST), Fixtures.ALICE))
          .rotated(LAST_NOTE, LAST);

  KeyChainVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    rotations();
    sizes();
    order();
    owners();
    grants();
    newKeys();
    bytes();
  }

  private void rotations() {
    set.accept(of("never-rotated", KeyChain.EMPTY));
    set.accept(of("one-rotation", twice.chain(2)));
    set.accept(of("two-rotations", twice.chain(2, 6)));
    Submission noteOnly = rotation(Fixtures.NEXT_NOTE, RECEIPT, List.of(RECEIPT), Fixtures.ALICE);
    set.accept(of("note-key-alone", ReferenceLedger.found(ledger).block(noteOnly).chain(2)));
    Bytes other = Fixtures.ledger(Fixtures.TIME_MS + 1).params().encode();
    set.refuse("WRONG_LEDGER", of("of-another-ledger", twice.chain(2)).with("params", other));
    set.refuse("WRONG_LEDGER", of("for-another-strand", twice.chain(2)).with("strand", 1));
  }

  private void sizes() {
    Bytes attestation = twice.attestation(2);
    KeyChain.Entry larger =
        new KeyChain.Entry(twice.receiptFile(2, 6, RECEIPT).encode(), attestation);
    set.refuse("WRONG_SIZE", of("rotation-under-a-larger-head", chain(larger)));
    KeyChain.Entry within =
        new KeyChain.Entry(twice.receiptFile(2, 3, RECEIPT).encode(), attestation);
    set.refuse("WRONG_SIZE", of("rotation-under-a-head-without-its-seal", chain(within)));
    KeyChain.Entry self = new KeyChain.Entry(twice.receiptFile(2, 4, NEXT).encode(), attestation);
    set.refuse("WRONG_KEY", of("rotation-that-vouches-for-itself", chain(self)));
    KeyChain.Entry old = new KeyChain.Entry(twice.receiptFile(6, 8, RECEIPT).encode(), attestation);
    set.refuse("WRONG_KEY", of("head-by-the-old-key-after-it", chain(twice.entry(2), old)));
    memberSizes();
  }

  /// A member's journal may be under a head that a later rotation's keys judge.
  private void memberSizes() {
    Submission byCarol = rotation(Fixtures.NEXT_NOTE, NEXT, List.of(RECEIPT, NEXT), CAROL);
    ReferenceLedger log =
        ReferenceLedger.found(ledger)
            .block(ledger.memberAdd(Role.OWNER, CAROL.publicKey()))
            .block(byCarol)
            .rotated(Fixtures.NEXT_NOTE, NEXT)
            .block(ledger.single(1));
    KeyChain.Entry rotation = log.entry(4);
    for (SeededSigner signer : List.of(NEXT, RECEIPT)) {
      KeyChain.Entry added =
          new KeyChain.Entry(log.receiptFile(2, 8, signer).encode(), log.attestation(2));
      KeyChain chain = chain(added, rotation);
      if (signer == NEXT) {
        set.accept(of("member-under-a-head-behind-the-rotation", chain));
        set.refuse("WRONG_KEY", of("member-under-a-head-behind-a-rotation-left-out", chain(added)));
      } else {
        set.refuse("WRONG_KEY", of("member-under-a-head-behind-it-by-the-old-key", chain));
      }
    }
  }

  private void order() {
    set.refuse("WRONG_KEY", of("first-rotation-left-out", twice.chain(6)));
    List<KeyChain.Entry> entries = new ArrayList<>(twice.chain(2, 6).entries());
    Collections.reverse(entries);
    set.refuse("WRONG_KEY", of("rotations-backwards", new KeyChain(entries)));
    set.refuse("BROKEN_CHAIN", of("rotation-twice", twice.chain(2, 2)));
    set.refuse("WRONG_TYPE", of("append-in-a-chain", twice.chain(2, 4, 6)));
    KeyChain.Entry seal =
        new KeyChain.Entry(twice.receiptFile(3, 4).encode(), twice.attestation(2));
    set.refuse("WRONG_TYPE", of("seal-in-a-chain", chain(seal)));
    Submission revoke = ledger.memberRevoke(Fixtures.BOB.publicKey().kid());
    ReferenceLedger revoked = ReferenceLedger.found(ledger).block(revoke);
    set.refuse("WRONG_TYPE", of("member-revoke-in-a-chain", revoked.chain(2)));
    long late = Fixtures.TIME_MS + 60_001;
    ReferenceLedger expired = ReferenceLedger.found(ledger).block(ledger.rotation(), late, false);
    set.refuse("BROKEN_CHAIN", of("rotation-kept-for-later", expired.chain(2)));
    ReferenceLedger marked =
        ReferenceLedger.found(ledger).block(ledger.rotation(), Fixtures.TIME_MS, true);
    set.refuse("LEAF_MISMATCH", of("mark-of-a-delegated-key-added", marked.chain(2)));
  }

  private void owners() {
    set.refuse(
        "COMMITMENT_MISMATCH",
        of(
            "cosigner-stripped",
            chain(
                new KeyChain.Entry(
                    twice.receiptFile(2, 4).encode(),
                    ledger
                        .service(
                            Kind.KEY_ROTATION,
                            new Extension.KeyRotation(
                                Fixtures.NEXT_NOTE.publicKey(), NEXT.publicKey()),
                            List.of(RECEIPT, NEXT),
                            Fixtures.BOB)
                        .attestation()))));
    Submission byCarol = rotation(Fixtures.NEXT_NOTE, NEXT, List.of(RECEIPT, NEXT), CAROL);
    ReferenceLedger added =
        ReferenceLedger.found(ledger)
            .block(ledger.memberAdd(Role.OWNER, CAROL.publicKey()))
            .block(byCarol);
    set.accept(of("owner-added-since", added.chain(2, 4)));
    set.refuse("NOT_A_MEMBER", of("owner-whose-adding-is-left-out", added.chain(4)));
    ReferenceLedger normal =
        ReferenceLedger.found(ledger)
            .block(ledger.memberAdd(Role.NORMAL, CAROL.publicKey()))
            .block(byCarol);
    set.refuse("MISSING", of("no-owner-signed", normal.chain(2, 4)));
    ReferenceLedger reader =
        ReferenceLedger.found(ledger)
            .block(ledger.memberAdd(Role.READ_ONLY, CAROL.publicKey()))
            .block(byCarol);
    set.refuse("BROKEN_CHAIN", of("signed-by-who-may-only-read", reader.chain(2, 4)));
    Submission stranger = ledger.govern(Kind.MEMBER_ADD, add(CAROL), CAROL);
    ReferenceLedger self = ReferenceLedger.found(ledger).block(stranger).block(byCarol);
    set.refuse("NOT_A_MEMBER", of("owner-that-added-itself", self.chain(2, 4)));
    Submission thief = rotation(Fixtures.NEXT_NOTE, NEXT, List.of(RECEIPT, NEXT));
    set.refuse(
        "MISSING",
        of("thief-of-the-receipt-key", ReferenceLedger.found(ledger).block(thief).chain(2)));
    Submission nobody = rotation(Fixtures.NEXT_NOTE, NEXT, List.of(RECEIPT), Fixtures.ALICE);
    set.refuse(
        "MISSING",
        of("to-a-key-nobody-holds", ReferenceLedger.found(ledger).block(nobody).chain(2)));
  }

  private void grants() {
    long until = Fixtures.TIME_MS + 30_000;
    Submission byCarol = rotation(Fixtures.NEXT_NOTE, NEXT, List.of(RECEIPT, NEXT), CAROL);
    Submission lasting = grant(OptionalLong.empty(), Optional.empty(), false);
    set.accept(
        of(
            "owner-by-grant",
            ReferenceLedger.found(ledger).block(lasting).block(byCarol).chain(2, 4)));
    Submission short1 = grant(OptionalLong.of(until), Optional.empty(), false);
    ReferenceLedger last = ReferenceLedger.found(ledger).block(short1).block(byCarol, until, false);
    set.accept(of("owner-at-its-last-millisecond", last.chain(2, 4)));
    ReferenceLedger over =
        ReferenceLedger.found(ledger).block(short1).block(byCarol, until + 1, false);
    set.refuse("NOT_A_MEMBER", of("owner-that-expired", over.chain(2, 4)));
    Submission replacing =
        grant(OptionalLong.empty(), Optional.of(Fixtures.BOB.publicKey().kid()), false);
    Submission byBob = rotation(Fixtures.NEXT_NOTE, NEXT, List.of(RECEIPT, NEXT), Fixtures.BOB);
    ReferenceLedger replaced = ReferenceLedger.found(ledger).block(replacing).block(byBob);
    set.refuse("NOT_A_MEMBER", of("owner-that-was-replaced", replaced.chain(2, 4)));
    Submission agent = grant(OptionalLong.empty(), Optional.empty(), true);
    ReferenceLedger marked =
        ReferenceLedger.found(ledger).block(agent).block(byCarol, Fixtures.TIME_MS, true);
    set.accept(of("owner-with-a-delegated-key", marked.chain(2, 4)));
    ReferenceLedger dropped = ReferenceLedger.found(ledger).block(agent).block(byCarol);
    set.refuse("LEAF_MISMATCH", of("mark-of-a-delegated-key-dropped", dropped.chain(2, 4)));
    ReferenceLedger person = ReferenceLedger.found(ledger).block(agent).block(lasting);
    set.refuse("BROKEN_CHAIN", of("agents-key-passed-off-as-a-persons", person.chain(2, 4)));
    Submission service = ledger.memberAdd(Role.OWNER, RECEIPT.publicKey());
    set.refuse(
        "BROKEN_CHAIN",
        of("service-key-as-an-owner", ReferenceLedger.found(ledger).block(service).chain(2)));
  }

  private void newKeys() {
    ReferenceLedger rotated =
        ReferenceLedger.found(ledger).block(ledger.rotation()).rotated(Fixtures.NEXT_NOTE, NEXT);
    Submission back = rotation(LAST_NOTE, RECEIPT, List.of(NEXT, RECEIPT), Fixtures.ALICE);
    set.refuse("BROKEN_CHAIN", of("back-to-an-old-key", rotated.block(back).chain(2, 4)));
    refuse("to-swapped-keys", RECEIPT, Fixtures.NOTE, RECEIPT, Fixtures.NOTE);
    refuse("to-the-same-keys", Fixtures.NOTE, RECEIPT, RECEIPT);
    refuse("to-an-owners-key", Fixtures.NEXT_NOTE, Fixtures.ALICE, RECEIPT, Fixtures.ALICE);
    refuse("note-key-to-an-owners", Fixtures.ALICE, RECEIPT, RECEIPT);
  }

  private void refuse(String name, SeededSigner note, SeededSigner receipt, Signer... service) {
    Submission made = rotation(note, receipt, List.of(service), Fixtures.BOB);
    set.refuse("BROKEN_CHAIN", of(name, ReferenceLedger.found(ledger).block(made).chain(2)));
  }

  private void bytes() {
    Bytes chain = twice.chain(2).encode();
    malformed("of-type-15", Forge.replaceStart(chain, "820e", "820f"));
    malformed("with-an-item-more", Forge.append(Forge.replaceStart(chain, "82", "83"), "00"));
    malformed("bytes-left-over", Forge.append(chain, "00"));
    malformed("entry-without-attestation", Forge.replaceStart(chain, "820e8182", "820e8181"));
    malformed("cut", chain.slice(0, chain.size() - 1));
    Bytes many = new CborWriter().array(2).uint(14).array(1025).toBytes();
    malformed("of-1025-journals", Forge.append(many, "824040".repeat(1025)));
  }

  private void malformed(String name, Bytes chain) {
    set.refuse("MALFORMED", of(name, twice.chain(2)).with("chain", chain));
  }

  private static KeyChain chain(KeyChain.Entry... entries) {
    return new KeyChain(List.of(entries));
  }

  private static Extension add(SeededSigner signer) {
    return new Extension.MemberAdd(Role.OWNER, signer.publicKey());
  }

  private Submission grant(OptionalLong until, Optional<Digest> replaces, boolean delegated) {
    Extension grant =
        new Extension.Grant(
            Role.OWNER, CAROL.publicKey(), until, replaces, delegated, Optional.empty());
    return ledger.govern(Kind.GRANT, grant, Fixtures.ALICE);
  }

  private Submission rotation(
      SeededSigner note, SeededSigner receipt, List<? extends Signer> service, Signer... members) {
    Extension to = new Extension.KeyRotation(note.publicKey(), receipt.publicKey());
    return ledger.service(Kind.KEY_ROTATION, to, service, members);
  }

  private VectorCase of(String name, KeyChain chain) {
    return VectorCase.of("keychain/" + name, "keyChain", name.replace('-', ' '))
        .with(ledger.strand())
        .with("params", ledger.params().encode())
        .with("chain", chain.encode());
  }
}
