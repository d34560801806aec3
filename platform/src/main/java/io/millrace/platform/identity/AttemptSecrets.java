package io.millrace.platform.identity;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.interfaces.ECPrivateKey;
import java.util.Base64;

/**
 * The secret of each attempt, by which a queue manager or task manager proves that it is that
 * attempt: the numbers of attempts can be guessed. It is computed from the cluster's key, so that
 * every central manager knows it and none stores it; whether the attempt may still act is decided
 * by the database. Thread-safe; never blocks.
 */
public final class AttemptSecrets {
  private static final int LENGTH = 16;

  private final MessageCode code;

  public AttemptSecrets(ECPrivateKey clusterKey) {
    byte[] purpose = "millrace attempt secret".getBytes(StandardCharsets.US_ASCII);
    byte[] key = new MessageCode(clusterKey.getEncoded()).of(purpose, MessageCode.LENGTH);
    this.code = new MessageCode(key);
  }

  /** The secret of the attempt. */
  public String of(AttemptId attempt) {
    byte[] id =
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
            .putLong(attempt.job())
            .putInt(attempt.number())
            .array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(code.of(id, LENGTH));
  }

  /**
   * Refuses a secret that is not that of the attempt; takes the same time for every wrong one.
   *
   * @param secret as received; null for none
   * @throws MillraceException FORBIDDEN
   */
  public void require(AttemptId attempt, String secret) {
    boolean right =
        secret != null
            && MessageDigest.isEqual(
                of(attempt).getBytes(StandardCharsets.US_ASCII),
                secret.getBytes(StandardCharsets.UTF_8));
    if (!right) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the secret is not that of attempt %s; only the attempt itself may do this"
              .formatted(attempt));
    }
  }
}
