package io.tallystick.cli;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/// One slice per package of the project.
final class PackageSlices implements SliceAssignment {
  private static final String ROOT = "io.tallystick.";

  @Override
  public SliceIdentifier getIdentifierOf(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith(ROOT) ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
  }

  @Override
  public String getDescription() {
    return "packages of every module";
  }
}
