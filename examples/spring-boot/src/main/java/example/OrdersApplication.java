package example;

import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/// An application whose orders stand in a ledger. The starter makes the client of the properties.
@SpringBootApplication
public class OrdersApplication {
  public static void main(String[] args) {
    SpringApplication.run(OrdersApplication.class, args);
  }

  /// One handle for the application; it is thread-safe. A real application founds its ledger once
  /// and then opens it by its id, which it is given as a setting.
  @Bean
  LedgerHandle orders(TallyClient client, @Value("${orders.key-file}") Path keyFile)
      throws TallyException, IOException {
    return client.createLedger("orders", List.of(key(keyFile)), LedgerOptions.DEFAULT.withState());
  }

  private static ClientKey key(Path file) throws IOException {
    if (Files.exists(file)) {
      return ClientKey.load(file);
    }
    ClientKey key = ClientKey.generate();
    Files.createDirectories(file.toAbsolutePath().getParent());
    key.save(file);
    return key;
  }

  @Bean
  CommandLineRunner day(OrderBook book) {
    return unused -> {
      book.place("order 17", "3 chairs");
      book.ship("order 17");
      System.out.println("order 17 is " + book.stateOf("order 17"));
    };
  }
}
