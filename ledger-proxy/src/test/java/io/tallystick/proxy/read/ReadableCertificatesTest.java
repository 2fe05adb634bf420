package io.tallystick.proxy.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.MemberCertificates;
import io.tallystick.node.MembersView;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.TestAuthority;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: one damaged chain takes its own subject from the list of members, and nothing else.
/// Method: a node with two chains, one of which cannot be read.
class ReadableCertificatesTest {
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();
  private static final TestAuthority CA = TestAuthority.root("root");
  private static final CertificateChain ALICES = CA.chain("Alice", Fixtures.ALICE.publicKey());
  private static final CertificateChain BOBS = CA.chain("Bob", Fixtures.BOB.publicKey());

  private static Member member(SeededSigner signer, CertificateChain chain) {
    Member.Terms terms = new Member.Terms(Member.NEVER, false, Optional.of(chain.digest()));
    return new Member(signer.publicKey(), Role.NORMAL, 1, 1, terms, Member.NEVER, Optional.empty());
  }

  @Test
  void aDamagedChainTakesOneSubject() throws Exception {
    LedgerNode node =
        (LedgerNode)
            Proxy.newProxyInstance(
                LedgerNode.class.getClassLoader(),
                new Class<?>[] {LedgerNode.class},
                (_, _, _) -> Optional.of(new OneDamaged()));
    MembersView view =
        new MembersView(3, List.of(member(Fixtures.ALICE, ALICES), member(Fixtures.BOB, BOBS)));
    ShownMembers shown = ReadableCertificates.subjects(node, LEDGER, view);
    assertThat(shown.view()).isEqualTo(view);
    assertThat(shown.subjects()).isEqualTo(Map.of(BOBS.digest(), "CN=Bob"));
  }

  private static final class OneDamaged implements MemberCertificates {
    @Override
    public long show(LedgerId ledger, CertificateChain chain) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<CertificateChain> find(LedgerId ledger, Digest certDigest)
        throws RequestRejectedException {
      if (certDigest.equals(ALICES.digest())) {
        throw new RequestRejectedException(RejectionCode.DAMAGED, "bent");
      }
      return Optional.of(BOBS);
    }

    @Override
    public boolean erase(LedgerId ledger, Digest certDigest) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void dropExpired() {
      throw new UnsupportedOperationException();
    }
  }
}
