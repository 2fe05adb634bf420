package io.tallystick.testkit.vectors;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import com.google.gson.reflect.TypeToken;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One golden vector: an operation, its inputs in hex, and what must come of it.
///
/// @param name topic and file name, such as `request/unknown-key`; for a negative vector the attack
/// @param fields `desc`, `op`, the inputs, `wantErr`, and `wantCode` or `want`
public record Vector(String name, Map<String, Object> fields) {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .disableHtmlEscaping()
          .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
          .setStrictness(Strictness.STRICT)
          .create();

  public Vector {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  static Vector parse(String name, String json) {
    return new Vector(name, GSON.fromJson(json, new TypeToken<Map<String, Object>>() {}));
  }

  public String json() {
    return GSON.toJson(fields) + "\n";
  }

  public String text(String field) {
    return (String) get(field);
  }

  public long number(String field) {
    return (Long) get(field);
  }

  public Bytes bytes(String field) {
    return Bytes.fromHex(text(field));
  }

  public Digest digest(String field) {
    return Digest.of(bytes(field));
  }

  public List<Bytes> listOfBytes(String field) {
    return list(field).stream().map(item -> Bytes.fromHex((String) item)).toList();
  }

  public List<?> list(String field) {
    return (List<?>) get(field);
  }

  public boolean wantErr() {
    return (Boolean) get("wantErr");
  }

  public Optional<Object> find(String field) {
    return Optional.ofNullable(fields.get(field));
  }

  private Object get(String field) {
    return find(field)
        .orElseThrow(() -> new IllegalArgumentException(name + " has no field " + field));
  }

  @Override
  public String toString() {
    return name;
  }
}
