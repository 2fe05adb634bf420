package io.tallystick.proxy;

import io.tallystick.model.Printable;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.ClassUtils;

/// The names of all settings, as far as they were looked for.
final class SettingNames implements BindHandler {
  private final Set<ConfigurationPropertyName> names = new HashSet<>();

  @Override
  public <T> Bindable<T> onStart(
      ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
    names.add(name);
    return target;
  }

  /// The settings of a process that is no service, from its file alone.
  ///
  /// @throws IllegalArgumentException saying in one line what is wrong, also if the file names
  ///   another setting
  static <T> T only(SettingsFile file, String prefix, Class<T> type) {
    SettingNames names = new SettingNames();
    T settings;
    try {
      settings =
          new Binder(new MapConfigurationPropertySource(file.values()))
              .bindOrCreate(prefix, Bindable.of(type), names);
    } catch (BindException e) {
      throw new IllegalArgumentException(whatIsWrong(e), e);
    }
    String others = names.othersIn(file);
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(
          others + ": no setting of this process (docs/operations/cluster.md)");
    }
    return settings;
  }

  /// @throws IllegalArgumentException if the file names what is no setting
  void refuseOthersIn(SettingsFile file) {
    String others = othersIn(file);
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(
          others + ": no setting has this name (docs/configuration.md)");
    }
  }

  private String othersIn(SettingsFile file) {
    return file.values().keySet().stream()
        .filter(each -> !names.contains(ConfigurationPropertyName.of(each)))
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /// In the words of the record that refused a value, or of what could not read one.
  static String whatIsWrong(BindException failure) {
    Throwable last = failure;
    for (Throwable each = failure; each != null; each = each.getCause()) {
      String said = String.valueOf(each.getMessage());
      if (each.getClass() == IllegalArgumentException.class && said.startsWith("tallystick.")) {
        return said;
      }
      last = each;
    }
    return failure.getName() + ": " + whyUnread(failure, last);
  }

  /// Why a value could not be read, in words for whoever gave it.
  ///
  /// @param last the cause of all
  private static String whyUnread(BindException failure, Throwable last) {
    ConfigurationProperty property = failure.getProperty();
    String given = property == null ? "" : String.valueOf(property.getValue()).strip();
    if (property != null && given.isEmpty()) {
      return "it is empty; leave it out, or give a value";
    }
    if (!(last instanceof NumberFormatException)) {
      return String.valueOf(last.getMessage());
    }
    Class<?> wanted =
        ClassUtils.resolvePrimitiveIfNecessary(failure.getTarget().getType().toClass());
    String limit =
        wanted == Integer.class
            ? " of at most " + Integer.MAX_VALUE
            : wanted == Long.class ? " of at most " + Long.MAX_VALUE : "";
    return String.format(
        Locale.ROOT,
        "\"%s\" is no %snumber%s",
        Printable.of(given),
        limit.isEmpty() ? "" : "whole ",
        limit);
  }
}
