package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.event.SendAnswer;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.DeliveryTrace;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Elsewhere;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Refused;
import io.millrace.loadbalancer.forward.Delivery.DeliveryOutcome.Stored;
import io.millrace.loadbalancer.forward.SeenBatches.Seen;
import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import io.millrace.platform.clock.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Sends a batch to a node by weight. Another node is tried only if nothing of it was stored: the
 * node was not reached, or refused it. After an unknown outcome the same node is tried once more
 * with the same batch name, and only then another one: a possible duplicate, which is counted
 * (delivery is at least once). A recently seen name is sent to its node again first, regardless of
 * that node's weight and of a pause of the queue. Thread-safe; blocks.
 */
public final class Forwarder {
  private final Chooser chooser;
  private final Delivery delivery;
  private final ForwardMeters meters;
  private final SeenBatches seenBatches;

  /**
   * A forwarder that has seen no batch.
   *
   * @param nodes the transport for calls to a queue node, by the node's name
   */
  public Forwarder(
      Function<String, HttpTransport> nodes, Chooser chooser, ForwardMeters meters, Clock clock) {
    this.chooser = chooser;
    this.delivery = new Delivery(nodes, meters, clock);
    this.meters = meters;
    this.seenBatches = new SeenBatches(clock, SeenBatches.MAX, meters::forgottenEarly);
  }

  /**
   * Throws what {@link #forward} would throw before it contacts a node. A batch, or its first part,
   * that was seen before is not refused before its node is asked. Never blocks.
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
   * Forwards the batch.
   *
   * @return the node's answer
   * @throws MillraceException an error of the producer as reported by the node, the most specific
   *     refusal if every node refused, NO_SEGMENT if there is none, TIMEOUT if the batch may or may
   *     not be stored
   */
  public SendAnswer forward(Batch batch) {
    return new Round(batch, seenBatches.find(batch)).run();
  }

  /** The forwarding of one batch. Used by one thread. */
  private final class Round {
    private final Batch batch;
    private final Optional<Seen> seen;
    private final Set<String> tried = new HashSet<>();
    // The node that may have stored the batch without acknowledging it.
    private String unknownAt;
    // A node whose store failed while storing the batch; what its disk holds is unknown.
    private String failedAt;
    private MillraceException worst;

    Round(Batch batch, Optional<Seen> seen) {
      this.batch = batch;
      this.seen = seen;
      this.unknownAt = seen.filter(Seen::unknown).map(Seen::node).orElse(null);
    }

    SendAnswer run() {
      Optional<ForwardTarget> next = seen.flatMap(known -> chooser.registered(known.node()));
      boolean retry = next.isPresent();
      if (!retry) {
        if (seen.isPresent() && !seen.get().unknown()) {
          return acknowledgedBefore();
        }
        next = choose();
      }
      while (next.isPresent()) {
        Optional<SendAnswer> answer = visit(next.get(), retry);
        if (answer.isPresent()) {
          return answer.get();
        }
        retry = false;
        next = choose();
        if (next.isPresent()) {
          meters.detour(batch, next.get().node());
        }
      }
      throw refused();
    }

    /** Empty, instead of a refusal of the queue, if a node may have stored the batch anyway. */
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

    /** Another node would store a duplicate. */
    private SendAnswer acknowledgedBefore() {
      Seen known = seen.orElseThrow();
      return new SendAnswer(batch.queue(), batch.name(), known.stored(), true, known.node());
    }

    private Optional<SendAnswer> visit(ForwardTarget target, boolean retry) {
      tried.add(target.node());
      DeliveryOutcome outcome = delivery.deliver(batch, target);
      if (outcome instanceof Stored stored) {
        chooser.answered(target);
        charge(target, stored.answer(), retry);
        return Optional.of(noted(target, stored.answer()));
      }
      if (outcome instanceof Refused refused) {
        chooser.answered(target);
        throw conclusive(target, refused.problem());
      }
      return goOn(target, (Elsewhere) outcome);
    }

    /** Empty if another node is to be tried. */
    private Optional<SendAnswer> goOn(ForwardTarget target, Elsewhere elsewhere) {
      if (elsewhere.trace() == DeliveryTrace.REFUSED) {
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
      if (elsewhere.trace() == DeliveryTrace.UNKNOWN) {
        unknownAt = target.node();
      } else if (elsewhere.trace() == DeliveryTrace.REFUSED) {
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

    private void charge(ForwardTarget target, SendAnswer answer, boolean retry) {
      if (retry) {
        // No node was picked; what was stored earlier was charged then.
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
      } else if (isOfQueue(problem.code()) && isOther(unknownAt, target)) {
        // This node has not stored it, but the other one may have.
        return refused();
      }
      return problem;
    }

    /** Whether every node refuses it that has not stored it already. */
    private static boolean isOfQueue(ErrorCode code) {
      return code == ErrorCode.QUEUE_PAUSED || code == ErrorCode.QUEUE_DELETING;
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
