package io.tallystick.client;

import io.tallystick.api.v1.CreateLedgerRequest;
import io.tallystick.api.v1.CreateLedgerResponse;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.wire.ServiceCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestSigner;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.Receipt;
import io.tallystick.receipt.ReceiptFile;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/// A ledger about to be founded: its genesis, made of the service's published keys and signed by
/// all owners. Sent as often as need be, it founds one ledger.
///
/// @param nameSalt opens the name's commitment in genesis
/// @param invitation a token; empty if there is none
record LedgerFounding(
    GenesisParams params,
    Bytes encoded,
    Attestation attestation,
    Bytes nameSalt,
    String name,
    String invitation) {
  private static final int NAME_BYTES_MAX = 128;

  static LedgerFounding sign(
      ServiceInfo service,
      String name,
      List<ClientKey> owners,
      LedgerOptions options,
      long createdMs,
      SecureRandom random) {
    checkName(name);
    Bytes nameSalt = random(random, Limits.SALT_BYTES);
    List<PublicKey> keys =
        owners.stream()
            .map(ClientKey::publicKey)
            .sorted(Comparator.comparing(PublicKey::kid))
            .toList();
    GenesisParams params =
        new GenesisParams(
            service.authority(),
            Commitments.name(nameSalt, name),
            random(random, GenesisParams.RANDOM_BYTES),
            keys,
            service.noteKey(),
            service.receiptKey(),
            createdMs,
            options.isPublic(),
            1,
            options.requestWindow().toMillis(),
            options.features(),
            options.state());
    Attestation attestation =
        RequestSigner.signGenesis(params, owners.stream().map(ClientKey::signer).toList());
    String invitation = options.invitation();
    return new LedgerFounding(
        params, params.encode(), attestation, nameSalt, name, invitation == null ? "" : invitation);
  }

  private static void checkName(String name) {
    int size = Bytes.utf8(name).size();
    if (size < 1 || size > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("name of " + size + " bytes, want 1 to " + NAME_BYTES_MAX);
    }
  }

  private static Bytes random(SecureRandom random, int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return Bytes.wrap(value);
  }

  LedgerId ledgerId() {
    return Commitments.ledgerId(encoded);
  }

  /// Whether it founds what these owners want now.
  boolean isFor(String wanted, List<ClientKey> owners, LedgerOptions options) {
    return name.equals(wanted)
        && params.owners().stream()
            .map(PublicKey::kid)
            .toList()
            .equals(owners.stream().map(ClientKey::kid).sorted().toList())
        && params.isPublic() == options.isPublic()
        && params.maxWindowMs() == options.requestWindow().toMillis()
        && params.features().equals(options.features())
        && Objects.equals(params.stateParams(), options.state());
  }

  boolean isOf(ServiceInfo service) {
    return params.authority().equals(service.authority())
        && params.noteKey().equals(service.noteKey())
        && params.receiptKey().equals(service.receiptKey());
  }

  CreateLedgerResponse send(ServiceCalls calls) throws TallyException {
    CreateLedgerRequest request =
        CreateLedgerRequest.newBuilder()
            .setGenesisParams(WireBytes.toWire(encoded))
            .setAttestation(WireBytes.toWire(attestation.encode()))
            .setNameSalt(WireBytes.toWire(nameSalt))
            .setName(name)
            .setInvitation(invitation)
            .build();
    return calls.changing().ledgers("CreateLedger", stub -> stub.createLedger(request));
  }

  /// Checks that the answer's first leaf founds exactly this ledger, signed as we signed it, now.
  ///
  /// @return leaf and receipt, the receipt not verified yet
  ReceiptFile check(CreateLedgerResponse answer) throws ProofRejectedException {
    Bytes encodedLeaf = WireBytes.bytes(answer.getGenesisLeaf());
    try {
      if (!(Leaf.decode(encodedLeaf) instanceof GenesisLeaf leaf)) {
        throw new ProofRejectedException(Reason.WRONG_TYPE, "the first leaf is no genesis");
      }
      if (!leaf.genesisParams().equals(encoded)
          || !leaf.attestHash().equals(Attestation.hash(attestation.encode()))) {
        throw new ProofRejectedException(
            Reason.COMMITMENT_MISMATCH, "the genesis leaf is not made of what the owners signed");
      }
      if (Math.abs(leaf.timeMs() - params.createdMs()) > Limits.CLOCK_SKEW_MS_MAX) {
        throw new ProofRejectedException(
            Reason.LEAF_MISMATCH,
            String.format(
                Locale.ROOT,
                "genesis at %s, created at %s",
                Printable.time(leaf.timeMs()),
                Printable.time(params.createdMs())));
      }
      Receipt receipt = Receipt.decode(WireBytes.bytes(answer.getGenesisReceipt()));
      return new ReceiptFile(encodedLeaf, receipt);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "genesis: " + e.getMessage(), e);
    }
  }
}
