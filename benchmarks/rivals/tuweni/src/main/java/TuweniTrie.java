import java.nio.ByteBuffer;
import java.security.Security;
import java.util.Locale;
import java.util.SplittableRandom;
import org.apache.tuweni.bytes.Bytes;
import org.apache.tuweni.crypto.Hash;
import org.apache.tuweni.trie.MerklePatriciaTrie;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * Measures Apache Tuweni's Merkle Patricia trie: one batch of fresh keys inserted into a trie in
 * memory, root included, as benchmarks/rivals/README.md describes. One line of JSON per run.
 */
public final class TuweniTrie {
  private TuweniTrie() {}

  public static void main(String[] arguments) throws Exception {
    Security.addProvider(new BouncyCastleProvider());
    int base = Integer.parseInt(arguments[0]);
    int batch = Integer.parseInt(arguments[1]);
    int runs = Integer.parseInt(arguments[2]);
    SplittableRandom values = new SplittableRandom(1);
    MerklePatriciaTrie<Bytes> trie = MerklePatriciaTrie.storingBytes();
    long next = 0;
    for (int i = 0; i < base; i++) {
      trie.putAsync(key(next++), value(values)).join();
    }
    trie.rootHash();
    for (int run = 0; run < runs; run++) {
      Bytes[] keys = new Bytes[batch];
      Bytes[] fresh = new Bytes[batch];
      for (int i = 0; i < batch; i++) {
        keys[i] = key(next++);
        fresh[i] = value(values);
      }
      System.gc();
      long start = System.nanoTime();
      for (int i = 0; i < batch; i++) {
        trie.putAsync(keys[i], fresh[i]).join();
      }
      Bytes root = trie.rootHash();
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf(
          Locale.ROOT, Locale.ROOT, "{\"seconds\":%.6f,\"root\":\"%s\"}%n", seconds, root.toHexString());
    }
    System.exit(0);
  }

  private static Bytes key(long number) {
    byte[] name = ByteBuffer.allocate(16).putLong(1).putLong(number).array();
    return Hash.keccak256(Bytes.wrap(name));
  }

  private static Bytes value(SplittableRandom random) {
    byte[] value = new byte[38];
    random.nextBytes(value);
    return Bytes.wrap(value);
  }
}
