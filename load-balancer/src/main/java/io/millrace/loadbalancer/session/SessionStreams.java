package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.LineParts;
import io.millrace.loadbalancer.forward.LineParts.LinePart;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Sends bodies of lines of any length to a queue of sessions, part by part: a part is sent when
 * each event of the one before is stored or refused. Events that are refused because of themselves
 * are listed, and the body goes on; with any other refusal, such as a full queue or a node that
 * does not answer, and with more than 10,000 listed ones, it ends there with that refusal as its
 * problem, which says how much is stored. The same body sent again has the same ids, however it is
 * cut. Thread-safe; blocks.
 */
public final class SessionStreams {
  /** The most memory of one long body: what is read of it, and one part as events and requests. */
  public static final long MEMORY = 4L * LineParts.MAX_BYTES;

  private static final int MAX_REFUSED = 10_000;

  private final SessionForwarder forwarder;

  public SessionStreams(SessionForwarder forwarder) {
    this.forwarder = forwarder;
  }

  /**
   * Sends the entire body.
   *
   * @param batch the batch without its body
   * @param length the body's length if known, or a negative number
   * @throws MillraceException if all is refused for one reason, or the body was not sent to its end
   */
  public SendAnswer send(Batch batch, InputStream body, long length) {
    forwarder.check(batch.queue());
    StreamRun run = new StreamRun(batch, new LineParts(body, length));
    try {
      return run.send();
    } finally {
      forwarder.count(run.outcome);
    }
  }

  /** The sending of one body. Used by one thread. */
  private final class StreamRun {
    private final Batch batch;
    private final LineParts parts;
    private final SessionOutcome outcome;
    private long events;
    private long lines;

    StreamRun(Batch batch, LineParts parts) {
      this.batch = batch;
      this.parts = parts;
      this.outcome = new SessionOutcome(batch.queue(), batch.name());
    }

    SendAnswer send() {
      LinePart part = read().orElse(new LinePart(0, 1, 1, new byte[0], true));
      while (true) {
        send(part);
        Optional<LinePart> next = part.last() ? Optional.empty() : read();
        if (next.isEmpty()) {
          return outcome.answer();
        }
        requireGoingOn();
        part = next.get();
      }
    }

    private void send(LinePart part) {
      try {
        events += forwarder.settle(batch.of(part.body()), events, outcome);
        lines = part.lastLine();
      } catch (MillraceException problem) {
        if (part.alone()) {
          throw problem;
        }
        throw ended(
            problem,
            "lines %d to %d: %s"
                .formatted(part.firstLine(), part.lastLine(), problem.getMessage()));
      }
    }

    private Optional<LinePart> read() {
      try {
        return parts.next();
      } catch (MillraceException tooLong) {
        throw ended(tooLong, tooLong.getMessage());
      } catch (IOException e) {
        throw ended(
            new MillraceException(ErrorCode.INVALID_REQUEST, "the body broke off", e),
            "the body ended early: " + e.getMessage());
      }
    }

    private void requireGoingOn() {
      Optional<RefusedEvent> refusal = outcome.passing();
      if (refusal.isEmpty() && outcome.refused() <= MAX_REFUSED) {
        return;
      }
      RefusedEvent event = refusal.or(outcome::last).orElseThrow();
      String more = refusal.isPresent() ? "" : ", as are more than " + MAX_REFUSED + " in all";
      MillraceException problem = new MillraceException(event.code(), event.message());
      throw ended(problem, "event " + event.id() + " is refused" + more + ": " + event.message());
    }

    private MillraceException ended(MillraceException problem, String what) {
      boolean mistake = problem.code().status() < 500 && problem.code().status() != 429;
      String stored =
          "Of the body %d events are stored and %d refused; nothing after line %d was sent. "
              .formatted(outcome.accepted(), outcome.refused(), lines);
      // The places of events in a corrected body would give them the ids of others.
      String advice =
          mistake
              ? "Correct the remaining lines and send only those, under another name."
              : "Send the same body again under the batch name "
                  + batch.name()
                  + ": what is stored is not stored twice.";
      return new MillraceException(problem.code(), what + ". " + stored + advice, problem);
    }
  }
}
