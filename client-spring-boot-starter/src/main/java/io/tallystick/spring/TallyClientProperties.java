package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ServiceTarget;
import io.tallystick.client.TlsOptions;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ResourceUtils;
import org.springframework.util.unit.DataSize;

/// What an application says of its client. Defaults are those of the client.
///
/// @param target Where the service listens for gRPC: host:port, several with commas between, or
///   dns:///name:port. Without it there is no client.
/// @param trustDirectory Folder that holds what this client has pinned and verified. It must
///   outlive the application: without it a rollback goes unnoticed.
/// @param callTimeout Longest time that one attempt of a read may take.
/// @param retry How long a request that failed for a passing reason is repeated.
/// @param inFlightMax Most bytes of unanswered appends; more of them wait.
/// @param readerKey File of the member's private key that signs tokens for reading ledgers that are
///   not public. Without it, the key a ledger is founded or opened with signs them.
/// @param tls Files of transport security. Without them, a service that is not on this machine is
///   known by the issuers that Java trusts.
/// @param ledger Id of the ledger, in hex, of which the application gets a `LedgerHandle`. Without
///   it there is none.
/// @param key Location of the key with which that ledger is written, `file:` or `classpath:`; a
///   path alone is a file. Without it the ledger is only read.
/// @param healthTimeout Longest time that a health check waits for the service to answer.
@ConfigurationProperties("tallystick.client")
public record TallyClientProperties(
    @Nullable String target,
    @Nullable Path trustDirectory,
    @DefaultValue("10s") Duration callTimeout,
    @DefaultValue Retry retry,
    @DefaultValue("8MB") DataSize inFlightMax,
    @Nullable Path readerKey,
    @Nullable Tls tls,
    @Nullable String ledger,
    @Nullable String key,
    @DefaultValue("2s") Duration healthTimeout) {

  /// Repeating a request; the same bytes each time.
  ///
  /// @param backoffMin Pause before the second attempt, doubled each time.
  /// @param backoffMax Longest pause.
  /// @param timeMax No repeat begins later than this after the first attempt; 0s for none.
  public record Retry(
      @DefaultValue("50ms") Duration backoffMin,
      @DefaultValue("5s") Duration backoffMax,
      @DefaultValue("30s") Duration timeMax) {}

  /// Files in PEM.
  ///
  /// @param issuers Certificates to trust instead of those that Java trusts.
  /// @param certificate This client's own chain, where the service asks for one.
  /// @param privateKey Its key, PKCS#8, unencrypted.
  public record Tls(
      @Nullable Path issuers, @Nullable Path certificate, @Nullable Path privateKey) {}

  /// @throws IllegalStateException if one that has no default is missing
  /// @throws IOException if a file cannot be read, or is not what it should be
  ClientConfig toConfig() throws IOException {
    ClientConfig config = plainConfig();
    config = readerKey == null ? config : config.withReader(ClientKey.load(readerKey));
    return tls == null
        ? config
        : config.withTls(TlsOptions.of(tls.issuers, tls.certificate, tls.privateKey));
  }

  /// @throws IllegalStateException if there is none, or it is no id
  LedgerId ledgerId() {
    String hex = required(ledger, "ledger");
    try {
      return LedgerId.fromHex(hex);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "tallystick.client.ledger is no id of a ledger, want 64 hex digits: " + e.getMessage(),
          e);
    }
  }

  /// The keys the ledger is opened with, one at most.
  ///
  /// @throws IOException if there is no key at the location, or one that others can read
  ClientKey[] keys(ResourceLoader resources) throws IOException {
    if (key == null) {
      return new ClientKey[0];
    }
    if (!key.startsWith(ResourceLoader.CLASSPATH_URL_PREFIX)) {
      Path file = key.startsWith("file:") ? ResourceUtils.getFile(key).toPath() : Path.of(key);
      return new ClientKey[] {ClientKey.load(file)};
    }
    byte[] content = resources.getResource(key).getContentAsByteArray();
    try {
      return new ClientKey[] {ClientKey.parse(content, key)};
    } finally {
      Arrays.fill(content, (byte) 0);
    }
  }

  private ClientConfig plainConfig() {
    return ClientConfig.of(serviceTarget(), required(trustDirectory, "trust-directory"))
        .withCallTimeout(callTimeout)
        .withInFlightBytesMax(Math.toIntExact(inFlightMax.toBytes()))
        .withRetry(new RetryPolicy(retry.backoffMin(), retry.backoffMax(), retry.timeMax()));
  }

  private ServiceTarget serviceTarget() {
    try {
      return ServiceTarget.parse(required(target, "target"));
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException("tallystick.client.target: " + e.getMessage(), e);
    }
  }

  private static <T> T required(@Nullable T value, String name) {
    if (value == null) {
      throw new IllegalStateException("tallystick.client." + name + " is not set");
    }
    return value;
  }
}
