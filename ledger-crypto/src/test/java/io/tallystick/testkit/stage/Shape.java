package io.tallystick.testkit.stage;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.Fixtures;

/// How the journals of a stage arrive. 256 bytes of payload each.
public enum Shape {
  /// A thousand under one Ed25519 signature, which is made and verified.
  BATCH(1, 1000),
  /// 256 alone, each with its own signature; these cost nothing here, so that all else shows.
  SINGLES(256, 1);

  public static final int PAYLOAD_BYTES = 256;

  private final int submissions;
  private final int journalsEach;

  Shape(int submissions, int journalsEach) {
    this.submissions = submissions;
    this.journalsEach = journalsEach;
  }

  public int submissions() {
    return submissions;
  }

  public int journalsEach() {
    return journalsEach;
  }

  public int journals() {
    return submissions * journalsEach;
  }

  public Signatures signatures() {
    Signatures best = SignatureProviders.best();
    return this == BATCH ? best : new FreeSignatures(best);
  }

  public Signer signer() {
    try {
      return signatures().importPkcs8(Fixtures.ALICE.exportPkcs8());
    } catch (MalformedException e) {
      throw new AssertionError("our own key", e);
    }
  }
}
