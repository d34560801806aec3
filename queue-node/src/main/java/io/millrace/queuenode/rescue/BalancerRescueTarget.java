package io.millrace.queuenode.rescue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.util.RawValue;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.EventMedia.EventDraft;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import io.millrace.queuenode.rescue.StoreRescue.RescueTarget;
import io.millrace.queuenode.store.NewEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Sends rescued events through a load balancer. While the cluster has no capacity or does not
 * answer, it waits and sends the same batch again. One thread at a time.
 */
public final class BalancerRescueTarget implements RescueTarget {
  private static final TypeReference<Map<String, String>> ATTRIBUTES = new TypeReference<>() {};
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Set<ErrorCode> PASSING =
      EnumSet.of(
          ErrorCode.QUEUE_FULL,
          ErrorCode.RATE_LIMITED,
          ErrorCode.QUEUE_PAUSED,
          ErrorCode.NO_SEGMENT,
          ErrorCode.DISK_FULL,
          ErrorCode.UNREACHABLE,
          ErrorCode.UNAVAILABLE,
          ErrorCode.TIMEOUT);

  private final QueueClient balancers;
  private final Duration timeout;
  private final Clock clock;
  private final Consumer<String> delays;
  private final Waiter waiter = new Waiter();

  /**
   * An outlet.
   *
   * @param balancers sends through a load balancer
   * @param timeout how long one batch waits to be accepted
   * @param delays called with a readable reason why a batch waits
   */
  public BalancerRescueTarget(
      QueueClient balancers, Duration timeout, Clock clock, Consumer<String> delays) {
    this.balancers = balancers;
    this.timeout = timeout;
    this.clock = clock;
    this.delays = delays;
  }

  @Override
  public void send(String queue, String batch, List<NewEvent> events) throws InterruptedException {
    byte[] body = body(events);
    long begun = clock.nanoTime();
    while (!taken(queue, batch, body, begun)) {
      waiter.await(PAUSE);
    }
  }

  private boolean taken(String queue, String batch, byte[] body, long begun) {
    try {
      balancers.send(queue, batch, EventMedia.ENVELOPES, body);
      return true;
    } catch (MillraceException e) {
      boolean waited = clock.nanoTime() - begun >= timeout.toNanos();
      if (waited || !PASSING.contains(e.code())) {
        throw e;
      }
      delays.accept(e.getMessage());
      return false;
    }
  }

  private static byte[] body(List<NewEvent> events) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (NewEvent event : events) {
      body.writeBytes(Json.writeBytes(draft(event)));
      body.write('\n');
    }
    return body.toByteArray();
  }

  private static EventDraft draft(NewEvent event) {
    // The data is sent as the stored text, so that no number is rounded.
    JsonNode data = JsonNodeFactory.instance.rawValueNode(new RawValue(event.text()));
    return new EventDraft(
        event.id(),
        data,
        attributes(event),
        event.delayMillis() == 0 ? null : Duration.ofMillis(event.delayMillis()),
        event.priority() == 0 ? null : (Integer) event.priority());
  }

  private static Map<String, String> attributes(NewEvent event) {
    if (event.attributes() == null) {
      return null;
    }
    try {
      return Json.mapper().readValue(event.attributes(), ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
