package io.tallystick.client.trust;

import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Bytes;

/// Where the newest cosigned checkpoint comes from: the service, or a test in its place. The caller
/// checks it.
@FunctionalInterface
public interface CosignedSource {
  Bytes fetch() throws TallyException;
}
