package io.tallystick.cli;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Set;

/// One slice per package of ledger-core; all other classes are in none.
final class CoreSlices implements SliceAssignment {
  private static final String ROOT = "io.tallystick.";
  private static final Set<String> PACKAGES =
      Set.of(
          "cbor",
          "cose",
          "crypto",
          "evidence",
          "head",
          "journal",
          "lineage",
          "merkle",
          "merkle.patricia",
          "model",
          "note",
          "receipt");

  @Override
  public SliceIdentifier getIdentifierOf(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith(ROOT) && PACKAGES.contains(name.substring(ROOT.length()))
        ? SliceIdentifier.of(name)
        : SliceIdentifier.ignore();
  }

  @Override
  public String getDescription() {
    return "packages of ledger-core";
  }
}
