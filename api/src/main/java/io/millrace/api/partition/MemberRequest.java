package io.millrace.api.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import java.time.Duration;

/**
 * Joins a group, or says in time that one still lives (C-06).
 *
 * @param name of the member, such as its host's
 * @param ttl how long it may be silent before it counts as lost; 3 s to 1 h, 10 s unless given
 * @param term the answer's to the joining, with which its own life goes on; null begins a new life,
 *     which ends an earlier one of the same name
 */
public record MemberRequest(String name, Duration ttl, Long term) {
  private static final Duration USUAL = Duration.ofSeconds(10);
  private static final Duration LEAST = Duration.ofSeconds(3);
  private static final Duration MOST = Duration.ofHours(1);

  public MemberRequest {
    Names.require("name", name, ErrorCode.INVALID_REQUEST);
    ttl = ttl == null ? USUAL : ttl;
    if (ttl.compareTo(LEAST) < 0 || ttl.compareTo(MOST) > 0) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "ttl is 3s to 1h");
    }
  }
}
