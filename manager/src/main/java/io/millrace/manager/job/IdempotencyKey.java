package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.identity.Sha256;
import java.util.regex.Pattern;

/** What a client sends with each repetition of one submission. Stateless. */
public final class IdempotencyKey {
  private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,200}");

  private IdempotencyKey() {}

  /**
   * What is stored of a key.
   *
   * @throws MillraceException INVALID_REQUEST if it is too long or has other characters
   */
  public static String hash(String key) {
    if (!KEY.matcher(key).matches()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "Idempotency-Key: use 1 to 200 visible ASCII characters, for instance a UUID");
    }
    return Sha256.of(key);
  }
}
