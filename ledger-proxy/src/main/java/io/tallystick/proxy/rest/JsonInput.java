package io.tallystick.proxy.rest;

import io.tallystick.journal.ClueRules;
import io.tallystick.journal.Feature;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Utf8;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A JSON object of a stranger, read field by field. What is missing, of another type, too long or
/// left over is refused as `malformed`, naming the field. Hashes and ids are lower-case hex, all
/// other byte strings base64 (RFC 4648 section 4, padded).
final class JsonInput {
  private static final int DEPTH_MAX = 8;
  private static final int NAME_LENGTH_MAX = 64;

  /// A batch of 10,000 has 80,000. Each token may become an object some forty times its size.
  private static final int TOKENS_MAX = 200_000;

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEPTH_MAX)
                          .maxNameLength(NAME_LENGTH_MAX)
                          .maxStringLength(RequestGate.BODY_BYTES_MAX)
                          .maxTokenCount(TOKENS_MAX)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final String path;
  private final JsonNode object;
  private final Set<String> taken = new HashSet<>();

  private JsonInput(String path, JsonNode object) {
    this.path = path;
    this.object = object;
  }

  static JsonInput parse(byte[] body) throws RequestRejectedException {
    JsonNode node;
    // A reader, and not the bytes: their encoding is not to be guessed.
    InputStreamReader text =
        new InputStreamReader(
            new ByteArrayInputStream(body),
            StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT));
    try {
      node = MAPPER.readTree(text);
    } catch (JacksonException e) {
      if (e.getCause() instanceof CharacterCodingException) {
        throw malformed("the body is not UTF-8", e);
      }
      if (e instanceof StreamConstraintsException) {
        throw malformed(
            String.format(
                Locale.ROOT,
                "the body has over %d tokens of JSON, over %d levels, or a name or number too long",
                TOKENS_MAX,
                DEPTH_MAX),
            e);
      }
      // The parser's own message would show bytes of the body.
      var at = e.getLocation();
      throw malformed(
          "the body is not JSON as this service reads it"
              + (at == null
                  ? ""
                  : String.format(
                      Locale.ROOT, " (line %d, column %d)", at.getLineNr(), at.getColumnNr())),
          e);
    }
    if (node == null || !node.isObject()) {
      throw malformed("the body is no JSON object", null);
    }
    return new JsonInput("", node);
  }

  boolean has(String name) {
    return object.has(name);
  }

  private @Nullable JsonNode find(String name) {
    taken.add(name);
    return object.get(name);
  }

  private JsonNode required(String name) throws RequestRejectedException {
    JsonNode value = find(name);
    if (value == null) {
      throw malformed(path + name + " is missing", null);
    }
    return value;
  }

  String text(String name) throws RequestRejectedException {
    return text(path + name, required(name));
  }

  Optional<String> optionalText(String name) throws RequestRejectedException {
    JsonNode value = find(name);
    return value == null ? Optional.empty() : Optional.of(text(path + name, value));
  }

  private static String text(String name, JsonNode value) throws RequestRejectedException {
    if (!value.isString()) {
      throw malformed(name + " is no string", null);
    }
    String text = value.stringValue();
    if (Utf8.unpairedAt(text) >= 0) {
      throw malformed(name + " has half a surrogate pair", null);
    }
    return text;
  }

  Bytes bytes(String name) throws RequestRejectedException {
    return bytes(path + name, required(name));
  }

  Optional<Bytes> optionalBytes(String name) throws RequestRejectedException {
    JsonNode value = find(name);
    return value == null ? Optional.empty() : Optional.of(bytes(path + name, value));
  }

  private static Bytes bytes(String name, JsonNode value) throws RequestRejectedException {
    return base64(name, text(name, value));
  }

  /// Padded, and without bits that mean nothing: the same bytes have one text.
  static Bytes base64(String name, String text) throws RequestRejectedException {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw malformed(name + " is no base64", e);
    }
    byte[] tail = Arrays.copyOfRange(bytes, bytes.length - bytes.length % 3, bytes.length);
    if (text.length() % 4 != 0 || !text.endsWith(Base64.getEncoder().encodeToString(tail))) {
      throw malformed(name + " is no base64 with padding (RFC 4648 section 4)", null);
    }
    return Bytes.wrap(bytes);
  }

  Digest digest(String name) throws RequestRejectedException {
    return digest(path + name, text(name));
  }

  /// @param what it is, for the refusal
  static Digest digest(String what, String text) throws RequestRejectedException {
    if (!HASH.matcher(text).matches()) {
      throw malformed(what + " is not 64 lower-case hex digits", null);
    }
    return Digest.fromHex(text);
  }

  boolean flag(String name, boolean absent) throws RequestRejectedException {
    JsonNode value = find(name);
    if (value == null) {
      return absent;
    }
    if (!value.isBoolean()) {
      throw malformed(path + name + " is neither true nor false", null);
    }
    return value.booleanValue();
  }

  /// @throws RequestRejectedException also if it is negative
  OptionalLong optionalNumber(String name) throws RequestRejectedException {
    JsonNode value = find(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0) {
      throw malformed(path + name + " is no whole number from 0 to 2^63 - 1", null);
    }
    return OptionalLong.of(value.longValue());
  }

  List<String> texts(String name, int countMax) throws RequestRejectedException {
    List<String> texts = new ArrayList<>();
    JsonNode array = find(name);
    if (array != null) {
      checkArray(path + name, array, countMax);
      for (int i = 0; i < array.size(); i++) {
        texts.add(text(path + name + "[" + i + "]", array.get(i)));
      }
    }
    return texts;
  }

  /// Byte strings of an array that must be there, whose number a rule of theirs limits.
  List<Bytes> listOfBytes(String name) throws RequestRejectedException {
    JsonNode array = required(name);
    checkArray(path + name, array, TOKENS_MAX);
    List<Bytes> values = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++) {
      values.add(bytes(path + name + "[" + i + "]", array.get(i)));
    }
    return values;
  }

  /// Clues of a request that is to be built: refusals of their own name the clue and the limit.
  ///
  /// @throws RequestRejectedException `CLUE_INVALID`
  List<String> clues(String name) throws RequestRejectedException {
    JsonNode array = find(name);
    return array == null ? List.of() : clues(path + name, array);
  }

  /// @throws RequestRejectedException `CLUE_INVALID`
  List<String> clue(String name) throws RequestRejectedException {
    JsonNode value = required(name);
    return clues(path + name, MAPPER.createArrayNode().add(value));
  }

  private static List<String> clues(String name, JsonNode array) throws RequestRejectedException {
    checkArray(name, array, TOKENS_MAX);
    List<String> clues = new ArrayList<>();
    for (JsonNode clue : array) {
      if (!clue.isString()) {
        throw malformed(name + " has what is no string", null);
      }
      clues.add(clue.stringValue());
    }
    ClueRules.check(clues);
    return clues;
  }

  /// Features by their codes.
  ///
  /// @param absent if the array is not there
  Set<Feature> features(String name, Set<Feature> absent) throws RequestRejectedException {
    JsonNode array = find(name);
    if (array == null) {
      return absent;
    }
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    checkArray(path + name, array, Feature.values().length);
    for (JsonNode code : array) {
      try {
        boolean number = code.isIntegralNumber() && code.canConvertToLong();
        if (!number || !features.add(Feature.ofCode(code.longValue()))) {
          throw malformed(path + name + " are no distinct whole numbers", null);
        }
      } catch (MalformedException e) {
        throw malformed(path + name + ": " + e.getMessage(), e);
      }
    }
    return features;
  }

  /// Digests in hex; none if the array is not there.
  List<Digest> optionalDigests(String name) throws RequestRejectedException {
    JsonNode array = find(name);
    if (array == null) {
      return List.of();
    }
    checkArray(path + name, array, TOKENS_MAX);
    List<Digest> digests = new ArrayList<>(array.size());
    for (JsonNode each : array) {
      if (!each.isString()) {
        throw malformed(path + name + " has what is no string", null);
      }
      digests.add(digest(path + name, each.stringValue()));
    }
    return digests;
  }

  /// The objects of an array that must be there; each is to be {@link #end ended} by itself.
  /// Objects whose number a rule of theirs limits.
  List<JsonInput> objects(String name) throws RequestRejectedException {
    return objects(name, TOKENS_MAX);
  }

  List<JsonInput> objects(String name, int countMax) throws RequestRejectedException {
    JsonNode array = required(name);
    checkArray(path + name, array, countMax);
    List<JsonInput> objects = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++) {
      String at = path + name + "[" + i + "]";
      if (!array.get(i).isObject()) {
        throw malformed(at + " is no object", null);
      }
      objects.add(new JsonInput(at + ".", array.get(i)));
    }
    return objects;
  }

  /// An object that must be there; to be {@link #end ended} by itself.
  JsonInput object(String name) throws RequestRejectedException {
    JsonNode value = required(name);
    if (!value.isObject()) {
      throw malformed(path + name + " is no object", null);
    }
    return new JsonInput(path + name + ".", value);
  }

  private static void checkArray(String name, JsonNode value, int countMax)
      throws RequestRejectedException {
    if (!value.isArray()) {
      throw malformed(name + " is no array", null);
    }
    if (value.size() > countMax) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              name + " has " + value.size() + " items, at most " + countMax)
          .withLimit(countMax);
    }
  }

  /// Refuses whatever nobody asked for: a misspelt field would otherwise be ignored in silence.
  void end() throws RequestRejectedException {
    for (String name : object.propertyNames()) {
      if (!taken.contains(name)) {
        throw malformed("there is no field " + path + Printable.of(name), null);
      }
    }
  }

  RequestRejectedException refused(String name, String why) {
    return malformed(path + name + " " + why, null);
  }

  @SuppressWarnings("NullAway") // a cause may be null
  private static RequestRejectedException malformed(String detail, @Nullable Throwable cause) {
    return new RequestRejectedException(RejectionCode.MALFORMED, detail, cause);
  }
}
