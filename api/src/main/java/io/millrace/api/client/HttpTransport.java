package io.millrace.api.client;

import java.io.IOException;
import java.io.InputStream;

/**
 * Sends one HTTP request and gives its answer; implementations never repeat a request by
 * themselves. Thread-safe.
 */
public interface HttpTransport {
  /**
   * Sends the request and reads the whole answer. Blocks up to the request's time-out.
   *
   * @throws NothingSentException when no connection was made: the server has seen nothing
   * @throws IOException when the outcome is unknown
   */
  HttpAnswer send(HttpCall call) throws IOException;

  /**
   * Sends the request and gives the answer's body as it arrives. Closing the stream ends the
   * exchange. An answer of 300 or above is read whole and thrown as its problem.
   */
  InputStream stream(HttpCall call) throws IOException;
}
