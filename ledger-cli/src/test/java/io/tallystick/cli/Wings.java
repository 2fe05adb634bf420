package io.tallystick.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.List;

/// Goal: inside a large module each package sees only those that it is meant to see. That no two
/// packages see each other is {@link ArchitectureTest}'s, which runs these rules too.
final class Wings {
  private static final String CLI = "io.tallystick.cli";
  private static final String CLIENT = "io.tallystick.client";

  /// What every command may use.
  private static final String[] BELOW = {"option", "text", "terminal", "process"};

  /// Packages of commands that see no other commands.
  private static final List<String> WINGS =
      List.of("audit", "journal", "member", "operator", "proposal", "state");

  @ArchTest static final ArchRule COMMANDS_SEE_OPTIONS_TEXTS_AND_NO_OTHER_COMMANDS = commands();

  /// What reads and what sends are built on what is read; the client's handles alone see all.
  @ArchTest static final ArchRule THE_CLIENTS_PACKAGES_STAND_IN_ORDER = client();

  /// Java has no access that ends at the module; applications are told so by the name.
  @ArchTest
  static final ArchRule WHAT_IS_INTERNAL_TO_THE_CLIENT_IS_USED_BY_IT_ALONE =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              CLIENT, CLIENT + ".internal..", CLIENT + ".lineage", CLIENT + ".state")
          .should()
          .dependOnClassesThat(
              resideInAPackage(CLIENT + ".internal..")
                  .or(
                      resideInAnyPackage(CLIENT + ".lineage", CLIENT + ".state")
                          .and(simpleName("LineageReader").or(simpleName("StateReader")))));

  @ArchTest
  static final ArchRule CLASSES_OF_THE_EDGE_FORM_NO_CYCLE =
      slices().assignedFrom(new ClassSlices("io.tallystick.proxy.edge")).should().beFreeOfCycles();

  @ArchTest
  static final ArchRule A_NODES_FACE_READS_NO_FILES =
      noClasses()
          .that()
          .resideInAPackage("io.tallystick.node")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.tallystick.durable..");

  private static ArchRule commands() {
    LayeredArchitecture layers =
        layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(CLI + "..")
            .ensureAllClassesAreContainedInArchitectureIgnoring(not(resideInAPackage(CLI + "..")))
            .layer("tally")
            .definedBy(CLI);
    layers = layers(layers, CLI, "demo", "removal");
    layers = layers(layers, CLI, BELOW);
    for (String wing : WINGS) {
      layers = layers(layers, CLI, wing).whereLayer(wing).mayOnlyAccessLayers(BELOW);
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

  private static ArchRule client() {
    LayeredArchitecture layers =
        layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(CLIENT + "..")
            .ensureAllClassesAreContainedInArchitectureIgnoring(
                not(resideInAPackage(CLIENT + "..")))
            .layer("client")
            .definedBy(CLIENT)
            .optionalLayer("tests of applications")
            .definedBy(CLIENT + ".testkit", CLIENT + ".testcontainers");
    layers = layers(layers, CLIENT, "failure", "trust", "wire", "journal", "member");
    layers = layers(layers, CLIENT, "lineage", "state");
    layers = layers(layers, CLIENT, "internal.read", "internal.append", "internal.key");
    return layers
        .whereLayer("client")
        .mayOnlyBeAccessedByLayers("tests of applications")
        .whereLayer("state")
        .mayOnlyAccessLayers("internal.read", "journal", "trust", "wire", "failure")
        .whereLayer("lineage")
        .mayOnlyAccessLayers("internal.read", "journal", "trust", "wire", "failure")
        .whereLayer("internal.read")
        .mayOnlyAccessLayers("journal", "member", "trust", "wire", "failure")
        .whereLayer("internal.append")
        .mayOnlyAccessLayers("trust", "wire", "failure")
        .whereLayer("internal.key")
        .mayNotAccessAnyLayer()
        .whereLayer("journal")
        .mayOnlyAccessLayers("failure")
        .whereLayer("member")
        .mayNotAccessAnyLayer();
  }

  private static LayeredArchitecture layers(
      LayeredArchitecture to, String root, String... packages) {
    LayeredArchitecture layers = to;
    for (String each : packages) {
      layers = layers.layer(each).definedBy(root + "." + each);
    }
    return layers;
  }
}
