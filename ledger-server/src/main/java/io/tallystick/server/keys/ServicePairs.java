package io.tallystick.server.keys;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ServiceIdentity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The service's pairs of keys, by kid: those that ledgers are or were signed with, and those that
/// an owner may rotate to. Pairs are added and never taken away. Thread-safe.
public final class ServicePairs {
  private final Authority authority;
  private final Source more;
  private final ServiceIdentity identity;
  private volatile Held held;

  /// Where pairs may have been put since the start.
  @FunctionalInterface
  public interface Source {
    /// Pairs that may not be in `known`, each kept for good before it is returned.
    ///
    /// @throws ServiceKeysException if a key there is damaged or open to others
    List<ServicePair> unknown(ServicePairs known) throws IOException, ServiceKeysException;
  }

  private record Held(Map<Digest, Signer> noteKeys, Map<Digest, Signer> receiptKeys) {
    Held {
      noteKeys = Map.copyOf(noteKeys);
      receiptKeys = Map.copyOf(receiptKeys);
    }

    static Held of(List<ServicePair> pairs) {
      return new Held(Map.of(), Map.of()).with(pairs);
    }

    Held with(List<ServicePair> pairs) {
      Map<Digest, Signer> notes = new HashMap<>(noteKeys);
      Map<Digest, Signer> receipts = new HashMap<>(receiptKeys);
      for (ServicePair pair : pairs) {
        notes.put(pair.noteKey().publicKey().kid(), pair.noteKey());
        receipts.put(pair.receiptKey().publicKey().kid(), pair.receiptKey());
      }
      return new Held(notes, receipts);
    }
  }

  /// @param pairs in the order they were recorded; new ledgers are founded with the last
  public ServicePairs(Authority authority, List<ServicePair> pairs, Source more) {
    this.authority = authority;
    this.more = more;
    this.held = Held.of(pairs);
    ServicePair newest = pairs.getLast();
    this.identity =
        new ServiceIdentity(
            authority, newest.noteKey().publicKey(), newest.receiptKey().publicKey());
  }

  /// Pairs to which none is added.
  public ServicePairs(Authority authority, List<ServicePair> pairs) {
    this(authority, pairs, _ -> List.of());
  }

  public Authority authority() {
    return authority;
  }

  /// The identity that new ledgers are founded with, until the next start.
  public ServiceIdentity identity() {
    return identity;
  }

  public boolean holdsReceiptKey(Digest kid) {
    return held.receiptKeys.containsKey(kid);
  }

  /// The note key of a ledger that is here. May read files.
  ///
  /// @throws KeyNotReadException if it is not known, and cannot be read now
  public Signer noteKey(PublicKey key) throws KeyNotReadException {
    return demand(Held::noteKeys, key);
  }

  /// The receipt key of a ledger that is here. May read files.
  ///
  /// @throws KeyNotReadException if it is not known, and cannot be read now
  public Signer receiptKey(PublicKey key) throws KeyNotReadException {
    return demand(Held::receiptKeys, key);
  }

  /// The receipt key of a ledger that is here, if it is known. Reads no files.
  public Optional<Signer> knownReceiptKey(PublicKey key) {
    return Optional.ofNullable(held.receiptKeys.get(key.kid()));
  }

  /// A ledger has only keys that were kept before, and kept ones are here. One of a cluster may
  /// have been listed since the start.
  private Signer demand(Function<Held, Map<Digest, Signer>> keys, PublicKey key)
      throws KeyNotReadException {
    Signer signer = keys.apply(held).get(key.kid());
    if (signer == null) {
      try {
        readAgain();
      } catch (IOException e) {
        throw new KeyNotReadException(key, e);
      }
      signer = keys.apply(held).get(key.kid());
    }
    if (signer == null) {
      throw new AssertionError("a ledger is signed by key " + key.kid() + ", which is not here");
    }
    return signer;
  }

  private boolean holds(Extension.KeyRotation keys) {
    Held now = held;
    return now.noteKeys.containsKey(keys.noteKey().kid())
        && now.receiptKeys.containsKey(keys.receiptKey().kid());
  }

  /// Looks for the keys of a rotation where pairs are put, unless they are known; of any other
  /// request, does nothing. May read files.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE` if a key there is damaged or open to others
  public void lookFor(RequestHeader header) throws RequestRejectedException {
    if (header.extension() instanceof Extension.KeyRotation keys && !holds(keys)) {
      try {
        readAgain();
      } catch (IOException e) {
        throw unavailable(e);
      }
    }
  }

  /// Reads the pairs that may have been put there, or listed, since they were read.
  ///
  /// @throws IOException also if a key there is damaged or open to others
  public synchronized void readAgain() throws IOException {
    try {
      held = held.with(more.unknown(this));
    } catch (ServiceKeysException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static RequestRejectedException unavailable(IOException e) {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE, "the service's keys cannot be read: " + e.getMessage(), e);
  }

  private List<Signer> signers(Extension.KeyRotation rotation, ServiceKeys present)
      throws RequestRejectedException {
    try {
      List<Signer> signers = new ArrayList<>();
      signers.add(receiptKey(present.receiptKey()));
      if (!rotation.receiptKey().equals(present.receiptKey())) {
        signers.add(receiptKey(rotation.receiptKey()));
      }
      return signers;
    } catch (KeyNotReadException e) {
      throw unavailable(e);
    }
  }

  /// Signs a key rotation that members have signed: with the present receipt key, and with the new
  /// one if it changes.
  ///
  /// @param present before the rotation
  /// @return the attestation, encoded
  /// @throws RequestRejectedException `KEY_NOT_ALLOWED` if the service does not hold the new keys;
  ///   `MALFORMED` if members have left no room for its signatures; `UNAVAILABLE` if its present
  ///   key cannot be read now
  public Bytes attest(
      VerifiedSubmission submission, Extension.KeyRotation rotation, ServiceKeys present)
      throws RequestRejectedException {
    if (!holds(rotation)) {
      throw new RequestRejectedException(
          RejectionCode.KEY_NOT_ALLOWED,
          String.format(
              Locale.ROOT,
              "this service does not hold note key %s with receipt key %s; tally keys new makes a pair",
              rotation.noteKey().kid(),
              rotation.receiptKey().kid()));
    }
    List<Signer> signers = signers(rotation, present);
    int members = submission.attestation().signatures().size();
    if (members + signers.size() > Limits.SIGNERS_MAX) {
      throw new RequestRejectedException(
              RejectionCode.MALFORMED,
              String.format(
                  Locale.ROOT,
                  "%d signatures of members and %d of the service, at most %d together",
                  members,
                  signers.size(),
                  Limits.SIGNERS_MAX))
          .withLimit(Limits.SIGNERS_MAX - signers.size());
    }
    return RequestSigner.signService(
            submission.strand(),
            submission.requestHashes().getFirst(),
            signers,
            submission.attestation().signatures())
        .encode();
  }
}
