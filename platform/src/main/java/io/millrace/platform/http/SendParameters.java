package io.millrace.platform.http;

import io.millrace.api.Durations;
import io.millrace.api.event.EventMedia;
import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;

/** The parameters of sending events, which load balancers and queue nodes share. */
public final class SendParameters {
  public static final RequestParameter<String> BATCH =
      RequestParameter.header(
          EventMedia.BATCH_HEADER, "names the batch: sent again under it, it is stored once");

  /** Zero if absent. Longer ones than a queue accepts are not shortened, but refused. */
  public static final RequestParameter<Duration> DELAY =
      RequestParameter.duration(
          EventMedia.DELAY_PARAMETER,
          "how long the events wait that do not say it themselves",
          Duration.ZERO,
          Durations.LONGEST);

  public static final RequestParameter<Long> PRIORITY =
      RequestParameter.number(
          EventMedia.PRIORITY_PARAMETER,
          "the priority of the events that do not say it themselves",
          0,
          0,
          EventMedia.HIGHEST_PRIORITY);

  private SendParameters() {}
}
