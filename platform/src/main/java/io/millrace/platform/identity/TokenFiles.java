package io.millrace.platform.identity;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A folder with one token file (mode 0600) per role of users. */
public final class TokenFiles {
  private static final List<Role> ROLES =
      List.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER, Role.VIEWER);

  private TokenFiles() {}

  /** The token file of a role. */
  public static Path of(Path folder, Role role) {
    return folder.resolve(role.label() + ".token");
  }

  /** Issues missing tokens; requires {@link KeyFiles#ensure}. */
  public static void ensure(Path folder, TokenIssuer issuer) {
    if (!ROLES.stream().allMatch(role -> Files.exists(of(folder, role)))) {
      PrivateFiles.exclusively(folder, () -> make(folder, issuer));
    }
  }

  private static void make(Path folder, TokenIssuer issuer) {
    for (Role role : ROLES) {
      Path file = of(folder, role);
      if (!Files.exists(file)) {
        String token = issuer.issue(Principal.of(role, role.label()), Optional.empty());
        PrivateFiles.write(file, token + "\n");
      }
    }
  }

  /** Reads a token file. */
  public static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "there is no readable token in "
              + file
              + "; the central manager writes them into its tokens"
              + " folder (mode 0600, its own user)",
          e);
    }
  }
}
