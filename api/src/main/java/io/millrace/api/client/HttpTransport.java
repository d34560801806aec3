package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sends an HTTP request and returns the answer; implementations never repeat a request themselves.
 * Thread-safe.
 */
public interface HttpTransport {
  /**
   * Sends the request and reads the complete answer. Blocks up to the request's time-out, however
   * slowly the answer arrives.
   *
   * @throws AnswerTooLargeException when the answer is larger than the request allows
   * @throws NothingSentException when no connection was made: the server has seen nothing
   * @throws IOException when the outcome is unknown
   */
  HttpAnswer send(HttpCall call) throws IOException;

  /**
   * Sends the request and returns the answer's body as a stream. Closing the stream ends the
   * exchange. An answer of 300 or above is read within the same bounds and thrown as its problem.
   */
  InputStream stream(HttpCall call) throws IOException;

  /**
   * One request.
   *
   * @param method GET, POST, PUT or DELETE
   * @param uri absolute
   * @param headers as sent, without Host and Content-Length
   * @param body empty for none; never changed after construction
   * @param timeout until the complete answer has arrived (for a stream: its first byte)
   * @param maxAnswer the most bytes of an answer that are held in memory; not for streams
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per request would cost
  record HttpCall(
      String method,
      URI uri,
      Map<String, String> headers,
      byte[] body,
      Duration timeout,
      long maxAnswer) {
    private static final byte[] NOTHING = {};
    private static final long USUAL_ANSWER = 64L << 20;
    private static final Duration USUAL = Duration.ofSeconds(30);

    /** A call with an answer of the usual size. */
    public HttpCall(
        String method, URI uri, Map<String, String> headers, byte[] body, Duration timeout) {
      this(method, uri, headers, body, timeout, USUAL_ANSWER);
    }

    public static HttpCall get(URI uri) {
      return new HttpCall("GET", uri, Map.of(), NOTHING, USUAL);
    }

    public static HttpCall delete(URI uri) {
      return new HttpCall("DELETE", uri, Map.of(), NOTHING, USUAL);
    }

    /** A POST with a JSON body; null posts nothing. */
    public static HttpCall post(URI uri, Object json) {
      return post(uri, "application/json", json == null ? NOTHING : Json.writeBytes(json));
    }

    public static HttpCall post(URI uri, String contentType, byte[] body) {
      return new HttpCall("POST", uri, Map.of("Content-Type", contentType), body, USUAL);
    }

    /** A PUT with a JSON body. */
    public static HttpCall put(URI uri, Object json) {
      return new HttpCall(
          "PUT", uri, Map.of("Content-Type", "application/json"), Json.writeBytes(json), USUAL);
    }

    public HttpCall with(String header, String value) {
      Map<String, String> more = new LinkedHashMap<>(headers);
      more.put(header, value);
      return new HttpCall(method, uri, Map.copyOf(more), body, timeout, maxAnswer);
    }

    public HttpCall within(Duration limit) {
      return new HttpCall(method, uri, headers, body, limit, maxAnswer);
    }

    /** The same with a larger or smaller answer. */
    public HttpCall answeredWithin(long bytes) {
      return new HttpCall(method, uri, headers, body, timeout, bytes);
    }

    /** The same at another address. */
    public HttpCall at(URI address) {
      return new HttpCall(method, address, headers, body, timeout, maxAnswer);
    }
  }

  /**
   * One answer, read completely.
   *
   * @param status the HTTP status
   * @param headers names in lower case, first value only
   * @param body as received
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per answer would cost
  record HttpAnswer(int status, Map<String, String> headers, byte[] body) {
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
      // A proxy in front of the servers says these of a server that it does not reach.
      ErrorCode code = status >= 502 && status <= 504 ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL;
      return new MillraceException(
          code, "the server answered " + status + " without saying why: " + text());
    }
  }

  /** The answer was larger than the request allows; what was read of it is dropped. */
  class AnswerTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    public AnswerTooLargeException(URI uri, long bytes) {
      super("the answer of " + uri.getAuthority() + " is larger than " + bytes + " bytes");
    }
  }

  /** The server was not reached, so that the request can safely be sent to another one. */
  class NothingSentException extends IOException {
    private static final long serialVersionUID = 1L;

    public NothingSentException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
