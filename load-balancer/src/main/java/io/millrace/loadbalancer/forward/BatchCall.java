package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.event.EventMedia;
import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends a batch to a node, once, and measures it. Thread-safe; blocks. */
public final class BatchCall {
  /** How long a node may take. */
  public static final Duration TIMEOUT = Duration.ofSeconds(15);

  private static final Logger LOGGER = LoggerFactory.getLogger(BatchCall.class);

  private final Function<String, HttpTransport> nodes;
  private final ForwardMeters meters;
  private final Clock clock;

  /**
   * Calls over these transports.
   *
   * @param nodes the transport for calls to a queue node, by the node's name
   */
  public BatchCall(Function<String, HttpTransport> nodes, ForwardMeters meters, Clock clock) {
    this.nodes = nodes;
    this.meters = meters;
    this.clock = clock;
  }

  /**
   * Sends the batch.
   *
   * @param timeout until the node's complete answer has arrived
   * @throws NothingSentException if the node was not reached
   * @throws IOException if it is unknown what the node did
   */
  public HttpAnswer send(Batch batch, ForwardTarget target, Duration timeout) throws IOException {
    long begin = clock.nanoTime();
    String outcome = "unreachable";
    meters.sending();
    try {
      HttpAnswer answer = nodes.apply(target.node()).send(call(batch, target).within(timeout));
      outcome = answer.ok() ? "stored" : "refused";
      return answer;
    } catch (NothingSentException e) {
      throw e;
    } catch (IOException e) {
      outcome = "unknown";
      throw e;
    } finally {
      meters.sent(target.node(), outcome, clock.nanoTime() - begin);
    }
  }

  private static HttpCall call(Batch batch, ForwardTarget target) {
    String path = ApiClient.path("/v1/queues/%s/events", batch.queue()) + batch.query();
    return HttpCall.post(target.address().resolve(path), batch.mediaType(), batch.body())
        .with(EventMedia.BATCH_HEADER, batch.name());
  }

  /** The problem of an answer that is none of success. */
  public static MillraceException problemOf(HttpAnswer answer) {
    try {
      answer.orThrow();
      throw new IllegalStateException("a status of " + answer.status() + " is a problem");
    } catch (MillraceException problem) {
      return problem;
    }
  }

  /** The node was not reached. */
  public static MillraceException unreachable(String node, Exception cause) {
    return new MillraceException(
        ErrorCode.UNAVAILABLE, "queue node " + node + " does not answer", cause);
  }

  /** Whether a refusal is about this load balancer and not about the batch. */
  public static boolean isOfLoadBalancer(MillraceException refusal) {
    return NodeRefusals.isOfLoadBalancer(refusal.code());
  }

  /** The node, or what answers at its address, refuses this load balancer. */
  public static MillraceException refusesUs(ForwardTarget target, MillraceException refusal) {
    String message =
        "queue node "
            + target.node()
            + ", or another server at its address "
            + target.address()
            + ", refuses this load balancer: "
            + refusal.getMessage();
    LOGGER.warn("{}", message);
    return new MillraceException(ErrorCode.UNAVAILABLE, message, refusal);
  }
}
