package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Elsewhere;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Refused;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Stored;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Trace;
import io.millrace.loadbalancer.forward.SeenBatches.Seen;
import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import io.millrace.platform.clock.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Sends a batch to a node by weight. It goes elsewhere only when nothing of it was stored: the node
 * was not reached, or refused it. After an unknown outcome the same node is asked once more under
 * the same batch name, and only then another: a counted, possible duplicate (DESIGN §5; delivery is
 * at least once). A name seen lately goes to its node again first, whatever that node's weight is
 * now and whether or not the queue is paused. Thread-safe; blocks.
 */
public final class Forwarder {
  private final Chooser chooser;
  private final Delivery delivery;
  private final ForwardMeters meters;
  private final SeenBatches seenBatches;

  /** The token is asked for at every request. */
  public Forwarder(
      HttpTransport transport,
      Chooser chooser,
      Supplier<String> token,
      ForwardMeters meters,
      Clock clock) {
    this.chooser = chooser;
    this.delivery = new Delivery(transport, token, meters, clock);
    this.meters = meters;
    this.seenBatches = new SeenBatches(clock, SeenBatches.MOST, meters::forgottenEarly);
  }

  /**
   * Throws what {@link #forward} would throw before it asked any node. A batch, or the first part
   * of one, that was seen before is not judged before its node is asked. Never blocks.
   */
  public void check(Batch batch) {
    boolean seen =
        seenBatches.find(batch).isPresent()
            || seenBatches.find(batch.part(0, batch.body())).isPresent();
    if (!seen) {
      chooser.check(batch.queue());
    }
  }

  /**
   * Passes the batch on.
   *
   * @return the node's answer
   * @throws MillraceException a mistake of the producer's as the node tells it, the most telling
   *     refusal when every node refused, NO_SEGMENT when there is none, TIMEOUT when the batch may
   *     or may not be stored
   */
  public SendAnswer forward(Batch batch) {
    return new Round(batch, seenBatches.find(batch)).run();
  }

  /** One batch on its way from node to node. One thread only. */
  private final class Round {
    private final Batch batch;
    private final Optional<Seen> seen;
    private final Set<String> tried = new HashSet<>();
    // The node that may have the batch without having said so.
    private String unknownAt;
    // A node whose store failed at the batch: what its disk holds nobody knows.
    private String failedAt;
    private MillraceException worst;

    Round(Batch batch, Optional<Seen> seen) {
      this.batch = batch;
      this.seen = seen;
      this.unknownAt = seen.filter(Seen::unknown).map(Seen::node).orElse(null);
    }

    SendAnswer run() {
      Optional<ForwardTarget> next = seen.flatMap(known -> chooser.registered(known.node()));
      boolean revisit = next.isPresent();
      if (!revisit) {
        if (seen.isPresent() && !seen.get().unknown()) {
          return acknowledgedBefore();
        }
        next = choose();
      }
      while (next.isPresent()) {
        Optional<SendAnswer> answer = visit(next.get(), revisit);
        if (answer.isPresent()) {
          return answer.get();
        }
        revisit = false;
        next = choose();
        if (next.isPresent()) {
          meters.detour(batch, next.get().node());
        }
      }
      throw refused();
    }

    /** None, instead of a refusal of the queue, when a node may have the batch all the same. */
    private Optional<ForwardTarget> choose() {
      try {
        return chooser.choose(batch.queue(), tried);
      } catch (MillraceException refusal) {
        if (unknownAt == null) {
          throw refusal;
        }
        return Optional.empty();
      }
    }

    /** Another node would make a duplicate of it. */
    private SendAnswer acknowledgedBefore() {
      Seen known = seen.orElseThrow();
      return new SendAnswer(batch.queue(), batch.name(), known.stored(), true, known.node());
    }

    private Optional<SendAnswer> visit(ForwardTarget target, boolean revisit) {
      tried.add(target.node());
      DeliveryOutcome outcome = delivery.deliver(batch, target);
      if (outcome instanceof Stored stored) {
        chooser.answered(target);
        charge(target, stored.answer(), revisit);
        return Optional.of(noted(target, stored.answer()));
      }
      if (outcome instanceof Refused refused) {
        chooser.answered(target);
        throw conclusive(target, refused.problem());
      }
      return goOn(target, (Elsewhere) outcome);
    }

    /** Nothing when another node is to be tried. */
    private Optional<SendAnswer> goOn(ForwardTarget target, Elsewhere elsewhere) {
      if (elsewhere.trace() == Trace.REFUSED) {
        chooser.answered(target);
      } else {
        chooser.failed(target);
      }
      if (storedAt(target)) {
        return Optional.of(acknowledgedBefore());
      }
      note(target, elsewhere);
      worst = NodeRefusals.worse(worst, elsewhere.problem());
      return Optional.empty();
    }

    private void note(ForwardTarget target, Elsewhere elsewhere) {
      ErrorCode code = elsewhere.problem().code();
      if (elsewhere.trace() == Trace.UNKNOWN) {
        unknownAt = target.node();
      } else if (elsewhere.trace() == Trace.REFUSED) {
        if (code == ErrorCode.STORE_FAILURE) {
          failedAt = target.node();
        }
        if (target.node().equals(unknownAt) && NodeRefusals.provesAbsence(code)) {
          unknownAt = null;
        }
      }
    }

    private boolean storedAt(ForwardTarget target) {
      return seen.isPresent() && !seen.get().unknown() && seen.get().node().equals(target.node());
    }

    private void charge(ForwardTarget target, SendAnswer answer, boolean revisit) {
      if (revisit) {
        // Nothing was picked; what was stored earlier was charged then.
        chooser.charge(batch.queue(), target, answer.repeated() ? 0 : answer.accepted());
      } else {
        chooser.charge(batch.queue(), target, answer.accepted() - 1L);
      }
    }

    private SendAnswer noted(ForwardTarget target, SendAnswer answer) {
      boolean elsewhere = isOther(unknownAt, target) || isOther(failedAt, target);
      if (elsewhere) {
        meters.possiblyDuplicated(batch, answer.accepted());
      }
      if (elsewhere || batch.repeatable()) {
        seenBatches.remember(batch, target.node(), answer.accepted());
      }
      meters.stored(batch, target.node(), answer);
      return answer;
    }

    private static boolean isOther(String node, ForwardTarget target) {
      return node != null && !node.equals(target.node());
    }

    private MillraceException conclusive(ForwardTarget target, MillraceException problem) {
      if (problem.code() == ErrorCode.TIMEOUT) {
        seenBatches.remember(batch, target.node(), 0);
      } else if (problem.code() == ErrorCode.QUEUE_PAUSED && isOther(unknownAt, target)) {
        // This node has nothing of it, but the other one may.
        return refused();
      }
      return problem;
    }

    private MillraceException refused() {
      if (unknownAt != null) {
        seenBatches.remember(batch, unknownAt, 0);
        return Delivery.unknown(batch, unknownAt);
      }
      if (failedAt != null) {
        seenBatches.remember(batch, failedAt, 0);
      }
      return worst == null
          ? NodeRefusals.noSegment(batch.queue())
          : NodeRefusals.forProducer(batch.queue(), worst);
    }
  }
}
