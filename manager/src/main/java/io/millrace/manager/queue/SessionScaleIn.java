package io.millrace.manager.queue;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.platform.identity.Principal;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the session worker with the fewest sessions to end, when a segment's queue manager has
 * decided that one is not needed. Thread-safe; never blocks.
 */
public final class SessionScaleIn {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionScaleIn.class);
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Set<SessionWorkerState> AT_WORK =
      EnumSet.of(SessionWorkerState.REGISTERED, SessionWorkerState.AVAILABLE);

  private final QueueNodes nodes;
  private final SegmentCalls calls;
  private final Principal caller;
  private final BackgroundCalls background;

  /**
   * Without requests yet.
   *
   * @param caller this central manager
   */
  public SessionScaleIn(
      QueueNodes nodes, SegmentCalls calls, Principal caller, BackgroundCalls background) {
    this.nodes = nodes;
    this.calls = calls;
    this.caller = caller;
    this.background = background;
  }

  /** Asks one of the workers of a segment, unless one was asked just now. */
  public void ask(String queue, String node) {
    background.make("scale-in of " + queue + " at " + node, () -> askNow(queue, node));
  }

  private void askNow(String queue, String node) {
    QueueNodeView holder = nodes.require(node);
    HttpCall list = HttpCall.get(URI.create(path("/v1/queues/%s/session-workers", queue)));
    List<SessionWorkerView> workers =
        calls
            .ask(
                Map.of(holder, list),
                LIMIT,
                caller,
                answer -> Arrays.asList(answer.as(SessionWorkerView[].class)))
            .values()
            .getOrDefault(node, List.of());
    choose(workers).ifPresent(worker -> ask(queue, holder, worker));
  }

  private void ask(String queue, QueueNodeView node, SessionWorkerView worker) {
    URI uri = URI.create(path("/v1/queues/%s/session-workers/%s/retirement", queue, worker.id()));
    RetirementRequest request = new RetirementRequest(true, "it is not needed");
    calls.ask(Map.of(node, HttpCall.post(uri, request)), LIMIT, caller, answer -> true);
    LOGGER.info(
        "session worker {} of {} at {} (job {}), which has {} sessions, is asked to end",
        worker.id(),
        queue,
        node.name(),
        worker.job(),
        worker.sessions());
  }

  /**
   * The job with the fewest sessions; empty while another one is ending, so that not too many do.
   * Programs outside are never asked. Pure.
   */
  static Optional<SessionWorkerView> choose(List<SessionWorkerView> workers) {
    List<SessionWorkerView> atWork =
        workers.stream().filter(worker -> AT_WORK.contains(worker.state())).toList();
    if (atWork.stream().anyMatch(SessionWorkerView::leaving)) {
      return Optional.empty();
    }
    return atWork.stream()
        .filter(worker -> worker.job() != null)
        .min(
            Comparator.comparingInt(SessionWorkerView::sessions)
                .thenComparing(SessionWorkerView::id));
  }
}
