package io.tallystick.cli.option;

import io.tallystick.model.Role;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A role as REST and the documents write it, or as it is printed: upper and lower case and `_` do
/// not matter.
public final class RoleName implements ITypeConverter<Role> {
  @Override
  public Role convert(String text) {
    String plain = text.replace("_", "");
    for (Role role : Role.values()) {
      if (role.name().replace("_", "").equalsIgnoreCase(plain)) {
        return role;
      }
    }
    throw new TypeConversionException(
        text + " is none of owner, regulator, normal, readOnly, verifyOnly");
  }
}
