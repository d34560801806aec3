package io.millrace.cli.migration;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of steps from those of other systems. Pure. */
final class StepNames {
  private static final int LONGEST = 200;
  private static final int KEPT = 180;
  private static final int HASH_BYTES = 8;

  private StepNames() {}

  /** The name itself, or its beginning and a hash if it is too long. */
  static String of(String name) {
    if (name.length() <= LONGEST) {
      return name;
    }
    int end = Character.isHighSurrogate(name.charAt(KEPT - 1)) ? KEPT - 1 : KEPT;
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return name.substring(0, end) + "-" + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
