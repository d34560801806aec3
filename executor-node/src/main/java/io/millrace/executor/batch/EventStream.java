package io.millrace.executor.batch;

import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventResult;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.batch.LeasedBatch.BatchClosing;
import io.millrace.executor.batch.ResultLines.ResultLine;
import io.millrace.executor.batch.StreamWindow.Given;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of a worker that gets them one by one on its standard input and answers them on its
 * standard output.
 *
 * <p>Two threads: one leases events and writes them to the worker, which may block as long as the
 * worker does not read; the other reads its results from the file of its output, reports them, and
 * extends the leases. An event is kept on disk before the worker gets it, and only an answered one
 * is acknowledged, so that none is lost whoever is killed. After a restart of the agent the worker
 * gets nothing more: its input ended with the earlier agent.
 *
 * <p>Thread-safe; no method blocks.
 */
public final class EventStream implements WorkerEvents {
  private static final Logger LOGGER = LoggerFactory.getLogger(EventStream.class);
  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(1);
  private static final Duration WITHOUT_ROOM = Duration.ofSeconds(1);
  private static final Duration WITHOUT_EVENTS = Duration.ofMillis(100);
  private static final int READS_PER_STEP = 16;
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
  private static final Duration KEPT_EVERY = Duration.ofSeconds(1);
  private static final int SERVER_FAULT = 500;

  /** How long a worker may take to end by itself when its results cannot be processed. */
  private static final Duration TO_END = Duration.ofSeconds(30);

  private final StreamRecord begin;
  private final StreamPlan plan;
  private final BatchCalls calls;
  private final LeasedSegment segment;
  private final StreamReports reports;
  private final ResultLines results;
  private final boolean takenOver;
  private final Waiter roomCame = new Waiter();
  private final Waiter answersWake = new Waiter();
  private final AtomicBoolean answering = new AtomicBoolean();
  private final CompletableFuture<BatchClosing> closed = new CompletableFuture<>();
  // Guarded by this.
  private final StreamWindow window;
  private List<DeliveredEvent> first = List.of();
  private int taken;
  private boolean draining;
  private BatchVerdict verdict;
  private String overdue;
  private String alone;
  private long progressAt;
  // Whether there was more output than one step reads; of the thread that reads it.
  private boolean behind;
  private long keptOffset;
  // Used by the thread of the answers only.
  private long keptAt;

  private EventStream(StreamRecord begin, StreamPlan plan, BatchCalls calls, boolean takenOver) {
    this.begin = begin;
    this.plan = plan;
    this.calls = calls;
    this.segment = new LeasedSegment(calls, begin.node(), begin.queueNode(), begin.token());
    this.window = new StreamWindow(plan.limits().window());
    this.reports = new StreamReports(begin, segment, calls.clock());
    this.results = new ResultLines(plan.directory(), begin.offset());
    this.takenOver = takenOver;
    this.taken = begin.taken();
    this.keptOffset = begin.offset();
    this.progressAt = calls.clock().nanoTime();
  }

  /**
   * Of a worker that is about to be started; its first events are kept on disk.
   *
   * @throws IOException when they cannot be kept
   */
  public static EventStream begin(
      StreamRecord record, List<DeliveredEvent> first, StreamPlan plan, BatchCalls calls)
      throws IOException {
    EventStream stream = new EventStream(record, plan, calls, false);
    synchronized (stream) {
      stream.first = stream.window.leased(first, record.offset());
      stream.keep();
    }
    return stream;
  }

  /** Of a worker that an earlier agent has started. */
  public static EventStream continued(StreamRecord kept, StreamPlan plan, BatchCalls calls) {
    EventStream stream = new EventStream(kept, plan, calls, true);
    synchronized (stream) {
      kept.open()
          .forEach(
              (id, receipt) ->
                  stream.window.restore(
                      id, new Given(receipt, kept.since().getOrDefault(id, kept.offset()))));
      stream.draining = true;
    }
    return stream;
  }

  @Override
  public synchronized int size() {
    return taken;
  }

  @Override
  public synchronized Optional<String> alone() {
    return Optional.ofNullable(alone);
  }

  @Override
  public void started(RunningCommand process) {
    answer(Optional.of(process));
    process.input().ifPresent(input -> calls.streams().execute(() -> feed(input)));
  }

  @Override
  public void recovered(RunningCommand process) {
    answer(Optional.of(process));
  }

  @Override
  public void stopping() {
    drain();
  }

  @Override
  public CompletableFuture<BatchClosing> close(BatchVerdict decided) {
    synchronized (this) {
      verdict = decided;
    }
    drain();
    answersWake.wake();
    answer(Optional.empty());
    return closed;
  }

  private void drain() {
    synchronized (this) {
      progressAt = draining ? progressAt : now();
      draining = true;
    }
    roomCame.wake();
  }

  // ---- the worker's input

  private void feed(OutputStream input) {
    try (OutputStream out = input) {
      give(out, firstEvents());
      long begun = now();
      long busyAt = begun;
      while (!over(begun, busyAt)) {
        Optional<DeliveredEvent> due = due();
        if (due.isPresent()) {
          give(out, List.of(due.get()));
          continue;
        }
        busyAt = isIdle() ? busyAt : now();
        int room = room();
        if (room == 0) {
          roomCame.await(WITHOUT_ROOM);
          continue;
        }
        List<DeliveredEvent> events = take(lease(room, busyAt));
        if (events.isEmpty()) {
          roomCame.await(WITHOUT_EVENTS);
        }
        give(out, events);
      }
    } catch (InterruptedException agentStops) {
      Thread.currentThread().interrupt();
    } catch (IOException ended) {
      LOGGER.debug("the worker of {} takes no more events", begin, ended);
    } catch (RuntimeException e) {
      LOGGER.error("the input of {} failed; its worker gets no more events", begin, e);
    } finally {
      drain();
    }
  }

  private synchronized List<DeliveredEvent> firstEvents() {
    return first;
  }

  private void give(OutputStream out, List<DeliveredEvent> events) throws IOException {
    if (events.isEmpty()) {
      return;
    }
    synchronized (this) {
      taken += events.size();
      progressAt = now();
    }
    for (DeliveredEvent event : events) {
      out.write(Json.writeBytes(event.withoutReceipt()));
      out.write('\n');
    }
    out.flush();
  }

  private synchronized boolean over(long begun, long busyAt) {
    StreamLimits limits = plan.limits();
    return draining
        || taken >= limits.maxEvents()
        || now() - begun >= limits.maxTime().toNanos()
        || (isIdle() && now() - busyAt >= limits.idle().toNanos());
  }

  private synchronized boolean isIdle() {
    return window.isIdle();
  }

  /** An event whose turn has come, on disk first. */
  private Optional<DeliveredEvent> due() {
    Optional<DeliveredEvent> due;
    String refused;
    synchronized (this) {
      due = window.due(results.complete());
      if (due.isEmpty()) {
        return due;
      }
      try {
        keep();
        return due;
      } catch (IOException e) {
        refused = notKept(List.of(due.get().receipt()), e);
      }
    }
    reports.giveBack(List.of(due.get().receipt()), refused);
    return Optional.empty();
  }

  private String notKept(List<String> receipts, IOException why) {
    LOGGER.warn("cannot keep the events of {}; its worker gets no more", begin, why);
    draining = true;
    window.drop(receipts);
    return "the execution node could not keep the event: " + why;
  }

  private synchronized int room() {
    return Math.min(window.room(), plan.limits().maxEvents() - taken - window.waiting().size());
  }

  private List<DeliveredEvent> lease(int room, long busyAt) {
    // While the worker is busy events may come together, and are then not leased one by one.
    Duration patience = isIdle() ? patience(busyAt) : Duration.ZERO;
    String attempt = plan.directory().id().toString();
    try {
      Lease lease =
          segment
              .client()
              .lease(begin.queue(), new LeaseRequest(room, begin.lease(), patience, attempt));
      return lease.events() == null ? List.of() : lease.events();
    } catch (MillraceException e) {
      LOGGER.debug("no events could be leased for {}", begin, e);
      if (e.code().status() < SERVER_FAULT) {
        // The queue or the segment is gone, or the worker may not take more.
        drain();
      }
      segment.seek(e);
      return List.of();
    }
  }

  private Duration patience(long busyAt) {
    Duration left = plan.limits().idle().minusNanos(now() - busyAt);
    Duration patience = left.compareTo(LONGEST_PATIENCE) < 0 ? left : LONGEST_PATIENCE;
    return patience.isNegative() ? Duration.ZERO : patience;
  }

  /** Takes over leased events, on disk first; returns those to give to the worker now. */
  private List<DeliveredEvent> take(List<DeliveredEvent> events) {
    if (events.isEmpty()) {
      return events;
    }
    String refused;
    synchronized (this) {
      if (draining) {
        refused = "the worker was stopped before it got the event";
      } else {
        List<DeliveredEvent> now = window.leased(events, results.complete());
        try {
          keep();
          return now;
        } catch (IOException e) {
          refused = notKept(events.stream().map(DeliveredEvent::receipt).toList(), e);
        }
      }
    }
    reports.giveBack(events.stream().map(DeliveredEvent::receipt).toList(), refused);
    return List.of();
  }

  private void keep() throws IOException {
    // What was read and is not reported yet is read again.
    keptOffset = window.answered().isEmpty() ? results.complete() : keptOffset;
    plan.keeper().keep(begin.now(keptOffset, taken, window.unreported(results.complete())));
  }

  // ---- the worker's output

  private void answer(Optional<RunningCommand> process) {
    if (answering.compareAndSet(false, true)) {
      calls.streams().execute(() -> answers(process));
    }
  }

  private void answers(Optional<RunningCommand> process) {
    try {
      Duration pause = SHORTEST_PAUSE;
      while (decided().isEmpty()) {
        boolean news = step(process);
        pause = news || behind ? SHORTEST_PAUSE : shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        answersWake.await(pause);
      }
      closed.complete(finish(decided().get()));
    } catch (InterruptedException agentStops) {
      // The next agent continues from what is kept.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOGGER.error("the results of {} could not be processed", begin, e);
      closed.complete(BatchClosing.failed(String.valueOf(e)));
      giveUp(process, e);
    }
  }

  /** Ends a worker whose results nobody reads any more: by its input, and in a time. */
  private void giveUp(Optional<RunningCommand> process, RuntimeException why) {
    drain();
    Duration timeout = plan.limits().timeout();
    Duration patience = timeout.isZero() ? TO_END : shorter(timeout, TO_END);
    long begun = now();
    try {
      while (decided().isEmpty() && now() - begun < patience.toNanos()) {
        answersWake.await(LONGEST_PAUSE);
      }
    } catch (InterruptedException agentStops) {
      Thread.currentThread().interrupt();
      return;
    }
    if (decided().isEmpty()) {
      StopReason reason = new StopReason("its results could not be processed: " + why);
      process.ifPresent(running -> running.timeOut(reason));
    }
  }

  private synchronized Optional<BatchVerdict> decided() {
    return Optional.ofNullable(verdict);
  }

  private boolean step(Optional<RunningCommand> process) {
    boolean news = readResults(READS_PER_STEP);
    if (report() || news) {
      roomCame.wake();
    }
    List<String> receipts;
    synchronized (this) {
      receipts = window.receipts();
    }
    List<String> stale = reports.extendIfDue(receipts);
    if (!stale.isEmpty()) {
      LOGGER.warn(
          "{} events of {} were delivered again while their worker was running",
          stale.size(),
          begin);
      synchronized (this) {
        window.drop(stale);
      }
      roomCame.wake();
    }
    process.ifPresent(this::checkTime);
    return news;
  }

  /** Reads some of the output: a worker that writes faster may not hold up its time-out. */
  private boolean readResults(int most) {
    boolean news = false;
    try {
      int reads = 0;
      for (; reads < most && results.hasMore(); reads++) {
        synchronized (this) {
          // Together, so that no offset is kept without the answers before it.
          news |= accept(results.next());
        }
      }
      behind = reads == most;
    } catch (IOException e) {
      LOGGER.warn("cannot read the results in {}", plan.directory().path(), e);
    }
    return news;
  }

  private boolean accept(List<ResultLine> lines) {
    boolean news = false;
    for (ResultLine line : lines) {
      news |= window.answer(line.result(), line.at());
    }
    if (news) {
      progressAt = now();
    }
    return news;
  }

  /** Reports what is answered; whether there was anything and the queue node took it. */
  private boolean report() {
    List<StreamWindow.Answered> answered;
    synchronized (this) {
      answered = window.answered();
    }
    if (answered.isEmpty()) {
      return false;
    }
    List<StreamWindow.Answered> reported = reports.report(answered);
    synchronized (this) {
      window.reported(reported);
      if (now() - keptAt > KEPT_EVERY.toNanos()) {
        keptAt = now();
        try {
          keep();
        } catch (IOException e) {
          LOGGER.debug("cannot keep how far the results of {} were read", begin, e);
        }
      }
    }
    return !reported.isEmpty();
  }

  private void checkTime(RunningCommand process) {
    Duration timeout = plan.limits().timeout();
    String reason;
    synchronized (this) {
      boolean waits = !window.open().isEmpty();
      boolean late = now() - progressAt >= timeout.toNanos();
      if (timeout.isZero() || !late || overdue != null || !(waits || draining)) {
        return;
      }
      overdue = waits ? window.open().get(0) : "";
      reason =
          waits
              ? "event %s was not answered within %s".formatted(overdue, Durations.format(timeout))
              : "it did not end within %s after its last event"
                  .formatted(Durations.format(timeout));
    }
    process.timeOut(new StopReason(reason));
  }

  // ---- the end

  private BatchClosing finish(BatchVerdict decided) throws InterruptedException {
    readResults(Integer.MAX_VALUE);
    int unanswered;
    List<String> waiting;
    synchronized (this) {
      waiting = window.waiting().stream().map(DeliveredEvent::receipt).toList();
      accept(results.rest());
      List<String> open = window.open();
      unanswered = open.size();
      alone = unanswered == 1 ? open.get(0) : null;
      open.forEach(id -> window.answer(unanswered(id, decided), Long.MAX_VALUE));
    }
    if (!waiting.isEmpty()) {
      reports.giveBack(waiting, "the worker ended before it got the event");
    }
    reports.reportAll(this::answered, this::reported, answersWake);
    return reports.closing(unanswered, size());
  }

  private synchronized List<StreamWindow.Answered> answered() {
    return window.answered();
  }

  private synchronized void reported(List<StreamWindow.Answered> some) {
    window.reported(some);
  }

  /** What the end of the worker means for an event that it has not answered. */
  private EventResult unanswered(String id, BatchVerdict decided) {
    boolean blamed = overdue == null || overdue.equals(id);
    if (decided instanceof BatchVerdict.Refuse refuse) {
      // The worker may have failed because its input ended with the earlier agent.
      boolean failed = refuse.kind() == RefusalKind.FAILED && blamed && !takenOver;
      return new EventResult(
          id, false, failed ? RefusalKind.FAILED : RefusalKind.RETURNED, null, refuse.reason());
    }
    return new EventResult(
        id, false, RefusalKind.RETURNED, null, "the worker ended without answering the event");
  }

  private long now() {
    return calls.clock().nanoTime();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Writes the record to the disk, atomically. */
  public interface StreamKeeper {
    void keep(StreamRecord record) throws IOException;
  }

  /**
   * How a worker gets its events.
   *
   * @param directory of its attempt
   * @param keeper keeps what a restarted agent needs
   * @param limits of its run
   */
  public record StreamPlan(AttemptDirectory directory, StreamKeeper keeper, StreamLimits limits) {}

  /**
   * The limits of one run.
   *
   * @param window the most unanswered events
   * @param maxEvents the most events of the run
   * @param maxTime after which it gets no more
   * @param idle how long it waits for events
   * @param timeout the longest time without an answer while there are unanswered events, and to end
   *     after the last one; zero for none
   */
  public record StreamLimits(
      int window, int maxEvents, Duration maxTime, Duration idle, Duration timeout) {}
}
