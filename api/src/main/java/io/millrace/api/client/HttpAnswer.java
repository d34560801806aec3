package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * One answer, read whole.
 *
 * @param status the HTTP status
 * @param headers names in lower case, first value only
 * @param body as received
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per answer would cost
public record HttpAnswer(int status, Map<String, String> headers, byte[] body) {
  public boolean ok() {
    return status < 300;
  }

  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** The body as a value, or the answer's problem as an exception. */
  public <T> T as(Class<T> type) {
    return Json.read(orThrow().body, type);
  }

  /** This answer, or its problem as an exception when it is not a success. */
  public HttpAnswer orThrow() {
    if (ok()) {
      return this;
    }
    throw problem();
  }

  private MillraceException problem() {
    if (headers.getOrDefault("content-type", "").startsWith(Problem.MEDIA_TYPE)) {
      return Json.read(body, Problem.class).toException();
    }
    return new MillraceException(
        ErrorCode.INTERNAL, "the server answered " + status + " without saying why: " + text());
  }
}
