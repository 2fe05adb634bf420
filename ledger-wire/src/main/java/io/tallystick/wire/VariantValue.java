package io.tallystick.wire;

import io.tallystick.model.MalformedException;
import java.util.List;
import java.util.stream.Collectors;

/// The form of a closed family: the number of the variant, as the family lists them, and its form.
record VariantValue(List<RecordValue> variants) implements WireValue {
  VariantValue {
    variants = List.copyOf(variants);
  }

  @Override
  public void write(Object value, WireWriter out) {
    for (int i = 0; i < variants.size(); i++) {
      if (variants.get(i).type() == value.getClass()) {
        out.u8(i);
        variants.get(i).write(value, out);
        return;
      }
    }
    throw new AssertionError("no variant of the family: " + value.getClass());
  }

  @Override
  public Object read(WireReader in) throws MalformedException {
    int number = in.u8();
    if (number >= variants.size()) {
      throw new MalformedException("variant " + number + " of " + variants.size());
    }
    return variants.get(number).read(in);
  }

  @Override
  public String shape() {
    return variants.stream().map(RecordValue::shape).collect(Collectors.joining("|", "<", ">"));
  }
}
