package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers a batch to one node and returns the outcome. Thread-safe; blocks. */
final class Delivery {
  private static final Logger LOGGER = LoggerFactory.getLogger(Delivery.class);

  private final BatchCall call;

  Delivery(Function<String, HttpTransport> nodes, ForwardMeters meters, Clock clock) {
    this.call = new BatchCall(nodes, meters, clock);
  }

  /**
   * Sends a second request if the outcome of the first is unknown: a batch is stored once under its
   * name.
   */
  DeliveryOutcome deliver(Batch batch, ForwardTarget target) {
    try {
      return read(send(batch, target), batch, target);
    } catch (NothingSentException e) {
      return new DeliveryOutcome.Elsewhere(
          BatchCall.unreachable(target.node(), e), DeliveryOutcome.DeliveryTrace.NOT_REACHED);
    } catch (IOException e) {
      return askAgain(batch, target);
    }
  }

  private DeliveryOutcome askAgain(Batch batch, ForwardTarget target) {
    try {
      DeliveryOutcome outcome = read(send(batch, target), batch, target);
      boolean conclusive =
          !(outcome instanceof DeliveryOutcome.Elsewhere refused)
              || NodeRefusals.provesAbsence(refused.problem().code());
      return conclusive ? outcome : unknownOutcome(batch, target);
    } catch (IOException e) {
      return unknownOutcome(batch, target);
    }
  }

  private static DeliveryOutcome unknownOutcome(Batch batch, ForwardTarget target) {
    return new DeliveryOutcome.Elsewhere(
        unknown(batch, target.node()), DeliveryOutcome.DeliveryTrace.UNKNOWN);
  }

  private HttpAnswer send(Batch batch, ForwardTarget target) throws IOException {
    return call.send(batch, target, BatchCall.TIMEOUT);
  }

  private static DeliveryOutcome read(HttpAnswer answer, Batch batch, ForwardTarget target) {
    if (answer.ok()) {
      return receipt(answer, batch, target);
    }
    MillraceException problem = BatchCall.problemOf(answer);
    if (BatchCall.isOfLoadBalancer(problem)) {
      return new DeliveryOutcome.Elsewhere(
          BatchCall.refusesUs(target, problem), DeliveryOutcome.DeliveryTrace.NOT_REACHED);
    }
    return NodeRefusals.mayGoElsewhere(problem.code())
        ? new DeliveryOutcome.Elsewhere(problem, DeliveryOutcome.DeliveryTrace.REFUSED)
        : new DeliveryOutcome.Refused(problem);
  }

  /**
   * A node that answers with anything but the receipt of this batch may or may not have stored it.
   * The producer did nothing wrong then, and no node speaks for another.
   */
  private static DeliveryOutcome receipt(HttpAnswer answer, Batch batch, ForwardTarget target) {
    try {
      SendAnswer receipt = answer.as(SendAnswer.class);
      if (receipt != null && isOf(batch, receipt)) {
        return new DeliveryOutcome.Stored(
            new SendAnswer(
                batch.queue(),
                batch.name(),
                receipt.accepted(),
                receipt.repeated(),
                target.node()));
      }
    } catch (MillraceException unreadable) {
      LOGGER.debug("the answer of queue node {} is unreadable", target.node(), unreadable);
    }
    LOGGER.warn(
        "queue node {} answers batch {} of queue {} without its receipt",
        target.node(),
        batch.name(),
        batch.queue());
    return unknownOutcome(batch, target);
  }

  private static boolean isOf(Batch batch, SendAnswer receipt) {
    // An event takes a byte at least. A repeated batch may have been larger when it was stored.
    boolean possible =
        receipt.accepted() >= 0
            && (receipt.repeated() || receipt.accepted() <= batch.body().length);
    return possible
        && batch.queue().equals(receipt.queue())
        && batch.name().equals(receipt.batch());
  }

  static MillraceException unknown(Batch batch, String node) {
    return new MillraceException(
        ErrorCode.TIMEOUT,
        "queue node "
            + node
            + " closed the connection; whether batch "
            + batch.name()
            + " is stored is unknown: send it again under the same name");
  }

  /** The outcome of a batch at one node. */
  sealed interface DeliveryOutcome {
    /** The node has it. */
    record Stored(SendAnswer answer) implements DeliveryOutcome {}

    /** Refused finally: another node would refuse it too. */
    record Refused(MillraceException problem) implements DeliveryOutcome {}

    /**
     * To be tried at another node.
     *
     * @param trace whether the node may have it
     */
    record Elsewhere(MillraceException problem, DeliveryTrace trace) implements DeliveryOutcome {}

    /** What a node may have stored of a batch that it did not acknowledge. */
    enum DeliveryTrace {
      /** It answered and stored nothing for this request. */
      REFUSED,
      /** It was not reached by this request. */
      NOT_REACHED,
      /** It may have stored it. */
      UNKNOWN
    }
  }
}
