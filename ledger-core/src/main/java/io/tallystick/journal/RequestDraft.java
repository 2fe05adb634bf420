package io.tallystick.journal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A request before it is encoded: what a client wants to say. Immutable; the `with` methods give
/// changed copies.
///
/// @param clues distinct, in any order; cannot be erased later, so a clue naming a person should be
///   a pseudonym
/// @param salt 32 random bytes, fresh for every request; without them an erased body could be
///   guessed
/// @param ops on the ledger's state, with distinct keys, in order
public record RequestDraft(
    StrandId strand,
    Kind kind,
    long clientSeq,
    long clientTimeMs,
    long expiresMs,
    Bytes payload,
    String contentType,
    List<String> clues,
    Extension extension,
    Bytes salt,
    List<DraftOp> ops) {
  public RequestDraft {
    clues = List.copyOf(clues);
    ops = List.copyOf(ops);
  }

  public static RequestDraft append(
      StrandId strand, Bytes payload, String contentType, long clientTimeMs, Bytes salt) {
    return new RequestDraft(
        strand,
        Kind.APPEND,
        0,
        clientTimeMs,
        clientTimeMs + GenesisParams.DEFAULT_WINDOW_MS,
        payload,
        contentType,
        List.of(),
        Extension.None.INSTANCE,
        salt,
        List.of());
  }

  /// A request that deletes a clue: it is the clue's last entry, until the clue is used again.
  public static RequestDraft clueDelete(
      StrandId strand, String clue, long clientTimeMs, Bytes salt) {
    return new RequestDraft(
        strand,
        Kind.CLUE_DELETE,
        0,
        clientTimeMs,
        clientTimeMs + GenesisParams.DEFAULT_WINDOW_MS,
        Bytes.EMPTY,
        "",
        List.of(clue),
        Extension.None.INSTANCE,
        salt,
        List.of());
  }

  /// A governance request; `extension` must fit `kind`.
  public static RequestDraft govern(
      StrandId strand, Kind kind, Extension extension, long clientTimeMs, Bytes salt) {
    return new RequestDraft(
        strand,
        kind,
        0,
        clientTimeMs,
        clientTimeMs + GenesisParams.DEFAULT_WINDOW_MS,
        Bytes.EMPTY,
        "",
        List.of(),
        extension,
        salt,
        List.of());
  }

  public RequestDraft withClues(List<String> newClues) {
    return new RequestDraft(
        strand,
        kind,
        clientSeq,
        clientTimeMs,
        expiresMs,
        payload,
        contentType,
        newClues,
        extension,
        salt,
        ops);
  }

  public RequestDraft withClientSeq(long newClientSeq) {
    return new RequestDraft(
        strand,
        kind,
        newClientSeq,
        clientTimeMs,
        expiresMs,
        payload,
        contentType,
        clues,
        extension,
        salt,
        ops);
  }

  public RequestDraft withExpiry(long newExpiresMs) {
    return new RequestDraft(
        strand,
        kind,
        clientSeq,
        clientTimeMs,
        newExpiresMs,
        payload,
        contentType,
        clues,
        extension,
        salt,
        ops);
  }

  public RequestDraft withOps(List<DraftOp> newOps) {
    return new RequestDraft(
        strand,
        kind,
        clientSeq,
        clientTimeMs,
        expiresMs,
        payload,
        contentType,
        clues,
        extension,
        salt,
        newOps);
  }

  /// @throws IllegalArgumentException if the draft breaks a limit or rule of the format
  public SignedRequest build() {
    List<Clue> ordered = clues.isEmpty() ? List.of() : ordered();
    List<String> texts = ordered.isEmpty() ? List.of() : ordered.stream().map(Clue::text).toList();
    List<Digest> ids = ordered.isEmpty() ? List.of() : ordered.stream().map(Clue::id).toList();
    Bytes body = new Body(payload, contentType, texts, values()).encode();
    Ops committed = committedOps();
    RequestHeader header =
        new RequestHeader(
            strand,
            kind,
            clientSeq,
            clientTimeMs,
            expiresMs,
            Commitments.body(salt, body),
            body.size(),
            ids,
            committed.root(),
            committed.size(),
            extension);
    return new SignedRequest(header.encode(), salt, body, committed.encode());
  }

  private List<Bytes> values() {
    List<Bytes> values = new ArrayList<>();
    for (DraftOp op : ops) {
      if (op instanceof DraftOp.Put put) {
        values.add(put.value());
      }
    }
    return values;
  }

  private Ops committedOps() {
    if (ops.isEmpty()) {
      return Ops.NONE;
    }
    List<Op> committed = new ArrayList<>(ops.size());
    for (int i = 0; i < ops.size(); i++) {
      committed.add(ops.get(i).commit(salt, i));
    }
    return new Ops(committed);
  }

  private List<Clue> ordered() {
    return clues.stream()
        .map(text -> new Clue(Commitments.clueId(strand.ledger(), text), text))
        .sorted(Comparator.comparing(Clue::id))
        .toList();
  }

  private record Clue(Digest id, String text) {}
}
