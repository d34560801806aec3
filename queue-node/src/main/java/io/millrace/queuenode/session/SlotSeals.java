package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.api.session.SlotTable;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.agent.SlotGiver;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.store.Change;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Chooses and seals slots that this node gives away, and has the weight row changed for operators.
 * As long as the outcome of a request is unknown its slots stay sealed, and it is repeated.
 * Thread-safe.
 */
public final class SlotSeals implements SlotGiver {
  private static final int FIRST_STATUS_OF_SERVER_FAULTS = 500;

  private final String node;
  private final SessionRules rules;
  private final SessionCommits commits;
  private final CentralClient central;
  private final Map<String, Set<Integer>> underWay = new ConcurrentHashMap<>();
  // Guarded by this.
  private MoveRequest unanswered;

  public SlotSeals(String node, SessionService sessions, CentralClient central) {
    this.node = node;
    this.rules = sessions.rules();
    this.commits = sessions.commits();
    this.central = central;
  }

  /** Whether a slot is sealed for a move whose outcome is not known yet. */
  boolean holds(String queue, int slot) {
    return underWay.getOrDefault(queue, Set.of()).contains(slot);
  }

  @Override
  public List<WeightMove> seal(List<WeightMove> moves) {
    List<WeightMove> sealed = new ArrayList<>();
    for (WeightMove move : moves) {
      if (!rules.topology().ofSessions(move.queue())) {
        sealed.add(move);
        continue;
      }
      List<Integer> slots = choose(move);
      if (!slots.isEmpty()) {
        sealed.add(
            new WeightMove(
                move.queue(), move.version(), move.from(), move.to(), slots.size(), slots));
      }
    }
    return List.copyOf(sealed);
  }

  /** Slots that no other move has, all of whose events are here; the highest first. */
  private synchronized List<Integer> choose(WeightMove move) {
    String queue = move.queue();
    FollowedTopology now = rules.topology();
    SlotTable table = now.slots(queue).orElse(null);
    if (table == null || now.weightsVersion(queue) != move.version()) {
      return List.of();
    }
    Map<Integer, HeldSlot> held =
        commits.always(Change.of(queue, s -> s.slots(queue))).stream()
            .collect(Collectors.toMap(HeldSlot::slot, one -> one));
    List<Integer> own = new ArrayList<>(table.slotsOf(node));
    Collections.reverse(own);
    List<Integer> chosen =
        own.stream()
            .filter(slot -> movable(queue, table, slot, held.get(slot)))
            .limit(move.points())
            .sorted()
            .toList();
    if (!chosen.isEmpty()) {
      underWay.computeIfAbsent(queue, name -> ConcurrentHashMap.newKeySet()).addAll(chosen);
      try {
        commits.carryOut(commits.always(Change.lasting(queue, s -> s.seal(queue, chosen))));
      } catch (RuntimeException e) {
        // If they were sealed after all, they are served again after a while.
        release(queue, chosen);
        throw e;
      }
    }
    return chosen;
  }

  private boolean movable(String queue, SlotTable table, int slot, HeldSlot held) {
    return held != null
        && held.epoch() == table.owner(slot).epoch()
        && !held.sealed()
        // Its next owner would not know for how long.
        && !held.holding()
        && held.undrained().isEmpty()
        && table.owner(slot).undrained().isEmpty()
        && !holds(queue, slot);
  }

  @Override
  public void refused(List<WeightMove> moves) {
    for (WeightMove move : moves) {
      if (!move.slots().isEmpty()) {
        String queue = move.queue();
        try {
          commits.carryOut(
              commits.always(Change.lasting(queue, s -> s.unseal(queue, move.slots()))));
        } finally {
          // Those that stay sealed are served again after a while.
          release(queue, move.slots());
        }
      }
    }
  }

  @Override
  public void moved(List<WeightMove> moves) {
    moves.forEach(move -> release(move.queue(), move.slots()));
  }

  private void release(String queue, List<Integer> slots) {
    Set<Integer> held = underWay.get(queue);
    if (held != null) {
      held.removeAll(new HashSet<>(slots));
    }
  }

  /**
   * Gives slots of a queue to another node now.
   *
   * @throws MillraceException CONFLICT if there are none that can be moved now, or an earlier such
   *     request is not settled; TIMEOUT if its outcome is unknown, so that it is repeated
   */
  public synchronized MoveAnswer move(String queue, SlotMoveRequest request, String by) {
    rules.require(queue);
    if (request.points() < 1 || request.to() == null || request.to().equals(node)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "name another node in 'to', and at least 1 in 'points': how many slots it gets");
    }
    settle();
    if (unanswered != null) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          node
              + " does not know yet whether its move of "
              + queues(unanswered)
              + " was carried out; try again when a central manager answers");
    }
    long version = rules.topology().weightsVersion(queue);
    List<WeightMove> sealed =
        seal(List.of(new WeightMove(queue, version, node, request.to(), request.points())));
    if (sealed.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          node
              + " has no slots of "
              + queue
              + " that can be moved now: the events of earlier owners have not arrived, workers of"
              + " a lost one may still be at work, or they are on their way already; try again");
    }
    MoveRequest asked =
        new MoveRequest(
            UUID.randomUUID(),
            node,
            BalancingKind.OPERATOR,
            "operator",
            sealed,
            "requested by " + by,
            null);
    return carriedOut(asked);
  }

  private MoveAnswer carriedOut(MoveRequest asked) {
    try {
      MoveAnswer answer = central.move(asked);
      unanswered = null;
      moved(asked.moves());
      return answer;
    } catch (MillraceException e) {
      if (e.code().status() < FIRST_STATUS_OF_SERVER_FAULTS) {
        unanswered = null;
        refused(asked.moves());
        throw e;
      }
      unanswered = asked;
      throw new MillraceException(
          ErrorCode.TIMEOUT,
          "whether the slots were moved is unknown, and the request is repeated until a central"
              + " manager answers: "
              + e.getMessage(),
          e);
    }
  }

  /** Repeats a request whose outcome is unknown. Blocks. */
  synchronized void settle() {
    if (unanswered != null) {
      try {
        carriedOut(unanswered);
      } catch (MillraceException refusedOrUnknown) {
        // Known now, or repeated later.
        return;
      }
    }
  }

  private static Set<String> queues(MoveRequest request) {
    return request.moves().stream()
        .map(WeightMove::queue)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
