package io.tallystick.testkit.vectors;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.TestAuthority.Terms;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bouncycastle.asn1.x509.KeyUsage;

/// Topic `certificate`: chains that Carol shows for her key, judged at the sample ledger's time.
final class CertificateVectors {
  private static final long TIME_MS = Fixtures.TIME_MS;

  private final VectorSet set;
  private final TestAuthority root = TestAuthority.root("root");
  private final TestAuthority department = root.below("department");
  private final CertificateChain good = chain(Terms.MEMBER);

  CertificateVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    chains();
    otherChains();
    otherTimes();
    bytes();
  }

  private void chains() {
    set.accept(of("through-an-authority-below", good));
    set.accept(of("by-the-trusted-one-itself", root.chain("Carol", Fixtures.CAROL.publicKey())));
    set.accept(of("with-the-root-at-its-end", with(good, root.certificates().getLast())));
    set.accept(of("holds-until-this-second", chain(Terms.MEMBER.until(TIME_MS))));
    set.accept(of("for-non-repudiation", chain(Terms.MEMBER.forUsage(KeyUsage.nonRepudiation))));
  }

  private void otherChains() {
    CertificateChain bobs = department.chain("Carol", Fixtures.BOB.publicKey());
    set.refuse("WRONG_KEY", of("of-another-key", bobs));
    set.refuse("WRONG_DIGEST", of("another-than-named", good).with("certDigest", bobs.digest()));
    TestAuthority twin = TestAuthority.root("root", Fixtures.ALICE, Terms.AUTHORITY);
    set.refuse(
        "UNTRUSTED",
        of("by-another-authority-of-that-name", twin.chain("Carol", Fixtures.CAROL.publicKey())));
    set.refuse(
        "UNTRUSTED",
        of("by-a-stranger", TestAuthority.root("x").chain("Carol", Fixtures.CAROL.publicKey())));
    set.refuse(
        "UNTRUSTED",
        of(
            "without-the-authority-between",
            new CertificateChain(good.certificates().subList(0, 1))));
    List<Bytes> reversed = new ArrayList<>(good.certificates());
    Collections.reverse(reversed);
    set.refuse("WRONG_USAGE", of("in-the-wrong-order", new CertificateChain(reversed)));
    set.refuse("WRONG_USAGE", of("of-an-authority", chain(Terms.AUTHORITY)));
    set.refuse(
        "WRONG_USAGE",
        of("for-key-agreement-only", chain(Terms.MEMBER.forUsage(KeyUsage.keyAgreement))));
    Bytes first = good.certificates().getFirst();
    set.refuse(
        "UNTRUSTED",
        of(
            "member-certificate-bent",
            new CertificateChain(
                List.of(Forge.flipBit(first, first.size() - 1), good.certificates().getLast()))));
  }

  private void otherTimes() {
    set.refuse(
        "OUT_OF_DATE", of("expired-a-second-before", chain(Terms.MEMBER.until(TIME_MS - 1000))));
    set.refuse(
        "OUT_OF_DATE", of("holds-from-the-next-second", chain(Terms.MEMBER.since(TIME_MS + 1000))));
    TestAuthority old =
        TestAuthority.root("root", root.key(), Terms.AUTHORITY.until(TIME_MS - 1000));
    set.refuse(
        "OUT_OF_DATE",
        of("root-expired", old.chain("Carol", Fixtures.CAROL.publicKey()))
            .with("authorities", List.of(old.certificates().getLast())));
  }

  private void bytes() {
    Bytes encoded = good.encode();
    malformed("bytes-left-over", Forge.append(encoded, "00"));
    malformed("cut", encoded.slice(0, encoded.size() - 1));
    malformed("of-none", Bytes.fromHex("80"));
    malformed("of-nine", Bytes.fromHex("89" + "41".repeat(9) + "00".repeat(9)));
    malformed("of-no-certificate", Bytes.fromHex("814130"));
    Bytes der = good.certificates().getFirst();
    CertificateChain longer = new CertificateChain(List.of(Forge.append(der, "00")));
    malformed("certificate-with-a-byte-more", longer.encode());
    CertificateChain pem = new CertificateChain(List.of(Bytes.utf8(good.pem())));
    malformed("certificate-in-pem", pem.encode());
  }

  private CertificateChain chain(Terms terms) {
    return department.chain("Carol", Fixtures.CAROL.publicKey(), terms);
  }

  private static CertificateChain with(CertificateChain chain, Bytes last) {
    List<Bytes> all = new ArrayList<>(chain.certificates());
    all.add(last);
    return new CertificateChain(all);
  }

  private void malformed(String name, Bytes encoded) {
    set.refuse("MALFORMED", of(name, good).with("chain", encoded));
  }

  private VectorCase of(String name, CertificateChain chain) {
    return VectorCase.of("certificate/" + name, "certificateChain", name.replace('-', ' '))
        .with("chain", chain.encode())
        .with("certDigest", chain.digest())
        .with("key", Fixtures.CAROL.publicKey())
        .with("authorities", List.of(root.certificates().getLast()))
        .with("timeMs", TIME_MS);
  }
}
