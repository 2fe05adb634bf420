package io.tallystick.image;

import io.tallystick.image.Pod.Container;
import io.tallystick.image.Pod.Mount;
import io.tallystick.image.Pod.Probe;
import io.tallystick.image.Pod.Security;
import io.tallystick.image.Pod.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/// A rendered chart. Of the StatefulSet each field is translated, is known to change nothing of the
/// container, or is an error.
final class Manifests {
  private static final String STATEFUL_SET = "StatefulSet";

  private final List<Map<String, Object>> documents = new ArrayList<>();

  Manifests(Path file) throws IOException {
    for (Object document : new Yaml().loadAll(Files.readString(file))) {
      if (document instanceof Map<?, ?> fields) {
        Map<String, Object> copy = new HashMap<>();
        fields.forEach((name, value) -> copy.put((String) name, value));
        documents.add(copy);
      }
    }
  }

  /// The entries of each ConfigMap, as `configMap/NAME`.
  Map<String, Map<String, String>> configMaps() {
    Map<String, Map<String, String>> found = new HashMap<>();
    for (Map<String, Object> document : documents) {
      if ("ConfigMap".equals(document.get("kind"))) {
        Fields fields = new Fields("ConfigMap", document);
        found.put(
            "configMap/" + fields.object("metadata").text("name"), fields.textsByName("data"));
      }
    }
    return found;
  }

  /// The first pod of the only StatefulSet.
  Pod pod() {
    List<Map<String, Object>> sets =
        documents.stream().filter(each -> STATEFUL_SET.equals(each.get("kind"))).toList();
    if (sets.size() != 1) {
      throw new AssertionError(sets.size() + " StatefulSets, want 1");
    }
    Fields root = new Fields(STATEFUL_SET, sets.getFirst());
    root.without("apiVersion", "kind");
    Fields metadata = root.object("metadata");
    metadata.without("namespace", "labels");
    String name = metadata.text("name") + "-0";
    Fields spec = root.object("spec");
    spec.only("replicas", 1);
    spec.without("serviceName", "selector", "persistentVolumeClaimRetentionPolicy");
    Map<String, Source> volumes = new LinkedHashMap<>();
    for (Fields claim : spec.objects("volumeClaimTemplates")) {
      claim.without("apiVersion", "kind");
      claim.object("spec").without("accessModes", "storageClassName", "resources");
      Fields of = claim.object("metadata");
      of.without("labels", "annotations");
      String volume = of.text("name");
      volumes.put(volume, new Source.Claim(volume));
    }
    Fields template = spec.object("template");
    template.object("metadata").without("labels", "annotations");
    Pod pod = pod(name, template.object("spec"), volumes);
    root.end();
    return pod;
  }

  private static Pod pod(String name, Fields spec, Map<String, Source> volumes) {
    // Either would put something into the container.
    spec.must("automountServiceAccountToken", false);
    spec.must("enableServiceLinks", false);
    // Where the pod runs, and not how.
    spec.without("priorityClassName", "nodeSelector", "tolerations", "affinity");
    spec.without("imagePullSecrets");
    for (Fields volume : spec.objects("volumes")) {
      volumes.put(volume.text("name"), source(volume));
    }
    Fields security = spec.object("securityContext");
    security.object("seccompProfile").only("type", "RuntimeDefault"); // the engine's own
    security.only("fsGroupChangePolicy", "OnRootMismatch"); // volumes are new here
    int user = security.number("runAsUser");
    if (security.flagIfAny("runAsNonRoot") && user == 0) {
      throw new AssertionError("runAsUser is root's, and runAsNonRoot is true");
    }
    List<Fields> containers = spec.objects("containers");
    if (containers.size() != 1) {
      throw new AssertionError(containers.size() + " containers, want 1");
    }
    return new Pod(
        name,
        user + ":" + security.number("runAsGroup"),
        security.number("fsGroup"),
        spec.number("terminationGracePeriodSeconds"),
        container(containers.getFirst()),
        volumes);
  }

  private static Container container(Fields of) {
    of.without("name");
    of.without("imagePullPolicy"); // it is there
    Map<String, String> environment = new LinkedHashMap<>();
    for (Fields each : of.objects("env")) {
      environment.put(each.text("name"), plain(each.text("value")));
    }
    Map<String, Integer> ports = new LinkedHashMap<>();
    for (Fields each : of.objects("ports")) {
      ports.put(each.text("name"), each.number("containerPort"));
    }
    List<Mount> mounts = new ArrayList<>();
    for (Fields each : of.objects("volumeMounts")) {
      mounts.add(new Mount(each.text("name"), each.text("mountPath"), each.flagIfAny("readOnly")));
    }
    Fields security = of.object("securityContext");
    Fields capabilities = security.object("capabilities");
    Fields resources = of.object("resources");
    Fields asked = resources.object("requests");
    asked.without("memory"); // for the choice of a node
    return new Container(
        of.text("image"),
        of.texts("command").stream().map(Manifests::plain).toList(),
        of.texts("args").stream().map(Manifests::plain).toList(),
        environment,
        ports,
        new Security(
            security.flagIfAny("readOnlyRootFilesystem"),
            !security.has("allowPrivilegeEscalation") || security.flag("allowPrivilegeEscalation"),
            capabilities.texts("drop")),
        cpus(asked.scalar("cpu")),
        bytes(resources.object("limits").scalar("memory")),
        probe(of.object("startupProbe")),
        probe(of.object("livenessProbe")),
        probe(of.object("readinessProbe")),
        mounts);
  }

  /// Without a reference to a variable, which Kubernetes would replace.
  private static String plain(String text) {
    if (text.contains("$(")) {
      throw new AssertionError(text + " refers to a variable");
    }
    return text;
  }

  private static Probe probe(Fields of) {
    Fields get = of.object("httpGet");
    get.only("scheme", "HTTP");
    return new Probe(
        get.text("path"),
        get.text("port"),
        of.number("periodSeconds"),
        of.number("timeoutSeconds"),
        of.number("failureThreshold"));
  }

  private static Source source(Fields volume) {
    if (volume.has("emptyDir")) {
      return new Source.Empty(bytes(volume.object("emptyDir").scalar("sizeLimit")));
    }
    if (volume.has("persistentVolumeClaim")) {
      return new Source.Claim(volume.object("persistentVolumeClaim").text("claimName"));
    }
    if (volume.has("secret")) {
      return entries("secret", "secretName", volume);
    }
    return entries("configMap", "name", volume);
  }

  private static Source entries(String kind, String nameField, Fields volume) {
    Fields of = volume.object(kind);
    Map<String, String> items = new LinkedHashMap<>();
    for (Fields item : of.objects("items")) {
      items.put(item.text("key"), item.text("path"));
    }
    return new Source.Entries(kind + "/" + of.text(nameField), of.number("defaultMode"), items);
  }

  private static double cpus(String quantity) {
    return quantity.endsWith("m")
        ? Integer.parseInt(quantity.substring(0, quantity.length() - 1)) / 1000.0
        : Integer.parseInt(quantity);
  }

  private static long bytes(String quantity) {
    String unit = quantity.substring(quantity.length() - 2);
    long count = Long.parseLong(quantity.substring(0, quantity.length() - 2));
    return switch (unit) {
      case "Ki" -> count << 10;
      case "Mi" -> count << 20;
      case "Gi" -> count << 30;
      default -> throw new AssertionError(quantity + " has no unit that is known here");
    };
  }
}
