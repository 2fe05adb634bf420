package io.tallystick.client.trust;

import io.tallystick.client.failure.TallyException;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.StrandId;

/// Where the key chain of a ledger comes from: the service, or a test in its place. The caller
/// checks it.
@FunctionalInterface
public interface KeyChainSource {
  KeyChain fetch(StrandId strand) throws TallyException;
}
