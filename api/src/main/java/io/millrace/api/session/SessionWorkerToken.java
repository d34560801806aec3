package io.millrace.api.session;

import java.time.Duration;

/**
 * A token for the session workers of one queue, which queue nodes accept and nobody else.
 *
 * @param token the token
 * @param validFor how long it is valid; to be renewed at the latest after half of it
 */
public record SessionWorkerToken(String token, Duration validFor) {
  /** Without the token. */
  @Override
  public String toString() {
    return "SessionWorkerToken[validFor=" + validFor + "]";
  }
}
