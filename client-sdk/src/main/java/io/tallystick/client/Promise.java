package io.tallystick.client;

import io.tallystick.model.Jsn;
import java.util.List;
import java.util.stream.LongStream;

/// The service's word that a submission is committed, and where: no evidence until {@link
/// LedgerHandle#verifyPromises} has found it there under a signed head.
///
/// @param count of journals, from `firstJsn` on
/// @param timeMs the service's time of the commit
/// @param delegated whether the key of a signer is delegated, as the leaves will say
public record Promise(Jsn firstJsn, int count, long timeMs, boolean delegated) {
  public Jsn lastJsn() {
    return new Jsn(firstJsn.value() + count - 1);
  }

  public List<Jsn> jsns() {
    return LongStream.rangeClosed(firstJsn.value(), lastJsn().value()).mapToObj(Jsn::new).toList();
  }
}
