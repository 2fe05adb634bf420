package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.Utf8;
import java.util.ArrayList;
import java.util.List;

/// The erasable part of a request. The header keeps only its salted commitment.
///
/// @param contentType of the payload, free text; may be empty
/// @param clues in the order of their ids
/// @param values one for each put, in the order of the operations
public record Body(Bytes payload, String contentType, List<String> clues, List<Bytes> values) {
  /// The body of requests of kind 16 and above.
  public static final Body EMPTY = new Body(Bytes.EMPTY, "", List.of(), List.of());

  public Body {
    clues = List.copyOf(clues);
    values = List.copyOf(values);
    atMost("payload", payload.size(), Limits.PAYLOAD_BYTES_MAX);
    atMost("content type", utf8Size(contentType), Limits.CONTENT_TYPE_BYTES_MAX);
    atMost("number of clues", clues.size(), Limits.CLUES_MAX);
    atMost("number of values", values.size(), Limits.OPS_MAX);
    for (String clue : clues) {
      if (clue.isEmpty()) {
        throw new IllegalArgumentException("a clue is empty");
      }
      atMost("clue", utf8Size(clue), Limits.CLUE_BYTES_MAX);
    }
  }

  private static void atMost(String name, int actual, int max) {
    if (actual > max) {
      throw new IllegalArgumentException(name + " is " + actual + ", at most " + max);
    }
  }

  private static int utf8Size(String text) {
    // Most texts are far below the limit: three bytes a character is the worst case.
    return text.length() * 3 <= Limits.CONTENT_TYPE_BYTES_MAX ? text.length() : Utf8.size(text);
  }

  /// Where a content type has a control character; it could forge a line or steer a terminal
  /// wherever it is shown. A service takes none. A body that stands in a log is judged without: it
  /// may be older than that rule.
  ///
  /// @return -1 if there is none
  public static int controlAt(String contentType) {
    for (int i = 0; i < contentType.length(); i++) {
      if (Character.isISOControl(contentType.charAt(i))) {
        return i;
      }
    }
    return -1;
  }

  public Digest commit(Bytes salt) {
    return Commitments.body(salt, encode());
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(encodedBytes());
    out.array(4).bytes(payload).text(contentType).array(clues.size());
    clues.forEach(out::text);
    out.array(values.size());
    values.forEach(out::bytes);
    return out.finish();
  }

  /// Exact while texts are ASCII, which spares a copy.
  private int encodedBytes() {
    int bytes = 1 + CborWriter.headBytes(payload.size()) + payload.size();
    bytes += CborWriter.headBytes(contentType.length()) + contentType.length();
    bytes += CborWriter.headBytes(clues.size()) + CborWriter.headBytes(values.size());
    for (int i = 0; i < clues.size(); i++) {
      bytes += CborWriter.headBytes(clues.get(i).length()) + clues.get(i).length();
    }
    for (int i = 0; i < values.size(); i++) {
      bytes += CborWriter.headBytes(values.get(i).size()) + values.get(i).size();
    }
    return bytes;
  }

  public static Body decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("Body", 4);
    return decodeRest(in, Bytes.wrap(in.bytes("payload", Limits.PAYLOAD_BYTES_MAX)));
  }

  /// Checks all of an encoding but copies no payload: that of the result is empty.
  static Body decodeWithoutPayload(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("Body", 4);
    int payloadBytes = in.skipBytes();
    if (payloadBytes > Limits.PAYLOAD_BYTES_MAX) {
      throw new MalformedException(
          "payload has " + payloadBytes + " bytes, at most " + Limits.PAYLOAD_BYTES_MAX);
    }
    return decodeRest(in, Bytes.EMPTY);
  }

  /// What stands behind the payload, which is empty in the result.
  static Body decodeBehindPayload(Bytes rest) throws MalformedException {
    return decodeRest(new CborReader(rest), Bytes.EMPTY);
  }

  private static Body decodeRest(CborReader in, Bytes payload) throws MalformedException {
    String contentType = in.text();
    int clueCount = in.arrayAtMost("clues", Limits.CLUES_MAX);
    List<String> clues = new ArrayList<>(clueCount);
    for (int i = 0; i < clueCount; i++) {
      clues.add(in.text());
    }
    int valueCount = in.arrayAtMost("values", Limits.OPS_MAX);
    List<Bytes> values = new ArrayList<>(valueCount);
    for (int i = 0; i < valueCount; i++) {
      values.add(Bytes.wrap(in.bytes("value", Limits.REQUEST_BYTES_MAX)));
    }
    in.end();
    return Decoding.validated(() -> new Body(payload, contentType, clues, values));
  }

  /// For people: the payload as text where that is short, and never all of a long one.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(Printable.brief(payload));
    if (!contentType.isEmpty()) {
      text.append(" (").append(Printable.of(contentType)).append(')');
    }
    if (!clues.isEmpty()) {
      text.append(" clues ").append(Printable.of(clues.toString()));
    }
    if (!values.isEmpty()) {
      text.append(" and ").append(values.size()).append(" values");
    }
    return text.toString();
  }
}
