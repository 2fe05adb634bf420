package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;

/// Why a time journal's head is to be believed of its time. It is carried as bytes: what it proves
/// is for the verifiers of tokens and receipts.
public sealed interface TimeProof {
  int TOKEN = 1;
  int T_LEDGER = 2;

  /// `[1, TimeStampToken]`: RFC 3161, in DER.
  record Token(Bytes der) implements TimeProof {
    public Token {
      if (der.isEmpty()) {
        throw new IllegalArgumentException("time-stamp token of no bytes");
      }
    }
  }

  /// `[2, T-Ledger id, receipt file, salt, Body]`: the head stands in another ledger, whose own
  /// time is anchored.
  ///
  /// @param receiptFile of the entry in that ledger, type 9
  /// @param salt and body of the entry, so that its bodyCommit can be checked
  record TLedger(LedgerId ledger, Bytes receiptFile, Bytes salt, Bytes body) implements TimeProof {
    public TLedger {
      if (salt.size() != Limits.SALT_BYTES) {
        throw new IllegalArgumentException("salt of " + salt.size() + " bytes, want 32");
      }
      if (receiptFile.isEmpty() || body.isEmpty()) {
        throw new IllegalArgumentException("T-Ledger proof without its receipt file or Body");
      }
    }

    /// The salt opens the body of a public ledger, but no text shows a salt.
    @Override
    public String toString() {
      return "TLedger[ledger=" + ledger + "]";
    }
  }

  default Bytes encode() {
    return switch (this) {
      case Token(Bytes der) ->
          new CborWriter(der.size() + 16).array(2).uint(TOKEN).bytes(der).toBytes();
      case TLedger(LedgerId ledger, Bytes file, Bytes salt, Bytes body) ->
          new CborWriter(file.size() + body.size() + 96)
              .array(5)
              .uint(T_LEDGER)
              .digest(ledger.digest())
              .bytes(file)
              .bytes(salt)
              .bytes(body)
              .toBytes();
    };
  }

  static TimeProof decode(CborReader in) throws MalformedException {
    int items = in.array();
    long form = in.uint();
    if (form == TOKEN && items == 2) {
      Bytes der = bytes(in, "time-stamp token");
      return Decoding.validated(() -> new Token(der));
    }
    if (form == T_LEDGER && items == 5) {
      LedgerId ledger = new LedgerId(in.digest());
      Bytes file = bytes(in, "receipt file");
      Bytes salt = bytes(in, "salt");
      Bytes body = bytes(in, "Body");
      return Decoding.validated(() -> new TLedger(ledger, file, salt, body));
    }
    throw new MalformedException("time proof of form " + form + " with " + items + " items");
  }

  private static Bytes bytes(CborReader in, String name) throws MalformedException {
    return Bytes.wrap(in.bytes(name, Limits.TIME_PROOF_BYTES_MAX));
  }
}
