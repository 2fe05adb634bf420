package io.tallystick.node;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Authority;

/// The service's authority and keys, as a client puts them into GenesisParams.
public record ServiceIdentity(Authority authority, PublicKey noteKey, PublicKey receiptKey) {}
