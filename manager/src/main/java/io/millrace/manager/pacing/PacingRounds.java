package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.QueueClient;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.pacing.RequestBatcher.Answer;
import io.millrace.platform.identity.BoundedCache;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The requests of all queue managers of one process, batched: a thousand managers that tick
 * together call the central manager twice and each queue node once. Thread-safe; every method
 * blocks.
 */
final class PacingRounds {
  private static final Duration LONGEST_WINDOW = Duration.ofMillis(50);

  /** The fraction of a tick that its request waits for the others. */
  private static final int PART_OF_TICK = 100;

  private static final int MAX_NODES = 1_000;

  private final RequestBatcher<PacedSegment, PacingView> views = new RequestBatcher<>();
  private final RequestBatcher<PacedDecision, Boolean> decisions = new RequestBatcher<>();
  // By address, which changes with each restart of a node. One that was pushed out while in use is
  // only asked a little more often.
  private final BoundedCache<URI, RequestBatcher<String, SegmentFigures>> figures =
      new BoundedCache<>(MAX_NODES);

  /** The central manager's view for one segment's manager. */
  PacingView view(ProgramContext context, String queue, String node, Duration tick)
      throws InterruptedException {
    return views.ask(new PacedSegment(queue, node), window(tick), all -> views(context, all));
  }

  private static List<Answer<PacingView>> views(ProgramContext context, List<PacedSegment> all) {
    List<Answer<PacingView>> answers = new ArrayList<>(all.size());
    for (List<PacedSegment> part : parts(all)) {
      PacingRound round = new PacingRound(List.of(), part);
      for (PacingAnswer answer : context.central().pace(round).views()) {
        answers.add(
            answer.view() == null
                ? new Answer<>(null, answer.problem().toException())
                : Answer.of(answer.view()));
      }
    }
    return answers;
  }

  /** Records a decision and submits its workers, if the attempt is current. */
  void record(ProgramContext context, String queue, String node, PacingRecord record, Duration tick)
      throws InterruptedException {
    PacedDecision decision = new PacedDecision(queue, node, record, context.secret());
    decisions.ask(decision, window(tick), all -> record(context, all));
  }

  private static List<Answer<Boolean>> record(ProgramContext context, List<PacedDecision> all) {
    List<PacingAnswer> refused = new ArrayList<>();
    for (List<PacedDecision> part : parts(all)) {
      refused.addAll(context.central().pace(new PacingRound(part, List.of())).refused());
    }
    return all.stream().map(one -> answer(one, refused)).toList();
  }

  private static Answer<Boolean> answer(PacedDecision one, List<PacingAnswer> refused) {
    return refused.stream()
        .filter(no -> no.concerns(one))
        .findFirst()
        .map(no -> new Answer<Boolean>(null, no.problem().toException()))
        .orElseGet(() -> Answer.of(true));
  }

  /** A segment's figures, read from its queue node. */
  SegmentFigures figures(
      ProgramContext context, String node, URI address, String queue, Duration tick)
      throws InterruptedException {
    return batcher(address).ask(queue, window(tick), all -> figures(context, node, address, all));
  }

  private synchronized RequestBatcher<String, SegmentFigures> batcher(URI address) {
    Optional<RequestBatcher<String, SegmentFigures>> known = figures.get(address);
    if (known.isEmpty()) {
      figures.put(address, new RequestBatcher<>());
    }
    return known.or(() -> figures.get(address)).orElseThrow();
  }

  private static List<Answer<SegmentFigures>> figures(
      ProgramContext context, String node, URI address, List<String> queues) {
    QueueClient client = context.queueNode(node, address);
    if (queues.size() == 1) {
      return List.of(Answer.of(client.figures(queues.get(0))));
    }
    Map<String, SegmentFigures> all =
        client.figures().stream()
            .collect(Collectors.toMap(SegmentFigures::queue, Function.identity()));
    return queues.stream()
        .map(queue -> all.containsKey(queue) ? Answer.of(all.get(queue)) : missing(node, queue))
        .toList();
  }

  private static Answer<SegmentFigures> missing(String node, String queue) {
    return new Answer<>(
        null,
        new MillraceException(ErrorCode.UNKNOWN_SEGMENT, node + " holds no segment of " + queue));
  }

  private static Duration window(Duration tick) {
    Duration part = tick.dividedBy(PART_OF_TICK);
    return part.compareTo(LONGEST_WINDOW) < 0 ? part : LONGEST_WINDOW;
  }

  private static <T> List<List<T>> parts(List<T> all) {
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += PacingRound.MAX) {
      parts.add(all.subList(from, Math.min(all.size(), from + PacingRound.MAX)));
    }
    return parts;
  }
}
