package io.tallystick.crypto.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.SeededSigner;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: every provider accepts exactly the set of `docs/formats/key.md`. Method: forgeries from
/// one fixed seed, 5,000 of each algorithm or 50,000 in the long form, are shown to every provider;
/// every fiftieth, and each that was accepted, also to the definition, which is slow.
class ForgeriesTest {
  private static final long SEED = 0x5e7_0f_b17e5L;
  private static final int FORGERIES = Effort.of(5_000, 50_000);
  private static final int FORGERIES_PER_SIGNATURE = 100;
  private static final int KEYS = 10;
  private static final int REFERENCE_EVERY = 50;

  @ParameterizedTest
  @EnumSource(SignatureAlgorithm.class)
  void everyProviderAcceptsWhatTheDefinitionAccepts(SignatureAlgorithm algorithm) {
    SplittableRandom random = new SplittableRandom(SEED);
    IntFunction<SeededSigner> signers =
        switch (algorithm) {
          case ED25519 -> i -> SeededSigner.ed25519("differential " + i % KEYS);
          case ES256 -> i -> SeededSigner.es256("differential " + i % KEYS);
        };
    int accepted = 0;
    int defined = 0;
    for (int i = 0; i < FORGERIES / FORGERIES_PER_SIGNATURE; i++) {
      SeededSigner signer = signers.apply(i);
      byte[] message = new byte[random.nextInt(100)];
      random.nextBytes(message);
      byte[] signature = signer.sign(message);
      Forgery genuine = new Forgery(signer.publicKey(), message, signature);
      assertThat(answer(genuine)).isTrue();
      assertThat(definition(genuine)).isTrue();
      for (int j = 0; j < FORGERIES_PER_SIGNATURE; j++) {
        Forgery forgery = Forgery.of(signer.publicKey(), message, signature, random);
        boolean answer = answer(forgery);
        if (answer || j % REFERENCE_EVERY == 0) {
          assertThat(definition(forgery)).as(describe(forgery)).isEqualTo(answer);
          defined++;
        }
        accepted += answer ? 1 : 0;
      }
    }
    assertThat(defined).isGreaterThanOrEqualTo(FORGERIES / REFERENCE_EVERY);
    // Whatever is accepted is the genuine signature again, or the twin that ES256 has.
    assertThat(accepted)
        .isBetween(algorithm == SignatureAlgorithm.ES256 ? FORGERIES / 50 : 0, FORGERIES * 3 / 50);
  }

  private static boolean answer(Forgery forgery) {
    List<Boolean> answers = new ArrayList<>();
    for (Signatures provider : SignatureProviders.all()) {
      answers.add(accepts(provider, forgery));
    }
    if (answers.stream().distinct().count() != 1) {
      throw new AssertionError("providers differ: " + answers + " on " + describe(forgery));
    }
    return answers.getFirst();
  }

  private static boolean accepts(Signatures provider, Forgery forgery) {
    try {
      provider.verify(forgery.key(), forgery.message(), forgery.signature());
      return true;
    } catch (ProofRejectedException e) {
      if (e.reason() != Reason.BAD_SIGNATURE) {
        throw new AssertionError(provider.providerName(), e);
      }
      return false;
    }
  }

  private static boolean definition(Forgery forgery) {
    PublicKey key = forgery.key();
    return switch (key.algorithm()) {
      case ED25519 -> ReferenceEd25519.accepts(key.raw(), forgery.message(), forgery.signature());
      case ES256 -> ReferenceEs256.accepts(key.raw(), forgery.message(), forgery.signature());
    };
  }

  private static String describe(Forgery forgery) {
    HexFormat hex = HexFormat.of();
    return String.format(
        Locale.ROOT,
        "%s over %s by %s",
        hex.formatHex(forgery.signature()),
        hex.formatHex(forgery.message()),
        forgery.key().spki().hex());
  }
}
