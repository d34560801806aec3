package io.millrace.tests.drill.cluster;

import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** A transport with a short timeout, so that some outcomes remain unknown. */
public final class ShortTimeoutTransport implements HttpTransport {
  private final HttpTransport transport;
  private final Duration patience;

  public ShortTimeoutTransport(HttpTransport transport, Duration patience) {
    this.transport = transport;
    this.patience = patience;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    return transport.send(call.within(patience));
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    return transport.stream(call.within(patience));
  }
}
