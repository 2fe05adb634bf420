package io.tallystick.client;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Resolves several addresses as one target, which gRPC has no resolver for: each by gRPC's own
/// resolver of DNS, and all together are what calls are spread over. The certificate of each is
/// verified for its own name.
///
/// All is done in the channel's synchronization context.
final class SeveralAddresses extends NameResolver {
  /// No host can be called so.
  static final String SCHEME = "tallystick+several";

  private static final long AGAIN_SECONDS = 5;

  private final List<String> addresses;
  private final Args args;
  private final List<NameResolver> resolvers;
  private boolean again;

  /// Of each address what it resolves to, or why it does not; null: not known yet.
  private final List<@Nullable StatusOr<List<EquivalentAddressGroup>>> found;

  private SeveralAddresses(List<String> addresses, Args args) {
    this.addresses = addresses;
    this.args = args;
    Factory factory = NameResolverRegistry.getDefaultRegistry().asFactory();
    this.resolvers =
        addresses.stream()
            .map(address -> factory.newNameResolver(ServiceTarget.uri("dns", address), args))
            .toList();
    this.found = new ArrayList<>(Collections.nCopies(addresses.size(), null));
  }

  /// Lets gRPC find this resolver by its scheme.
  static void register() {
    NameResolverRegistry.getDefaultRegistry().register(Provider.INSTANCE);
  }

  private static final class Provider extends NameResolverProvider {
    static final Provider INSTANCE = new Provider();
    private static final int PRIORITY = 5;

    @Override
    protected boolean isAvailable() {
      return true;
    }

    @Override
    protected int priority() {
      return PRIORITY;
    }

    @Override
    public String getDefaultScheme() {
      return SCHEME;
    }

    @Override
    public @Nullable NameResolver newNameResolver(URI target, Args args) {
      return SCHEME.equals(target.getScheme())
          ? new SeveralAddresses(
              ServiceTarget.parse(target.getPath().substring(1)).addresses(), args)
          : null;
    }
  }

  @Override
  public String getServiceAuthority() {
    return addresses.getFirst();
  }

  @Override
  public void start(Listener2 listener) {
    for (int i = 0; i < addresses.size(); i++) {
      resolvers.get(i).start(new OfOne(i, listener));
    }
  }

  @Override
  public void refresh() {
    resolvers.forEach(NameResolver::refresh);
  }

  @Override
  public void shutdown() {
    resolvers.forEach(NameResolver::shutdown);
  }

  private final class OfOne extends Listener2 {
    private final int index;
    private final Listener2 all;

    OfOne(int index, Listener2 all) {
      this.index = index;
      this.all = all;
    }

    @Override
    public void onResult(ResolutionResult result) {
      Status unused = onResult2(result);
    }

    @Override
    public Status onResult2(ResolutionResult result) {
      StatusOr<List<EquivalentAddressGroup>> own = result.getAddressesOrError();
      if (!own.hasValue()) {
        failed(own.getStatus());
        return own.getStatus();
      }
      found.set(
          index,
          StatusOr.fromValue(
              own.getValue().stream().map(each -> named(each, addresses.get(index))).toList()));
      return show(all);
    }

    @Override
    public void onError(Status failure) {
      failed(failure);
    }

    /// What it resolved to before stays. gRPC's resolver of one name does not try again by itself.
    private void failed(Status failure) {
      StatusOr<List<EquivalentAddressGroup>> before = found.get(index);
      if (before == null || !before.hasValue()) {
        found.set(index, StatusOr.fromStatus(failure));
      }
      refreshLater();
      Status unused = show(all);
    }
  }

  private void refreshLater() {
    if (!again) {
      again = true;
      var unused =
          args.getSynchronizationContext()
              .schedule(
                  () -> {
                    again = false;
                    refresh();
                  },
                  AGAIN_SECONDS,
                  TimeUnit.SECONDS,
                  args.getScheduledExecutorService());
    }
  }

  private static EquivalentAddressGroup named(EquivalentAddressGroup group, String address) {
    return new EquivalentAddressGroup(
        group.getAddresses(),
        group.getAttributes().toBuilder()
            .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, address)
            .build());
  }

  /// An address that does not resolve, or not yet, does not keep the others waiting.
  private Status show(Listener2 all) {
    List<EquivalentAddressGroup> groups = new ArrayList<>();
    Status failure = Status.OK;
    for (StatusOr<List<EquivalentAddressGroup>> each : found) {
      if (each != null && each.hasValue()) {
        groups.addAll(each.getValue());
      } else if (each != null) {
        failure = each.getStatus();
      }
    }
    if (!groups.isEmpty()) {
      return all.onResult2(
          ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromValue(groups)).build());
    }
    if (!failure.isOk() && !found.contains(null)) {
      return all.onResult2(
          ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromStatus(failure)).build());
    }
    return failure;
  }
}
