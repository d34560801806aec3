package io.millrace.manager.insight;

import io.millrace.api.Json;
import io.millrace.platform.http.SseHub;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;

/** Sends the overview to every open page once a second; works only while a page is open. */
public final class OverviewStream implements Service {
  private static final String TOPIC = "overview";
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final OverviewService overviews;
  private final SseHub hub = new SseHub();
  private final Loop loop = new Loop("overview-stream", EVERY, this::send);

  public OverviewStream(OverviewService overviews) {
    this.overviews = overviews;
  }

  /** The hub that the stream's route joins. */
  public SseHub hub() {
    return hub;
  }

  @Override
  public void start() {
    hub.start();
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
    hub.stop();
  }

  private void send() {
    if (!hub.idle()) {
      hub.broadcast(TOPIC, Json.write(overviews.overview()));
    }
  }
}
