package io.tallystick.cli;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/// One slice per top-level class of a package.
record ClassSlices(String packageName) implements SliceAssignment {
  @Override
  public SliceIdentifier getIdentifierOf(JavaClass type) {
    if (!type.getPackageName().equals(packageName)) {
      return SliceIdentifier.ignore();
    }
    JavaClass outermost = type;
    while (outermost.getEnclosingClass().isPresent()) {
      outermost = outermost.getEnclosingClass().get();
    }
    return SliceIdentifier.of(outermost.getName());
  }

  @Override
  public String getDescription() {
    return "classes of " + packageName;
  }
}
