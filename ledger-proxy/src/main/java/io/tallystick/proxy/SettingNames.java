package io.tallystick.proxy;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/// The names of all settings, as far as they were looked for.
final class SettingNames implements BindHandler {
  private final Set<ConfigurationPropertyName> names = new HashSet<>();

  @Override
  public <T> Bindable<T> onStart(
      ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
    names.add(name);
    return target;
  }

  /// @throws IllegalArgumentException if the file names what is no setting
  void refuseOthersIn(SettingsFile file) {
    String others =
        file.values().keySet().stream()
            .filter(each -> !names.contains(ConfigurationPropertyName.of(each)))
            .sorted()
            .collect(Collectors.joining(", "));
    if (!others.isEmpty()) {
      throw new IllegalArgumentException(
          others + ": no setting has this name (docs/configuration.md)");
    }
  }
}
