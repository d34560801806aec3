package io.millrace.executor.batch;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventResult;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import io.millrace.executor.batch.StreamWindow.Answered;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the results of a stream to the queue node and extends its leases. The methods block for
 * one call each; used by the thread of the answers, except {@link #giveBack}.
 */
final class StreamReports {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamReports.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final int SERVER_FAULT = 500;

  private final StreamRecord stream;
  private final LeasedSegment segment;
  private final Clock clock;
  private long leasedUntil;
  private long extendAt;
  private long reportAt;
  private int stale;
  private String failure;

  StreamReports(StreamRecord stream, LeasedSegment segment, Clock clock) {
    this.stream = stream;
    this.segment = segment;
    this.clock = clock;
    long now = clock.nanoTime();
    this.leasedUntil = now + stream.lease().toNanos();
    // Of a worker that was taken over nobody knows when its leases end.
    this.extendAt = now + (stream.open().isEmpty() ? stream.lease().toNanos() / 3 : 0);
    this.reportAt = now;
  }

  /** What a result means for its event, but not for which. */
  private record Reply(boolean ok, RefusalKind kind, Duration delay, String reason) {
    static Reply of(Answered answered) {
      EventResult result = answered.result();
      return result.ok()
          ? new Reply(true, null, null, null)
          : new Reply(false, result.kind(), result.delay(), result.reason());
    }
  }

  /**
   * Reports results; returns those of which the queue node knows now, or never will. After a call
   * that failed nothing is reported for a while.
   */
  List<Answered> report(List<Answered> answered) {
    List<Answered> reported = new ArrayList<>();
    if (clock.nanoTime() - reportAt < 0) {
      return reported;
    }
    Map<Reply, List<Answered>> byReply =
        answered.stream().collect(groupingBy(Reply::of, LinkedHashMap::new, toList()));
    byReply.forEach(
        (reply, some) -> {
          if (send(reply, some.stream().map(Answered::receipt).toList())) {
            reported.addAll(some);
          }
        });
    return reported;
  }

  private boolean send(Reply reply, List<String> receipts) {
    try {
      ReceiptAnswer answer =
          reply.ok()
              ? segment.client().acknowledge(stream.queue(), new Acknowledgement(receipts))
              : segment
                  .client()
                  .refuse(
                      stream.queue(),
                      new Refusal(receipts, reply.kind(), reply.delay(), reply.reason()));
      stale += answer.stale() == null ? 0 : answer.stale().size();
      return true;
    } catch (MillraceException e) {
      boolean permanent = e.code().status() < SERVER_FAULT;
      if (permanent) {
        failure = e.getMessage();
        LOGGER.warn("results of {} cannot be reported; they are delivered again", stream, e);
      } else {
        segment.seek(e);
        reportAt = clock.nanoTime() + FIRST_PAUSE.toNanos();
      }
      return permanent;
    }
  }

  /** Extends all leases if that is due; returns the receipts whose events are delivered again. */
  List<String> extendIfDue(List<String> receipts) {
    long now = clock.nanoTime();
    Duration third = stream.lease().dividedBy(3);
    if (receipts.isEmpty()) {
      // Whatever is leased from now on has a whole lease.
      leasedUntil = now + stream.lease().toNanos();
      extendAt = now + third.toNanos();
    }
    if (receipts.isEmpty() || now - extendAt < 0) {
      return List.of();
    }
    try {
      ReceiptAnswer answer =
          segment.client().extend(stream.queue(), new Extension(receipts, stream.lease()));
      leasedUntil = now + stream.lease().toNanos();
      extendAt = now + third.toNanos();
      return answer.stale() == null ? List.of() : answer.stale();
    } catch (MillraceException e) {
      LOGGER.debug("could not extend the leases of {}", stream, e);
      segment.seek(e);
      extendAt = now + shorter(third, LONGEST_PAUSE).toNanos();
      return List.of();
    }
  }

  /** Returns events that the worker did not get; if that fails their lease expires. */
  void giveBack(List<String> receipts, String reason) {
    try {
      segment
          .client()
          .refuse(stream.queue(), new Refusal(receipts, RefusalKind.RETURNED, null, reason));
    } catch (MillraceException e) {
      LOGGER.debug("could not return events of {}; their leases expire", stream, e);
    }
  }

  /** Reports everything, until the leases have expired. */
  void reportAll(
      Supplier<List<Answered>> answered, Consumer<List<Answered>> reported, Waiter waiter)
      throws InterruptedException {
    Duration pause = FIRST_PAUSE;
    reportAt = clock.nanoTime();
    while (true) {
      reported.accept(report(answered.get()));
      if (answered.get().isEmpty()) {
        return;
      }
      if (clock.nanoTime() + pause.toNanos() - leasedUntil > 0) {
        failure = "the queue node did not answer before the leases expired";
        return;
      }
      waiter.await(pause);
      pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
      reportAt = clock.nanoTime();
    }
  }

  /**
   * The outcome of the whole run.
   *
   * @param unanswered events without an answer
   * @param taken all events
   */
  BatchClosing closing(int unanswered, int taken) {
    List<String> notes = new ArrayList<>();
    if (unanswered > 0) {
      notes.add(
          "without an answer, and so delivered again: %d of %s"
              .formatted(unanswered, MessageText.counted(taken, "event")));
    }
    if (stale > 0) {
      notes.add("%d results came after the lease of their event had expired".formatted(stale));
    }
    if (failure != null) {
      notes.add(
          "some results could not be reported to the queue node, so the events are delivered"
              + " again: "
              + failure);
    }
    return new BatchClosing(
        notes.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", notes)));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
