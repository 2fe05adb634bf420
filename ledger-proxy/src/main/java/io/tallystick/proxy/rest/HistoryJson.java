package io.tallystick.proxy.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.journal.Op;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.node.KeyVersion;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateHistory;
import io.tallystick.proxy.read.HistoryCursor;
import io.tallystick.state.KeyWrite;
import io.tallystick.state.StateValue;
import io.tallystick.state.WriteProof;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The answers of REST about the writes of a key.
final class HistoryJson {
  private HistoryJson() {}

  /// That a journal wrote the key. Proofs are CBOR.
  record Written(
      String leaf,
      String inclusion,
      String op,
      String opInclusion,
      String sealLeaf,
      String sealInclusion) {
    static Written of(WriteProof proof) {
      return new Written(
          Json.base64(proof.leaf()),
          Json.base64(InclusionProofBytes.encode(proof.inclusion())),
          Json.base64(proof.op()),
          Json.base64(InclusionProofBytes.encode(proof.inOps())),
          Json.base64(proof.seal()),
          Json.base64(InclusionProofBytes.encode(proof.sealInclusion())));
    }
  }

  /// @param written absent if proofs were not asked for
  /// @param still the key before the block of the next newer write, or at the end of the tree
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Version(
      long jsn,
      long timeMs,
      long height,
      String op,
      @Nullable String valueCommit,
      @Nullable Integer valueSize,
      @Nullable String valueState,
      @Nullable String value,
      @Nullable String opening,
      @Nullable Written written,
      StateJson.@Nullable Key still) {
    static Version of(KeyVersion version, boolean withProof) {
      KeyWrite write = version.write();
      Op.Put put = write.op() instanceof Op.Put it ? it : null;
      ReadValue read = version.value();
      StateValue value = read.value().orElse(null);
      return new Version(
          write.jsn().value(),
          write.timeMs(),
          write.height(),
          put == null ? "delete" : "put",
          put == null ? null : put.valueCommit().hex(),
          put == null ? null : put.valueSizeBytes(),
          StateJson.state(read),
          value == null ? null : Json.base64(value.value()),
          value == null ? null : value.opening().hex(),
          withProof ? Written.of(version.proof()) : null,
          version.still().map(still -> StateJson.Key.of(still, true)).orElse(null));
    }
  }

  /// @param size of the tree that the writes are proven in
  /// @param end `founding` or `purge`, if the scan came to it; absent if there is a cursor
  /// @param before at the end: the key before its oldest write
  /// @param cursor of the next page
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record History(
      String key,
      @Nullable String keyText,
      List<Version> versions,
      long size,
      long scannedTo,
      @Nullable String end,
      @Nullable Long purgeJsn,
      StateJson.@Nullable Key before,
      @Nullable String cursor) {
    /// @param from where the page began
    static History of(
        LedgerId ledger,
        Bytes key,
        StateHistory page,
        Optional<HistoryCursor> from,
        boolean withProof) {
      Long purge = page.purgeJsn().isPresent() ? page.purgeJsn().getAsLong() : null;
      return new History(
          Json.base64(key),
          StateJson.text(key),
          page.versions().stream().map(version -> Version.of(version, withProof)).toList(),
          page.size(),
          page.scannedTo(),
          page.over() ? (purge == null ? "founding" : "purge") : null,
          purge,
          page.before().map(before -> StateJson.Key.of(before, true)).orElse(null),
          page.over() ? null : CursorText.of(ledger, key, next(page, from)));
    }

    private static HistoryCursor next(StateHistory page, Optional<HistoryCursor> from) {
      OptionalLong newer =
          page.versions().isEmpty()
              ? from.map(HistoryCursor::newer).orElse(OptionalLong.empty())
              : OptionalLong.of(page.versions().getLast().write().jsn().value());
      return new HistoryCursor(page.size(), page.scannedTo(), newer);
    }
  }
}
