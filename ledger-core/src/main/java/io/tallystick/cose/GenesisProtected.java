package io.tallystick.cose;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;

/// The signature of an owner over GenesisParams, which is the attached payload. It names no ledger:
/// the ledgerId is the hash of what it signs.
public record GenesisProtected(SignatureAlgorithm algorithm, Digest kid)
    implements ProtectedHeader {
  private static final int LABELS = 3;

  @Override
  public String typ() {
    return GENESIS_TYP;
  }

  @Override
  public Bytes encode() {
    return ProtectedHeader.begin(LABELS, algorithm, kid)
        .integer(Labels.TYP)
        .text(GENESIS_TYP)
        .toBytes();
  }

  static GenesisProtected decode(Labels.Opening opening) throws MalformedException {
    return new GenesisProtected(opening.demand(LABELS, false), opening.kid());
  }
}
