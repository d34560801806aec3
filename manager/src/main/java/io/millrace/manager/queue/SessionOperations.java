package io.millrace.manager.queue;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.RetirementRequest;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionView;
import io.millrace.api.session.SessionView.SessionActed;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionView.SessionDetails;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.manager.queue.SegmentCalls.Answers;
import io.millrace.platform.identity.Principal;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows and manages the sessions of a queue over all its segments (M-14). Thread-safe; every method
 * blocks on the queue nodes, within a time limit.
 */
public final class SessionOperations {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionOperations.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int LONGEST_REASON = 1_000;

  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final SegmentCalls calls;
  private final Function<String, Optional<QueueWeights>> rows;

  /**
   * The sessions of all queues.
   *
   * @param rows the weight row of a queue, with its slots; blocks
   */
  public SessionOperations(
      QueueDefinitions definitions,
      QueueNodes nodes,
      SegmentCalls calls,
      Function<String, Optional<QueueWeights>> rows) {
    this.definitions = definitions;
    this.nodes = nodes;
    this.calls = calls;
    this.rows = rows;
  }

  /**
   * Sessions of all nodes, in the order of the nodes' names.
   *
   * @param state in lower case; null for all but completed ones
   * @param worker only those of this worker; null for any
   * @param after the {@code next} of the page before; null for the first page
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_SESSION if it has no sessions at all,
   *     INVALID_REQUEST
   */
  public FoundSessions list(
      String queue, String state, UUID worker, String after, int limit, Principal caller) {
    PageStart start = after == null ? new PageStart("", null) : PageStart.parse(after);
    List<QueueNodeView> left =
        holders(queue).stream()
            .filter(node -> node.name().compareTo(start.node()) >= 0)
            .sorted(Comparator.comparing(QueueNodeView::name))
            .toList();
    List<SessionView> found = new ArrayList<>();
    List<String> unreached = new ArrayList<>();
    for (int i = 0; i < left.size(); i++) {
      QueueNodeView node = left.get(i);
      if (found.size() == limit) {
        return new FoundSessions(
            new SessionPage(found, new PageStart(node.name(), null).toString()), unreached);
      }
      String from = node.name().equals(start.node()) ? start.after() : null;
      HttpCall call = get(pageOf(queue, state, worker, from, limit - found.size()));
      Answers<SessionPage> answer =
          calls.ask(Map.of(node, call), TIMEOUT, caller, one -> one.as(SessionPage.class));
      unreached.addAll(answer.unreached());
      SessionPage page = answer.values().get(node.name());
      if (page != null) {
        found.addAll(page.sessions());
      }
      if (page != null && page.next() != null) {
        return new FoundSessions(
            new SessionPage(found, new PageStart(node.name(), page.next()).toString()), unreached);
      }
    }
    return new FoundSessions(new SessionPage(found, null), unreached);
  }

  private static String pageOf(String queue, String state, UUID worker, String after, int limit) {
    return path("/v1/queues/%s/sessions?limit=%s", queue, limit)
        + (state == null ? "" : path("&state=%s", state))
        + (worker == null ? "" : path("&worker=%s", worker))
        + (after == null ? "" : path("&after=%s", after));
  }

  /**
   * A session with its events and its history: from the owner of its key's slot, or if that has
   * none, from an earlier owner whose events are still to arrive.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_SESSION, UNREACHABLE if the node that may have
   *     it does not answer, INTERNAL if its answer is too large
   */
  public SessionDetails show(String queue, String key, Principal caller) {
    URI uri = URI.create(path("/v1/queues/%s/session?key=%s", queue, key));
    return first(queue, key, HttpCall.get(uri), caller, answer -> answer.as(SessionDetails.class));
  }

  /**
   * Moves, ends or removes a session, at the node that has it.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_SESSION, INVALID_REQUEST, CONFLICT,
   *     UNREACHABLE
   */
  public SessionActed act(String queue, SessionCommand command, Principal caller) {
    require(command.action() != null, "action is missing: MOVE, CLOSE or DROP");
    require(
        command.key() != null && !command.key().isBlank(),
        "key is missing; give the key of a session");
    checkReason(command.reason());
    URI uri = URI.create(path("/v1/queues/%s/session-actions", queue));
    HttpCall call = HttpCall.post(uri, command);
    SessionActed acted =
        first(queue, command.key(), call, caller, answer -> answer.as(SessionActed.class));
    LOGGER.info(
        "{}: {} of session {} of {}{}",
        caller.subject(),
        command.action(),
        ShownText.of(command.key()),
        queue,
        because(command.reason()));
    return acted;
  }

  private static String because(String reason) {
    return reason == null ? "" : ": " + ShownText.of(reason);
  }

  private <T> T first(
      String queue, String key, HttpCall call, Principal caller, Function<HttpAnswer, T> read) {
    Map<String, QueueNodeView> known = new LinkedHashMap<>();
    holders(queue).forEach(node -> known.put(node.name(), node));
    for (String name : owners(queue, key, known.keySet())) {
      QueueNodeView node =
          known.containsKey(name) ? known.get(name) : nodes.find(name).orElse(null);
      Answers<T> answers =
          node == null
              ? new Answers<>(Map.of(), List.of(name), Set.of())
              : calls.ask(Map.of(node, call), TIMEOUT, caller, read);
      if (answers.values().containsKey(name)) {
        return answers.values().get(name);
      }
      if (answers.tooLarge().contains(name)) {
        throw SegmentCalls.tooLarge(
            "queue node %s, which has the slot %d of that key,"
                .formatted(name, SessionKey.slot(key)),
            null);
      }
      if (!answers.unreached().isEmpty()) {
        throw new MillraceException(
            ErrorCode.UNREACHABLE,
            "queue node %s, which has the slot %d of that key, does not answer; try again when it is back"
                .formatted(name, SessionKey.slot(key)));
      }
    }
    throw new MillraceException(
        ErrorCode.UNKNOWN_SESSION,
        "queue %s has no session '%s'; 'millrace session list %s' shows those that it has"
            .formatted(queue, ShownText.of(key), queue));
  }

  /** The owner of the key's slot, then the earlier ones, the latest first. */
  private Set<String> owners(String queue, String key, Set<String> holders) {
    Optional<SlotOwner> owner =
        rows.apply(queue).map(QueueWeights::slots).map(slots -> slots.owner(SessionKey.slot(key)));
    if (owner.isEmpty()) {
      return holders;
    }
    Set<String> owners = new LinkedHashSet<>();
    owners.add(owner.get().node());
    List<String> earlier = new ArrayList<>(owner.get().undrained());
    Collections.reverse(earlier);
    owners.addAll(earlier);
    return owners;
  }

  /** The workers of all nodes, by name of the node and as each node lists them. */
  public FoundWorkers workers(String queue, Principal caller) {
    HttpCall call = get(path("/v1/queues/%s/session-workers", queue));
    Answers<List<SessionWorkerView>> answers =
        calls.ask(
            toAll(queue, call),
            TIMEOUT,
            caller,
            answer -> Arrays.asList(answer.as(SessionWorkerView[].class)));
    return new FoundWorkers(
        answers.values().values().stream().flatMap(List::stream).toList(), answers.unreached());
  }

  /**
   * Retires a worker at every node at which it is registered, or asks it there to end.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_WORKER, INVALID_REQUEST, UNREACHABLE if a node
   *     does not answer: it may still be registered there
   */
  public void retire(String queue, UUID worker, RetirementRequest request, Principal caller) {
    checkReason(request.reason());
    URI uri = URI.create(path("/v1/queues/%s/session-workers/%s/retirement", queue, worker));
    Answers<Boolean> answers =
        calls.ask(toAll(queue, HttpCall.post(uri, request)), TIMEOUT, caller, answer -> true);
    if (!answers.values().isEmpty()) {
      LOGGER.info(
          "{} {} session worker {} of {} at {}{}",
          caller.subject(),
          request.ask() ? "asked to end the" : "retired",
          worker,
          queue,
          answers.values().keySet(),
          because(request.reason()));
    }
    if (!answers.unreached().isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "%s did not answer: the worker may still be registered there, and trying again is safe"
              .formatted(String.join(", ", answers.unreached())));
    }
    if (answers.values().isEmpty()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_WORKER,
          "no worker %s is registered for the sessions of %s; 'millrace session worker list %s' shows those that are"
              .formatted(worker, queue, queue));
    }
  }

  private Map<QueueNodeView, HttpCall> toAll(String queue, HttpCall call) {
    Map<QueueNodeView, HttpCall> all = new LinkedHashMap<>();
    holders(queue).forEach(node -> all.put(node, call));
    return all;
  }

  private List<QueueNodeView> holders(String queue) {
    if (!definitions.require(queue).definition().ofSessions()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_SESSION,
          "queue %s has no sessions; its definition has no sessions.key".formatted(queue));
    }
    return nodes.holders(queue);
  }

  private static HttpCall get(String path) {
    return HttpCall.get(URI.create(path));
  }

  private static void checkReason(String reason) {
    require(
        reason == null || reason.length() <= LONGEST_REASON,
        "a reason may have at most %d characters".formatted(LONGEST_REASON));
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }

  /** Sessions, and the nodes that did not answer. */
  public record FoundSessions(SessionPage page, List<String> unreached) {}

  /** Workers, and the nodes that did not answer. */
  public record FoundWorkers(List<SessionWorkerView> workers, List<String> unreached) {}

  /**
   * Where a page begins, written as {@code node/after}.
   *
   * @param node its name, which has no slash
   * @param after that node's own mark; null for its first page
   */
  private record PageStart(String node, String after) {
    static PageStart parse(String text) {
      int slash = text.indexOf('/');
      require(
          slash > 0, "after must be the next of the page before, not '" + ShownText.of(text) + "'");
      String after = text.substring(slash + 1);
      return new PageStart(text.substring(0, slash), after.isEmpty() ? null : after);
    }

    @Override
    public String toString() {
      return node + "/" + (after == null ? "" : after);
    }
  }
}
