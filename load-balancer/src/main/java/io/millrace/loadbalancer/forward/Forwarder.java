package io.millrace.loadbalancer.forward;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpAnswer;
import io.millrace.api.client.HttpCall;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.NothingSentException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Sends a batch to a node by weight. It goes elsewhere only when nothing of it was stored: the node
 * was not reached, or refused it. After an unknown outcome the same node is asked once more under
 * the same batch name, and only then another: a counted, possible duplicate (DESIGN §5; delivery is
 * at least once). Thread-safe; blocks.
 */
public final class Forwarder {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final HttpTransport transport;
  private final Chooser chooser;
  private final Supplier<String> token;
  private final Counter accepted;
  private final Counter possibleDuplicates;
  private final Counter detours;

  public Forwarder(
      HttpTransport transport, Chooser chooser, Supplier<String> token, MeterRegistry metrics) {
    this.transport = transport;
    this.chooser = chooser;
    this.token = token;
    this.accepted = metrics.counter("millrace.balancer.events.accepted");
    this.possibleDuplicates = metrics.counter("millrace.balancer.events.possibly.duplicated");
    this.detours = metrics.counter("millrace.balancer.detours");
  }

  /** Events passed on since the start. */
  public long accepted() {
    return (long) accepted.count();
  }

  /**
   * Passes the batch on.
   *
   * @return the node's answer, of a success or of a mistake of the producer's
   * @throws MillraceException the last refusal when every node refused, NO_SEGMENT when there is
   *     none, TIMEOUT when it may or may not be stored
   */
  public SendAnswer forward(Batch batch) {
    Set<String> tried = new HashSet<>();
    MillraceException last = null;
    Optional<Target> target = chooser.choose(batch.queue(), tried);
    while (target.isPresent()) {
      tried.add(target.get().node());
      Attempt attempt = attempt(batch, target.get());
      if (attempt.answer() != null) {
        chooser.stored(batch.queue(), target.get(), attempt.answer().accepted());
        accepted.increment(attempt.answer().accepted());
        return attempt.answer();
      }
      if (attempt.conclusive()) {
        throw attempt.problem();
      }
      last = worse(last, attempt.problem());
      detours.increment();
      target = chooser.choose(batch.queue(), tried);
    }
    throw last != null ? last : noSegment(batch.queue());
  }

  private Attempt attempt(Batch batch, Target target) {
    try {
      return read(transport.send(call(batch, target)), target);
    } catch (NothingSentException e) {
      chooser.failed(target);
      return Attempt.elsewhere(unreachable(target, e));
    } catch (IOException e) {
      return askAgain(batch, target);
    }
  }

  /** The same name at the same node: stored at most once, whatever became of the first request. */
  private Attempt askAgain(Batch batch, Target target) {
    try {
      return read(transport.send(call(batch, target)), target);
    } catch (IOException e) {
      chooser.failed(target);
      possibleDuplicates.increment();
      return Attempt.elsewhere(
          new MillraceException(
              ErrorCode.TIMEOUT,
              "queue node "
                  + target.node()
                  + " broke off; whether batch "
                  + batch.name()
                  + " is stored is unknown: send it again under the same name",
              e));
    }
  }

  private Attempt read(HttpAnswer answer, Target target) {
    if (answer.ok()) {
      return Attempt.stored(answer.as(SendAnswer.class));
    }
    chooser.answered(target);
    MillraceException problem = problemOf(answer);
    return switch (problem.code()) {
      // Refusals of this node, which another may not share.
      case NO_SEGMENT, UNAVAILABLE, QUEUE_FULL, DISK_FULL, STORE_FAILURE, UNKNOWN_QUEUE ->
          Attempt.elsewhere(problem);
      default -> Attempt.refused(problem);
    };
  }

  private static MillraceException problemOf(HttpAnswer answer) {
    try {
      answer.orThrow();
      throw new IllegalStateException("a status of " + answer.status() + " is a problem");
    } catch (MillraceException problem) {
      return problem;
    }
  }

  private HttpCall call(Batch batch, Target target) {
    String path = ApiClient.path("/v1/queues/%s/events", batch.queue());
    return HttpCall.post(target.address().resolve(path), batch.mediaType(), batch.body())
        .with(EventMedia.BATCH_HEADER, batch.name())
        .with("Authorization", "Bearer " + token.get())
        .within(PATIENCE);
  }

  /**
   * Of several refusals the one that tells the producer most: an unknown outcome, then a full
   * queue.
   */
  private static MillraceException worse(MillraceException one, MillraceException other) {
    return one == null || rank(other.code()) >= rank(one.code()) ? other : one;
  }

  private static int rank(ErrorCode code) {
    return switch (code) {
      case TIMEOUT -> 3;
      case QUEUE_FULL -> 2;
      case DISK_FULL -> 1;
      default -> 0;
    };
  }

  private static MillraceException unreachable(Target target, IOException e) {
    return new MillraceException(
        ErrorCode.UNAVAILABLE, "queue node " + target.node() + " does not answer", e);
  }

  private static MillraceException noSegment(String queue) {
    return new MillraceException(
        ErrorCode.NO_SEGMENT,
        "no queue node holds weight of '"
            + queue
            + "' yet; try again in a few seconds, and see"
            + " 'millrace queue show "
            + queue
            + "'");
  }

  /** What came of one node: stored, refused for good, or to be tried elsewhere. */
  private record Attempt(SendAnswer answer, MillraceException problem, boolean conclusive) {
    static Attempt stored(SendAnswer answer) {
      return new Attempt(answer, null, true);
    }

    static Attempt refused(MillraceException problem) {
      return new Attempt(null, problem, true);
    }

    static Attempt elsewhere(MillraceException problem) {
      return new Attempt(null, problem, false);
    }
  }
}
