package io.millrace.cli.connection;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/** A token kept in a file, read once when first needed. Not thread-safe before that. */
final class TokenFile implements Supplier<String> {
  private final Path path;
  private String token;

  /** Null stands for no token. */
  TokenFile(Path path) {
    this.path = path;
  }

  @Override
  public String get() {
    if (token == null && path != null) {
      token = read();
    }
    return token;
  }

  private String read() {
    try {
      return Files.readString(path).strip();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNAUTHENTICATED,
          "the token file "
              + path
              + " cannot be read ("
              + e.getClass().getSimpleName()
              + "); name another with --token-file or MILLRACE_TOKEN_FILE",
          e);
    }
  }
}
