package io.millrace.api.insight;

import java.time.Duration;
import java.time.Instant;

/**
 * Problems that an operator has silenced for a time: they are still listed, but neither sent on nor
 * counted.
 *
 * @param id its number
 * @param code of the problems
 * @param subject of the problem; null for every subject
 * @param until its end, by the database's clock
 * @param reason human-readable
 * @param by who set it
 * @param at when
 */
public record ProblemSilence(
    long id, String code, String subject, Instant until, String reason, String by, Instant at) {
  /**
   * Silences problems; replaces a silence of the same code and subject.
   *
   * @param code of the problems
   * @param subject of the problem; null for every subject
   * @param duration how long
   * @param reason human-readable
   */
  public record SilenceRequest(String code, String subject, Duration duration, String reason) {}

  /** Whether it silences problems of that code and subject. */
  public boolean covers(String otherCode, String otherSubject) {
    return code.equals(otherCode) && (subject == null || subject.equals(otherSubject));
  }
}
