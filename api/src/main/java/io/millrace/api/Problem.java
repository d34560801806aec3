package io.millrace.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Problem details of RFC 9457 with Millrace's stable code.
 *
 * @param type a URI reference that names the kind of problem
 * @param title the code as text
 * @param status the HTTP status
 * @param code the {@link ErrorCode} by name; unknown names of newer servers are kept as they are
 * @param detail what happened, to what, and what to do
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(String type, String title, int status, String code, String detail) {
  /** The media type of a problem body. */
  public static final String MEDIA_TYPE = "application/problem+json";

  public static Problem of(ErrorCode code, String detail) {
    String words = code.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    return new Problem(
        "urn:millrace:problem:" + words.replace(' ', '-'),
        words,
        code.status(),
        code.name(),
        detail);
  }

  /** The problem as an exception; a code that this version does not know becomes INTERNAL. */
  public MillraceException toException() {
    return new MillraceException(knownCode(), detail == null ? title : detail);
  }

  private ErrorCode knownCode() {
    for (ErrorCode known : ErrorCode.values()) {
      if (known.name().equals(code)) {
        return known;
      }
    }
    return ErrorCode.INTERNAL;
  }
}
