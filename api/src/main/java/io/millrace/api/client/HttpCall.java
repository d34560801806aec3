package io.millrace.api.client;

import io.millrace.api.Json;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One request.
 *
 * @param method GET, POST, PUT or DELETE
 * @param uri absolute
 * @param headers as sent, without Host and Content-Length
 * @param body empty for none; never changed after construction
 * @param timeout until the whole answer is there (for a stream: until its first byte)
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per request would cost
public record HttpCall(
    String method, URI uri, Map<String, String> headers, byte[] body, Duration timeout) {
  private static final byte[] NOTHING = {};
  private static final Duration USUAL = Duration.ofSeconds(30);

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
    return new HttpCall(method, uri, Map.copyOf(more), body, timeout);
  }

  public HttpCall within(Duration limit) {
    return new HttpCall(method, uri, headers, body, limit);
  }
}
