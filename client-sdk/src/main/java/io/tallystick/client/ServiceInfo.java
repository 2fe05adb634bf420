package io.tallystick.client;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Authority;
import java.time.Duration;

/// A service's description of itself; nothing proves it. The keys count for a ledger only through
/// the ledger's genesis, so look at them before founding one.
///
/// @param timeMs the service's clock, milliseconds since the epoch
/// @param defaultWindow the request window it proposes
public record ServiceInfo(
    Authority authority,
    PublicKey noteKey,
    PublicKey receiptKey,
    long timeMs,
    Duration defaultWindow,
    int requestBytesMax,
    int batchCountMax,
    int batchBytesMax,
    String version) {}
