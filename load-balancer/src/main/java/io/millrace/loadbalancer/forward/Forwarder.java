package io.millrace.loadbalancer.forward;

import io.millrace.api.client.HttpTransport;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.loadbalancer.forward.Outcome.Elsewhere;
import io.millrace.loadbalancer.forward.Outcome.Refused;
import io.millrace.loadbalancer.forward.Outcome.Stored;
import io.millrace.loadbalancer.forward.Outcome.Trace;
import io.millrace.loadbalancer.forward.SeenBatches.Seen;
import io.millrace.platform.time.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Sends a batch to a node by weight. It goes elsewhere only when nothing of it was stored: the node
 * was not reached, or refused it. After an unknown outcome the same node is asked once more under
 * the same batch name, and only then another: a counted, possible duplicate (DESIGN §5; delivery is
 * at least once). A name seen lately goes to its node again first. Thread-safe; blocks.
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
    this.seenBatches = new SeenBatches(clock, SeenBatches.MOST);
  }

  /** Throws what {@link #forward} would throw before it asked any node. Never blocks. */
  public void check(String queue) {
    chooser.check(queue);
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
    chooser.check(batch.queue());
    return new Round(batch, seenBatches.find(batch)).run();
  }

  /** One batch on its way from node to node. One thread only. */
  private final class Round {
    private final Batch batch;
    private final Optional<Seen> seen;
    private final Set<String> tried = new HashSet<>();
    // The node that may have the batch without having said so.
    private String unknownAt;
    private MillraceException worst;

    Round(Batch batch, Optional<Seen> seen) {
      this.batch = batch;
      this.seen = seen;
      this.unknownAt = seen.filter(Seen::unknown).map(Seen::node).orElse(null);
    }

    SendAnswer run() {
      Optional<Target> next = seen.flatMap(known -> chooser.registered(known.node()));
      boolean revisit = next.isPresent();
      if (!revisit) {
        next = chooser.choose(batch.queue(), tried);
      }
      while (next.isPresent()) {
        Optional<SendAnswer> answer = visit(next.get(), revisit);
        if (answer.isPresent()) {
          return answer.get();
        }
        revisit = false;
        next = chooser.choose(batch.queue(), tried);
        if (next.isPresent()) {
          meters.detour(batch, next.get().node());
        }
      }
      throw refused();
    }

    private Optional<SendAnswer> visit(Target target, boolean revisit) {
      tried.add(target.node());
      Outcome outcome = delivery.deliver(batch, target);
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
    private Optional<SendAnswer> goOn(Target target, Elsewhere elsewhere) {
      if (elsewhere.trace() == Trace.REFUSED) {
        chooser.answered(target);
      } else {
        chooser.failed(target);
      }
      if (storedAt(target)) {
        // It was acknowledged there: another node would make a duplicate of it.
        return Optional.of(
            new SendAnswer(batch.queue(), batch.name(), seen.get().stored(), true, target.node()));
      }
      if (elsewhere.trace() == Trace.UNKNOWN) {
        unknownAt = target.node();
      } else if (elsewhere.trace() == Trace.REFUSED && target.node().equals(unknownAt)) {
        unknownAt = null;
      }
      worst = Refusals.worse(worst, elsewhere.problem());
      return Optional.empty();
    }

    private boolean storedAt(Target target) {
      return seen.isPresent() && !seen.get().unknown() && seen.get().node().equals(target.node());
    }

    private void charge(Target target, SendAnswer answer, boolean revisit) {
      if (revisit) {
        // Nothing was picked; what was stored earlier was charged then.
        chooser.charge(batch.queue(), target, answer.repeated() ? 0 : answer.accepted());
      } else {
        chooser.charge(batch.queue(), target, answer.accepted() - 1L);
      }
    }

    private SendAnswer noted(Target target, SendAnswer answer) {
      boolean elsewhere = unknownAt != null && !unknownAt.equals(target.node());
      if (elsewhere) {
        meters.possiblyDuplicated(batch, answer.accepted());
      }
      if (elsewhere || batch.repeatable()) {
        seenBatches.remember(batch, target.node(), answer.accepted());
      }
      meters.stored(batch, target.node(), answer);
      return answer;
    }

    private MillraceException conclusive(Target target, MillraceException problem) {
      if (problem.code() == ErrorCode.TIMEOUT) {
        seenBatches.remember(batch, target.node(), 0);
      }
      return problem;
    }

    private MillraceException refused() {
      if (unknownAt != null) {
        seenBatches.remember(batch, unknownAt, 0);
        return Delivery.unknown(batch, unknownAt);
      }
      return worst == null
          ? Refusals.noSegment(batch.queue())
          : Refusals.forProducer(batch.queue(), worst);
    }
  }
}
