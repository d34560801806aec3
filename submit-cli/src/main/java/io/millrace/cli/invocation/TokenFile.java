package io.millrace.cli.invocation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file that holds one token: a single word of printable ASCII, with white space around it. Reads
 * at most 16 KiB, so that a wrong file is neither sent nor repeated in a message. Thread-safe.
 */
public final class TokenFile {
  private static final int MAX_BYTES = 16 * 1024;

  private TokenFile() {}

  /** The token; empty if the file contains something else. Blocks on the file. */
  public static Optional<String> read(Path file) throws IOException {
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes(MAX_BYTES + 1);
    }
    String token = new String(content, StandardCharsets.UTF_8).strip();
    boolean oneWord =
        !token.isEmpty()
            && content.length <= MAX_BYTES
            && token.chars().allMatch(letter -> letter > ' ' && letter < 0x7f);
    return oneWord ? Optional.of(token) : Optional.empty();
  }
}
