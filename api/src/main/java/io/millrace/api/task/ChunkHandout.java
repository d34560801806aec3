package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Instant;

/**
 * A chunk for a program that asks for one (H-020). It is leased to the program until {@code until};
 * if it is not reported as done in time, it is handed out again.
 *
 * @param position in the run, from 0
 * @param chunk its text
 * @param left chunks after it
 * @param token to be sent with the report about it; null for one without a lease
 * @param until when it is handed out again, by the database's clock; null for never
 * @param attempt how often it was handed out, including this time
 */
public record ChunkHandout(
    long position, String chunk, long left, String token, Instant until, int attempt) {
  /** Does not show the token. */
  @Override
  public String toString() {
    return "ChunkHandout[position=%d, chunk=%s, left=%d, until=%s, attempt=%d]"
        .formatted(position, chunk, left, until, attempt);
  }

  /**
   * A program's report about a chunk.
   *
   * @param token as handed out with the chunk
   * @param reason why it failed, human-readable; null for none
   */
  public record ChunkReport(String token, String reason) {
    private static final int LONGEST_REASON = 1_000;

    public ChunkReport {
      if (token == null || token.isBlank()) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "token is missing: send the one that came with the chunk");
      }
      if (reason != null && reason.length() > LONGEST_REASON) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "a reason has at most " + LONGEST_REASON + " characters");
      }
    }

    /** Does not show the token. */
    @Override
    public String toString() {
      return "ChunkReport[reason=%s]".formatted(reason);
    }

    /**
     * Numbers from a task's shared counter, each handed out once (H-020).
     *
     * @param first the first one, from 1
     * @param count how many consecutive numbers
     */
    public record CounterValue(long first, int count) {}
  }
}
