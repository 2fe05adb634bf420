package io.tallystick.server.proposal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;

/// A kept proposal as a noted row: `"q" ‖ ledgerId ‖ requestHash → [1, proposal bstr, outcome]`,
/// the outcome being `[0]` open, `[1]` submitting, `[2, jsn]` committed, `[3, code, detail]`
/// refused. Source: `docs/formats/savepoint.md`.
final class ProposalRow {
  static final Bytes PREFIX = Bytes.utf8("q");

  private static final int VERSION = 1;
  private static final int PROPOSAL_BYTES_MAX =
      Limits.LEAF_BYTES_MAX + Limits.ATTESTATION_BYTES_MAX;
  private static final int OPEN = 0;
  private static final int SUBMITTING = 1;
  private static final int COMMITTED = 2;
  private static final int REFUSED = 3;

  private ProposalRow() {}

  static Bytes key(LedgerId ledger, Digest requestHash) {
    byte[] key = new byte[PREFIX.size() + 2 * Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, PREFIX.size());
    requestHash.copyInto(key, PREFIX.size() + Digest.BYTES);
    return Bytes.wrap(key);
  }

  static Digest hashOf(Bytes key) throws MalformedException {
    if (key.size() != PREFIX.size() + 2 * Digest.BYTES) {
      throw new MalformedException("key of " + key.size() + " bytes");
    }
    return Digest.of(key.slice(PREFIX.size() + Digest.BYTES, Digest.BYTES));
  }

  static LedgerId ledgerOf(Bytes key) {
    return new LedgerId(Digest.of(key.slice(PREFIX.size(), Digest.BYTES)));
  }

  static Bytes prefix(LedgerId ledger) {
    return key(ledger, Digest.ZERO).slice(0, PREFIX.size() + Digest.BYTES);
  }

  static Bytes encode(KeptProposal kept) {
    Bytes proposal = kept.proposal().encode();
    CborWriter out = new CborWriter(64 + proposal.size());
    out.array(3).uint(VERSION).bytes(proposal);
    switch (kept.outcome()) {
      case Outcome.Open _ -> out.array(1).uint(OPEN);
      case Outcome.Submitting _ -> out.array(1).uint(SUBMITTING);
      case Outcome.Committed(long jsn) -> out.array(2).uint(COMMITTED).uint(jsn);
      case Outcome.Refused(RejectionCode code, String detail) ->
          out.array(3).uint(REFUSED).text(code.wire()).text(detail);
    }
    return out.toBytes();
  }

  static KeptProposal decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("proposal row", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("proposal row version " + version + ", want " + VERSION);
    }
    Bytes proposal = Bytes.wrap(in.bytes("proposal", PROPOSAL_BYTES_MAX));
    int items = in.array();
    long code = in.uint();
    if (code > REFUSED || items != (code <= SUBMITTING ? 1 : code)) {
      throw new MalformedException("outcome " + code + " of " + items + " items");
    }
    Outcome outcome =
        switch ((int) code) {
          case OPEN -> Outcome.Open.INSTANCE;
          case SUBMITTING -> Outcome.Submitting.INSTANCE;
          case COMMITTED -> new Outcome.Committed(in.uint());
          default -> new Outcome.Refused(rejection(in.text()), in.text());
        };
    in.end();
    return new KeptProposal(Proposal.decode(proposal), outcome);
  }

  private static RejectionCode rejection(String wire) throws MalformedException {
    for (RejectionCode code : RejectionCode.values()) {
      if (code.wire().equals(wire)) {
        return code;
      }
    }
    throw new MalformedException("there is no refusal " + wire);
  }
}
