package io.millrace.platform.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Answers requests that the HTTP server refuses before any route sees them, such as one whose path
 * has a NUL, with problem details instead of the server's own page. Thread-safe; never blocks.
 */
final class ServerErrors implements Request.Handler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    byte[] text = Json.writeBytes(problem(response.getStatus()));
    HttpFields.Mutable fields = response.getHeaders();
    SecurityHeaders.ALL.forEach(fields::put);
    fields.put(HttpHeader.CACHE_CONTROL, "no-store");
    fields.put(HttpHeader.CONTENT_TYPE, Problem.MEDIA_TYPE);
    fields.put(HttpHeader.CONTENT_LENGTH, text.length);
    response.write(true, ByteBuffer.wrap(text), callback);
    return true;
  }

  // The server's own reason may repeat what was sent, and names its classes.
  private static Problem problem(int status) {
    Problem usual = usual(status);
    return new Problem(usual.type(), usual.title(), status, usual.code(), usual.detail());
  }

  private static Problem usual(int status) {
    return switch (status) {
      case 404 -> Problem.of(ErrorCode.UNKNOWN_ROUTE, "there is no such route");
      case 405 -> Problem.of(ErrorCode.METHOD_NOT_ALLOWED, "this method is not allowed here");
      case 413 -> ErrorResponses.tooLarge();
      case 414 -> Problem.of(ErrorCode.INVALID_REQUEST, "the address is too long; send less in it");
      case 431 ->
          Problem.of(ErrorCode.INVALID_REQUEST, "the headers are too large; send fewer of them");
      case 503 -> Problem.of(ErrorCode.UNAVAILABLE, "the server is stopping; try another one");
      default ->
          status < 500
              ? Problem.of(
                  ErrorCode.INVALID_REQUEST,
                  "the request cannot be read as HTTP: its first line, a header or a sequence such"
                      + " as %00 in its path is not allowed")
              : Problem.of(ErrorCode.INTERNAL, "the server could not handle the request");
    };
  }
}
