package io.tallystick.client.trust;

import io.tallystick.client.failure.TallyException;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;

/// Where consistency proofs come from: the service, or a test that plays it. What it gives is
/// checked by who asked.
@FunctionalInterface
public interface ConsistencySource {
  ConsistencyProof fetch(StrandId strand, TreeSize from, TreeSize to) throws TallyException;
}
