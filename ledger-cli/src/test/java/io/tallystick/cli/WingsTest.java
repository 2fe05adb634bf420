package io.tallystick.cli;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.List;

/// Goal: inside a large module each package sees only those that it is meant to see. That no two
/// packages see each other is {@link ArchitectureTest}'s.
@AnalyzeClasses(
    packages = "io.tallystick.cli",
    importOptions = ImportOption.DoNotIncludeTests.class)
class WingsTest {
  /// What every command may use.
  private static final List<String> BELOW = List.of("option", "text", "terminal", "process");

  /// Packages of commands that see no other commands.
  private static final List<String> WINGS =
      List.of("audit", "journal", "member", "operator", "proposal", "state");

  @ArchTest static final ArchRule COMMANDS_SEE_OPTIONS_TEXTS_AND_NO_OTHER_COMMANDS = commands();

  private static ArchRule commands() {
    LayeredArchitecture layers =
        layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.tallystick.cli..")
            .ensureAllClassesAreContainedInArchitecture()
            .layer("tally")
            .definedBy("io.tallystick.cli")
            .layer("demo")
            .definedBy("io.tallystick.cli.demo")
            .layer("removal")
            .definedBy("io.tallystick.cli.removal");
    for (String below : BELOW) {
      layers = layers.layer(below).definedBy("io.tallystick.cli." + below);
    }
    String[] seen = BELOW.toArray(String[]::new);
    for (String wing : WINGS) {
      layers = layers.layer(wing).definedBy("io.tallystick.cli." + wing);
      layers = layers.whereLayer(wing).mayOnlyAccessLayers(seen);
    }
    return layers
        .whereLayer("tally")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("removal")
        .mayOnlyAccessLayers("proposal", "option", "text", "terminal", "process")
        .whereLayer("demo")
        .mayOnlyAccessLayers("terminal", "process")
        .whereLayer("option")
        .mayOnlyAccessLayers("terminal", "process")
        .whereLayer("text")
        .mayOnlyAccessLayers("terminal")
        .whereLayer("terminal")
        .mayNotAccessAnyLayer()
        .whereLayer("process")
        .mayNotAccessAnyLayer();
  }
}
