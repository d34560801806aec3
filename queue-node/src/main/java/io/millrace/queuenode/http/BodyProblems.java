package io.millrace.queuenode.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/** Says what is wrong with a body of events, and where. */
final class BodyProblems {
  private BodyProblems() {}

  static MillraceException malformed(JsonProcessingException failure) {
    JsonLocation place = failure.getLocation() == null ? JsonLocation.NA : failure.getLocation();
    return malformed(failure.getOriginalMessage(), place, failure);
  }

  static MillraceException malformed(String words, JsonLocation place, Exception cause) {
    return new MillraceException(
        ErrorCode.MALFORMED_BODY,
        "line "
            + Math.max(1, place.getLineNr())
            + ", column "
            + Math.max(1, place.getColumnNr())
            + " is not JSON: "
            + words
            + "; nothing of the batch was stored",
        cause);
  }

  static MillraceException invalid(int line, String words) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "the event of line " + line + " " + words + "; nothing of the batch was stored");
  }
}
