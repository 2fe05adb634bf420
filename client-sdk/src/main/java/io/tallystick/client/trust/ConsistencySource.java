package io.tallystick.client.trust;

import io.tallystick.client.failure.TallyException;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;

/// Where consistency proofs come from: the service, or a test in its place. The caller checks them.
@FunctionalInterface
public interface ConsistencySource {
  ConsistencyProof fetch(StrandId strand, TreeSize from, TreeSize to) throws TallyException;
}
