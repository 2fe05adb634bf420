package io.tallystick.node;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Authority;

/// Who this service is: what a client puts into GenesisParams.
public record ServiceIdentity(Authority authority, PublicKey noteKey, PublicKey receiptKey) {}
