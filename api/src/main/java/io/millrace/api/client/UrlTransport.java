package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The transport of command-line programs, over the JDK's {@link HttpURLConnection}: a tenth of the
 * start-up time of {@code java.net.http.HttpClient}, and no dependency.
 */
public final class UrlTransport implements HttpTransport {
  private static final Problem REFUSED =
      Problem.of(
          ErrorCode.UNAUTHENTICATED,
          "the server refused the token: it is missing, unknown or expired; name the file of another one with --token-file (those of the cluster are in the folder tokens of the central manager's data directory)");

  private static final int CONNECT_MILLIS = 5_000;

  /** Keeps the JDK from repeating a POST by itself after a broken connection. */
  public UrlTransport() {
    System.setProperty("sun.net.http.retryPost", "false");
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    HttpURLConnection connection = open(call);
    int status = connection.getResponseCode();
    try (InputStream in = body(connection, status)) {
      return new HttpAnswer(status, headers(connection), read(in, call));
    }
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    HttpURLConnection connection = open(call);
    int status = connection.getResponseCode();
    InputStream in = body(connection, status);
    if (status < 300) {
      return in;
    }
    try (in) {
      new HttpAnswer(status, headers(connection), read(in, call)).orThrow();
      throw new IllegalStateException("a status of " + status + " is a problem");
    }
  }

  private static byte[] read(InputStream in, HttpCall call) throws IOException {
    int max = (int) Math.min(Integer.MAX_VALUE - 16, call.maxAnswer());
    byte[] bytes = in.readNBytes(max);
    if (bytes.length == max && in.read() >= 0) {
      throw new AnswerTooLargeException(call.uri(), max);
    }
    return bytes;
  }

  private static HttpURLConnection open(HttpCall call) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) call.uri().toURL().openConnection();
    connection.setRequestMethod(call.method());
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout((int) call.timeout().toMillis());
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    call.headers().forEach(connection::setRequestProperty);
    if (call.body().length > 0 || call.method().equals("POST")) {
      connection.setDoOutput(true);
      connection.setFixedLengthStreamingMode(call.body().length);
    }
    try {
      connection.connect();
    } catch (ConnectException | NoRouteToHostException | UnknownHostException e) {
      throw new NothingSentException("no server answers at " + call.uri().getAuthority(), e);
    }
    if (connection.getDoOutput()) {
      try (OutputStream out = connection.getOutputStream()) {
        out.write(call.body());
      }
    }
    return connection;
  }

  private static InputStream body(HttpURLConnection connection, int status) throws IOException {
    InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
    if (in == null && status == HttpURLConnection.HTTP_UNAUTHORIZED) {
      // The JDK drops this answer when the request had a body.
      return new ByteArrayInputStream(Json.writeBytes(REFUSED));
    }
    return in == null ? new ByteArrayInputStream(new byte[0]) : in;
  }

  private static Map<String, String> headers(HttpURLConnection connection) {
    Map<String, String> headers = new HashMap<>();
    connection
        .getHeaderFields()
        .forEach(
            (name, values) -> {
              if (name != null) {
                headers.putIfAbsent(name.toLowerCase(Locale.ROOT), values.get(0));
              }
            });
    return headers;
  }
}
