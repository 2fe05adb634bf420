package io.tallystick.proxy.rest;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Limits;
import io.tallystick.journal.OpRules;
import io.tallystick.journal.Precondition;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/// The operations of a request that is to be built, out of JSON: `{"op": "put", "key": BASE64,
/// "value": BASE64}` or `{"op": "delete", "key": BASE64}`; `keyText` and `valueText` give UTF-8
/// text instead, and one of `ifAbsent`, `ifVersion`, `ifCommit` a precondition.
final class OperationInput {
  private OperationInput() {}

  /// @param in whose field `operations` is read; none if it is not there
  /// @throws RequestRejectedException `OPERATION_INVALID`, naming operation and limit
  static List<DraftOp> read(JsonInput in) throws RequestRejectedException {
    if (!in.has("operations")) {
      return List.of();
    }
    List<DraftOp> ops = new ArrayList<>();
    for (JsonInput each : in.objects("operations")) {
      ops.add(operation(each));
      each.end();
    }
    OpRules.check(ops);
    return ops;
  }

  private static DraftOp operation(JsonInput in) throws RequestRejectedException {
    String op = in.text("op");
    Bytes key = bytesOrText(in, "key");
    Precondition precondition = precondition(in);
    return switch (op) {
      case "put" -> new DraftOp.Put(key, value(in), precondition);
      case "delete" -> new DraftOp.Delete(key, precondition);
      default -> throw in.refused("op", "is neither put nor delete");
    };
  }

  /// @throws RequestRejectedException `TOO_LARGE` if no request can hold it
  private static Bytes value(JsonInput in) throws RequestRejectedException {
    Bytes value = bytesOrText(in, "value");
    if (value.size() > Limits.REQUEST_BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              String.format(
                  Locale.ROOT,
                  "a value of %d bytes, a request has at most %d",
                  value.size(),
                  Limits.REQUEST_BYTES_MAX))
          .withLimit(Limits.REQUEST_BYTES_MAX);
    }
    return value;
  }

  private static Bytes bytesOrText(JsonInput in, String name) throws RequestRejectedException {
    String textName = name + "Text";
    if (in.has(name) && in.has(textName)) {
      throw in.refused(name, "and " + textName + " exclude each other");
    }
    return in.has(textName) ? Bytes.utf8(in.text(textName)) : in.bytes(name);
  }

  private static Precondition precondition(JsonInput in) throws RequestRejectedException {
    List<Precondition> found = new ArrayList<>();
    if (in.flag("ifAbsent", false)) {
      found.add(new Precondition.IfAbsent());
    }
    OptionalLong version = in.optionalNumber("ifVersion");
    if (version.isPresent()) {
      found.add(new Precondition.IfVersion(new Jsn(version.getAsLong())));
    }
    if (in.has("ifCommit")) {
      found.add(new Precondition.IfCommit(in.digest("ifCommit")));
    }
    if (found.size() > 1) {
      throw in.refused("ifAbsent, ifVersion and ifCommit", "exclude each other");
    }
    return found.isEmpty() ? new Precondition.None() : found.getFirst();
  }
}
