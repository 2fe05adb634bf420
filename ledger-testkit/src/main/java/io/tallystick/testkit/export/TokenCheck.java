package io.tallystick.testkit.export;

import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.time.ListedTokens;
import io.tallystick.time.TimeQuery;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TrustedAuthorities;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The time-stamp tokens of this project, for comparison with those of others: asks as the service
/// does and judges as `tally audit --tsa-ca` does. Each line of its input is one task, answered
/// with one line, in order:
///
/// - `query IMPRINT FILE` writes a question;
/// - `token RESPONSE FILE` writes the token of an answer;
/// - `check TOKEN IMPRINT CA` answers `accepted GENTIME`, in ms.
///
/// What is refused is answered with `refused` and the reason.
public final class TokenCheck {
  private static final TimeTokens TOKENS = new Rfc3161Tokens();

  private TokenCheck() {}

  /// @param args none
  public static void main(String[] args) throws IOException, MalformedException {
    BufferedReader tasks =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String task = tasks.readLine(); task != null; task = tasks.readLine()) {
      System.out.println(answer(task.split(" ")));
    }
  }

  private static String answer(String[] words) throws IOException, MalformedException {
    try {
      return switch (words[0]) {
        case "query" -> {
          TimeQuery query = new TimeQuery(Digest.fromHex(words[1]), BigInteger.TWO, null);
          Files.write(Path.of(words[2]), TOKENS.query(query).toArray());
          yield "asked";
        }
        case "token" -> {
          Files.write(Path.of(words[2]), TOKENS.tokenOf(file(words[1])).toArray());
          yield "granted";
        }
        case "check" -> {
          TrustedAuthorities trusted = TrustedAuthorities.decode(file(words[3]));
          ListedTokens listed = new ListedTokens(TOKENS, trusted);
          yield "accepted " + listed.genTimeMs(file(words[1]), Digest.fromHex(words[2]));
        }
        default -> throw new IllegalArgumentException("no task: " + words[0]);
      };
    } catch (TokenRefusedException | ProofRejectedException e) {
      return "refused " + e.getMessage();
    }
  }

  private static Bytes file(String name) throws IOException {
    return Bytes.wrap(Files.readAllBytes(Path.of(name)));
  }
}
