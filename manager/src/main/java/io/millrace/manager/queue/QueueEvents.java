package io.millrace.manager.queue;

import static io.millrace.api.client.ApiClient.path;

import com.fasterxml.jackson.core.type.TypeReference;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.job.FailureGrouping;
import io.millrace.manager.job.FailureText;
import io.millrace.manager.queue.SegmentCalls.Answers;
import io.millrace.platform.identity.Principal;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Lists and manages the events of a queue over all its segments. Thread-safe; every method blocks
 * on the queue nodes, within a time limit.
 */
public final class QueueEvents {
  private static final int PAGE = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration ACTING = Duration.ofSeconds(60);
  private static final Comparator<PeekedEvent> FIRST_IN_LINE =
      Comparator.comparingInt(PeekedEvent::priority)
          .thenComparingDouble(PeekedEvent::ageSeconds)
          .reversed();

  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final SegmentCalls calls;

  public QueueEvents(QueueDefinitions definitions, QueueNodes nodes, SegmentCalls calls) {
    this.definitions = definitions;
    this.nodes = nodes;
    this.calls = calls;
  }

  /**
   * Dead letters of all segments, newest first.
   *
   * @param before where the page begins, as returned by the previous page; null for the newest
   */
  public Found<DeadEvent> dead(String queue, int limit, String before, Principal caller) {
    Map<String, Long> cursor = DeadPages.cursor(before);
    Map<QueueNodeView, HttpCall> asked = new LinkedHashMap<>();
    for (QueueNodeView node : holders(queue)) {
      Long number = cursor.get(node.name());
      String page = number == null ? "" : "&before=" + number;
      asked.put(node, get(path("/v1/queues/%s/dead?limit=%s", queue, limit) + page));
    }
    Answers<DeadPages.Part> answers = calls.ask(asked, TIMEOUT, caller, QueueEvents::part);
    return DeadPages.merge(answers.onlyOwn(DeadPages::isOf), cursor, limit);
  }

  /**
   * Dead letters of all segments by their causes; of more than {@link FailureGrouping#MAX_EXAMINED}
   * the newest.
   */
  public FailureGroups deadGroups(String queue, Principal caller) {
    FailureGrouping grouping = new FailureGrouping();
    Set<String> unreached = new TreeSet<>();
    String before = null;
    do {
      Found<DeadEvent> page = dead(queue, PAGE, before, caller);
      for (DeadEvent letter : page.events()) {
        FailureSample sample =
            new FailureSample(
                letter.handle(), null, null, letter.node(), letter.diedAt(), letter.reason());
        grouping.add(FailureText.ofReason(letter.reason()), sample);
      }
      unreached.addAll(page.unreached());
      before = page.events().isEmpty() ? null : page.next();
    } while (before != null && grouping.failures() < FailureGrouping.MAX_EXAMINED);
    return grouping.answer(before != null, List.copyOf(unreached));
  }

  /**
   * Unfinished events in delivery order, without leasing them.
   *
   * @param state ready, delayed or leased; null for ready
   */
  public Found<PeekedEvent> peek(String queue, int limit, String state, Principal caller) {
    String page =
        path("/v1/queues/%s/peek?limit=%s", queue, limit)
            + (state == null ? "" : path("&state=%s", state));
    Answers<List<PeekedEvent>> answers =
        calls.ask(
            toAll(queue, node -> get(page)),
            TIMEOUT,
            caller,
            answer -> list(answer, new TypeReference<>() {}));
    List<PeekedEvent> events =
        answers.values().values().stream()
            .flatMap(List::stream)
            .sorted(FIRST_IN_LINE)
            .limit(limit)
            .toList();
    return new Found<>(events, answers.unreached(), null);
  }

  /** Requeues dead letters. */
  public QueueActionAnswer requeue(String queue, DeadSelection selection, Principal caller) {
    return dead(queue, "requeue", selection, caller);
  }

  /**
   * Requeues a dead letter with other data.
   *
   * @param mediaType of the body, as for sending events
   * @param body one event, of which only the data are used
   * @throws MillraceException UNKNOWN_DEAD_LETTER if there is no dead letter of that handle;
   *     UNREACHABLE if its node does not answer: whether it was requeued is unknown then
   */
  public ChangedDeadEvent requeueChanged(
      String queue, String handle, String mediaType, byte[] body, Principal caller) {
    String name = DeadPages.Handle.parse(handle).node();
    QueueNodeView node =
        holders(queue).stream()
            .filter(holder -> holder.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorCode.UNKNOWN_DEAD_LETTER,
                        "queue %s has no dead letter %s: queue node %s holds none of its events"
                            .formatted(queue, handle, name)));
    URI uri = URI.create(path("/v1/queues/%s/dead/requeue-changed?handle=%s", queue, handle));
    Answers<ChangedDeadEvent> answers =
        calls.ask(
            Map.of(node, HttpCall.post(uri, mediaType, body)),
            ACTING,
            caller,
            answer -> answer.as(ChangedDeadEvent.class));
    ChangedDeadEvent changed = answers.values().get(name);
    if (changed == null) {
      throw new MillraceException(
          ErrorCode.UNREACHABLE,
          "queue node %s does not answer; whether dead letter %s was requeued is unknown, and trying again is safe"
              .formatted(name, handle));
    }
    return changed;
  }

  /** Deletes dead letters. */
  public QueueActionAnswer drop(String queue, DeadSelection selection, Principal caller) {
    return dead(queue, "drop", selection, caller);
  }

  private QueueActionAnswer dead(
      String queue, String action, DeadSelection selection, Principal caller) {
    if (selection.unbounded() && !selection.all()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "name the dead letters by handles, ids, reasonContains or olderThan, or set all=true");
    }
    if (selection.max() != null && selection.max() < 1) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "max must be at least 1, not " + selection.max());
    }
    URI uri = URI.create(path("/v1/queues/%s/dead/%s", queue, action));
    return selection.max() == null
        ? atOnce(queue, uri, selection, caller)
        : oneByOne(queue, uri, selection, caller);
  }

  private QueueActionAnswer atOnce(
      String queue, URI uri, DeadSelection selection, Principal caller) {
    Selections parts = Selections.of(selection, holders(queue));
    Map<QueueNodeView, HttpCall> asked = new LinkedHashMap<>();
    parts.byNode().forEach((node, part) -> asked.put(node, HttpCall.post(uri, part)));
    return sum(act(asked, caller), parts.nowhere());
  }

  /** With a limit over all segments each node gets what the previous ones have left of it. */
  private QueueActionAnswer oneByOne(
      String queue, URI uri, DeadSelection selection, Principal caller) {
    Selections parts = Selections.of(selection, holders(queue));
    List<String> unreached = new ArrayList<>(parts.nowhere());
    long events = 0;
    for (Map.Entry<QueueNodeView, DeadSelection> part : parts.byNode().entrySet()) {
      int left = (int) (selection.max() - events);
      if (left > 0) {
        HttpCall call = HttpCall.post(uri, Selections.atMost(part.getValue(), left));
        QueueActionAnswer answer = sum(act(Map.of(part.getKey(), call), caller), List.of());
        events += answer.events();
        unreached.addAll(answer.unreached());
      }
    }
    return new QueueActionAnswer(events, unreached);
  }

  /** Deletes events that are not leased. */
  public QueueActionAnswer purge(String queue, PurgeRequest request, Principal caller) {
    if (!queue.equals(request.confirm())) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "confirm must be the queue's name, '%s'; nothing was deleted".formatted(queue));
    }
    URI uri = URI.create(path("/v1/queues/%s/purge", queue));
    return sum(act(toAll(queue, node -> HttpCall.post(uri, request)), caller), List.of());
  }

  private Answers<QueueActionAnswer> act(Map<QueueNodeView, HttpCall> asked, Principal caller) {
    return calls.ask(asked, ACTING, caller, answer -> answer.as(QueueActionAnswer.class));
  }

  private static QueueActionAnswer sum(Answers<QueueActionAnswer> answers, List<String> nowhere) {
    List<String> unreached = new ArrayList<>(answers.unreached());
    unreached.addAll(nowhere);
    return new QueueActionAnswer(
        answers.values().values().stream().mapToLong(QueueActionAnswer::events).sum(), unreached);
  }

  private Map<QueueNodeView, HttpCall> toAll(String queue, Function<QueueNodeView, HttpCall> call) {
    return holders(queue).stream()
        .collect(
            Collectors.toMap(
                Function.identity(), call, (first, second) -> first, LinkedHashMap::new));
  }

  private List<QueueNodeView> holders(String queue) {
    definitions.require(queue);
    return nodes.holders(queue);
  }

  private static DeadPages.Part part(HttpAnswer answer) {
    String next = answer.headers().get(EventMedia.NEXT_HEADER.toLowerCase(Locale.ROOT));
    return new DeadPages.Part(list(answer, new TypeReference<>() {}), next != null);
  }

  private static HttpCall get(String path) {
    return HttpCall.get(URI.create(path));
  }

  private static <T> List<T> list(HttpAnswer answer, TypeReference<List<T>> type) {
    try {
      List<T> list = Json.mapper().readValue(answer.body(), type);
      if (list != null && !list.contains(null)) {
        return list;
      }
      throw new MillraceException(ErrorCode.INTERNAL, "the answer of a queue node is no list");
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "the answer of a queue node is unreadable", e);
    }
  }

  /**
   * Events found on the segments of a queue.
   *
   * @param events in the order shown
   * @param unreached queue nodes that hold a segment and did not answer
   * @param next where the next page begins; null for the last page
   */
  public record Found<T>(List<T> events, List<String> unreached, String next) {}

  /**
   * The part of a selection for each node: handles go to the node that they name, everything else
   * to every node. Pure.
   *
   * @param byNode the selection for each node
   * @param nowhere nodes that handles name but that hold no segment
   */
  private record Selections(Map<QueueNodeView, DeadSelection> byNode, List<String> nowhere) {
    static Selections of(DeadSelection selection, Collection<QueueNodeView> holders) {
      Map<QueueNodeView, DeadSelection> byNode = new LinkedHashMap<>();
      if (selection.handles() == null) {
        holders.forEach(node -> byNode.put(node, selection));
        return new Selections(byNode, List.of());
      }
      Map<String, List<String>> handles = new TreeMap<>();
      for (String handle : selection.handles()) {
        handles
            .computeIfAbsent(DeadPages.Handle.parse(handle).node(), node -> new ArrayList<>())
            .add(handle);
      }
      for (QueueNodeView node : holders) {
        List<String> own = handles.remove(node.name());
        if (own != null) {
          byNode.put(node, with(selection, own, selection.max()));
        }
      }
      return new Selections(byNode, List.copyOf(handles.keySet()));
    }

    /** The same selection with a limit. */
    static DeadSelection atMost(DeadSelection selection, int max) {
      return with(selection, selection.handles(), max);
    }

    private static DeadSelection with(DeadSelection selection, List<String> handles, Integer max) {
      return new DeadSelection(
          handles,
          selection.ids(),
          selection.reasonContains(),
          selection.olderThan(),
          selection.all(),
          max);
    }
  }
}
