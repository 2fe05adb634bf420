package io.tallystick.master.tledger;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Founds a T-Ledger once: a public ledger with clues, for good, whose owner is its writer. The
/// caller keeps the founding request before it is handed to the node, and hands that one again
/// until the node has taken or refused it, so that a start that is cut short founds no second one.
public final class TLedgerFounding {
  private static final String NAME = "T-Ledger";
  private static final int TYPE = 1;

  private final LedgerNode node;
  private final Signer owner;
  private final Signatures signatures;
  private final Keeper keeper;

  /// Keeps the founding request.
  public interface Keeper {
    /// @return empty before the first founding
    Optional<Bytes> kept();

    /// Durable when this returns.
    ///
    /// @param before what it replaces; empty: nothing
    /// @return false, with nothing done, if another one is kept by now
    boolean keep(Optional<Bytes> before, Bytes request);
  }

  public TLedgerFounding(LedgerNode node, Signer owner, Signatures signatures, Keeper keeper) {
    this.node = node;
    this.owner = owner;
    this.signatures = signatures;
    this.keeper = keeper;
  }

  /// The T-Ledger of this node, founded if need be.
  ///
  /// @throws RequestRejectedException as the node refuses; `MALFORMED` if what was kept is damaged;
  ///   `UNAVAILABLE` also if another process keeps one at the same time: then that is the one
  public LedgerId open() throws RequestRejectedException {
    Optional<Bytes> kept = keeper.kept();
    if (kept.isPresent()) {
      Founding founding = decode(kept.get());
      LedgerId id = founding.params().ledgerId();
      if (isHeld(id) || isFounded(founding)) {
        return id;
      }
    }
    Bytes request = request();
    if (!keeper.keep(kept, request)) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "another process founds the T-Ledger at the same time");
    }
    return node.createLedger(decode(request)).ledger().id();
  }

  /// The same bytes find out what became of them.
  ///
  /// @return false if they never were founded, and never will be
  private boolean isFounded(Founding kept) throws RequestRejectedException {
    try {
      CreatedLedger _ = node.createLedger(kept);
      return true;
    } catch (RequestRejectedException e) {
      if (e.code().retryable()) {
        throw e;
      }
      return false;
    }
  }

  /// The T-Ledger that a kept request founds.
  ///
  /// @throws MalformedException if it is none
  public static LedgerId idOf(Bytes request) throws MalformedException {
    CborReader in = new CborReader(request);
    in.array("founding of the T-Ledger", 4);
    if (in.uint() != TYPE) {
      throw new MalformedException("another version");
    }
    return GenesisParams.decode(Bytes.wrap(in.bytes())).ledgerId();
  }

  private boolean isHeld(LedgerId id) throws RequestRejectedException {
    try {
      node.ledger(id);
      return true;
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.UNKNOWN_LEDGER) {
        return false;
      }
      throw e;
    }
  }

  private Bytes request() {
    SecureRandom random = new SecureRandom();
    Bytes salt = bytes(random, Limits.SALT_BYTES);
    ServiceIdentity service = node.identity();
    GenesisParams params =
        new GenesisParams(
            service.authority(),
            Commitments.name(salt, NAME),
            bytes(random, GenesisParams.RANDOM_BYTES),
            List.of(owner.publicKey()),
            service.noteKey(),
            service.receiptKey(),
            node.timeMs(),
            true,
            1,
            GenesisParams.DEFAULT_WINDOW_MS,
            Set.of(Feature.CLUE_TRIE, Feature.PERMANENT),
            null);
    CborWriter out = new CborWriter(1024).array(4).uint(TYPE).bytes(params.encode());
    out.bytes(RequestSigner.signGenesis(params, List.of(owner)).encode()).bytes(salt);
    return out.toBytes();
  }

  private static Bytes bytes(SecureRandom random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  private Founding decode(Bytes request) throws RequestRejectedException {
    try {
      CborReader in = new CborReader(request);
      in.array("founding of the T-Ledger", 4);
      if (in.uint() != TYPE) {
        throw new MalformedException("another version");
      }
      Bytes params = Bytes.wrap(in.bytes());
      Bytes attestation = Bytes.wrap(in.bytes());
      Bytes salt = Bytes.wrap(in.bytes());
      in.end();
      return FoundingVerifier.verify(
          params, attestation, LedgerName.of(Digest.of(salt), NAME), signatures);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "the kept founding of the T-Ledger: " + e.getMessage(), e);
    }
  }
}
