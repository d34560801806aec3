package io.millrace.api.client;

import java.io.IOException;

/** The server was not reached, so that the request can safely be sent to another one. */
public class NothingSentException extends IOException {
  private static final long serialVersionUID = 1L;

  public NothingSentException(String message, Throwable cause) {
    super(message, cause);
  }
}
