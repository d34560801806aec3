package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.queue.NodeState;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSettings.DemandSettings.EventPull;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.ReasonKind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The sentences of all reasons and gates, compared with the figures that they are about. */
class ReasonSentencesTest {
  private static final int QUEUES = 400;
  private static final int TICKS = 60;

  private static final String NUMBER = "(-?[0-9.]+)";
  private static final Pattern SUM =
      Pattern.compile(
          "(\\d+) waiting \\+ %1$s/s measured arrivals for %1$s s − %1$s already covered = %1$s.*"
              .formatted(NUMBER));
  private static final Pattern ARROW = Pattern.compile("→ (\\d+)(?: full)? workers?");
  private static final Pattern AND_MORE = Pattern.compile("and (\\d+) not full but worth");
  private static final Pattern RATES =
      Pattern.compile("rate %1$s/s (?:raised|lowered) to %1$s/s".formatted(NUMBER));

  /** The gates of decisions, with what their sentences must match; the others have no figures. */
  private static final Map<Gate, Pattern> GATES = new EnumMap<>(Gate.class);

  static {
    GATES.put(
        Gate.SUBMITTED_NOT_STARTED,
        Pattern.compile("; (\\d+) submitted workers are waiting for a slot, at most (\\d+) may →"));
    GATES.put(Gate.MAX_WORKERS, Pattern.compile("; (\\d+) of maxWorkers (\\d+) are outstanding →"));
    GATES.put(Gate.MAX_STARTS, Pattern.compile("; maxStartsPerTick → (\\d+) workers?"));
    GATES.put(Gate.NODE_BUSY, Pattern.compile("; the node is BUSY: half → (\\d+) workers?"));
    GATES.put(
        Gate.NODE_TOOBUSY,
        Pattern.compile(
            "; the node is TOOBUSY: (?:one at a time|fewer than the (\\d+) that finished) →"));
    GATES.put(
        Gate.COMPLETIONS_FLAT,
        Pattern.compile("; (\\d+) workers are running but completions stay flat: .* →"));
  }

  private final Random random = new Random(11);
  private final Set<ReasonKind> kinds = EnumSet.noneOf(ReasonKind.class);
  private final Set<Gate> gates = EnumSet.noneOf(Gate.class);

  @Test
  void everySentenceAgreesWithItsFigures() {
    for (int queue = 0; queue < QUEUES; queue++) {
      play(settings(queue));
    }
    PacingDecision paused =
        PacingDecision.paused("paused by ann", PacingState.initial(), Duration.ZERO);
    assertThat(paused.reason()).isEqualTo("paused by ann");
    kinds.add(paused.why().kind());
    gates.add(paused.gate());

    // Those of sessions: SessionPacingTest.
    assertThat(kinds)
        .isEqualTo(EnumSet.complementOf(EnumSet.of(ReasonKind.SIMULATED, ReasonKind.SESSIONS)));
    // The last two are applied when a decision is carried out, see PacingServiceTest.
    assertThat(gates).isEqualTo(EnumSet.complementOf(EnumSet.of(Gate.MAX_RATE, Gate.BREAKER_OPEN)));
  }

  @Test
  void noGateClaimsThatWorkersExist() {
    for (Gate gate : Gate.values()) {
      assertThat(Gate.explain(gate.name())).doesNotContain("has its maximum", "enough workers are");
    }
  }

  private PacingSettings settings(int queue) {
    PacingSettings settings =
        PacingSettings.ofBatch(1 + random.nextInt(60))
            .withPolicy(queue % 2 == 0 ? "demand" : "threshold")
            .withLimits(
                new PacingLimits(
                    1 + random.nextInt(200), 1 + random.nextInt(200), 1 + random.nextInt(200)));
    DemandSettings demand = settings.demand();
    return switch (queue / 2 % 4) {
      case 0 -> settings;
      case 3 -> settings.withDemand(demand.withWaitTarget(Duration.ofMinutes(1)));
      case 1 -> settings.withDemand(demand.withPull(EventPull.WHILE_RUNNING));
      default ->
          settings.withDemand(
              demand.withLinger(Duration.ofSeconds(20)).withWaitTarget(Duration.ofSeconds(1)));
    };
  }

  private void play(PacingSettings settings) {
    PacingPolicy policy = PacingPolicy.named(settings.policy());
    PacingState state = PacingState.initial();
    long inserted = 0;
    long acknowledged = 0;
    boolean stuck = random.nextInt(4) == 0;
    int scale = List.of(1, 5, 100, 3_000).get(random.nextInt(4));
    for (int tick = 0; tick < TICKS; tick++) {
      inserted += random.nextInt(scale);
      acknowledged += stuck ? 0 : random.nextInt(scale);
      QueueFigures queue = queue(scale, inserted, acknowledged);
      WorkerFigures workers = workers(settings, stuck);
      boolean unread = random.nextInt(50) == 0;
      PacingSnapshot seen =
          new PacingSnapshot(
              settings.tick(),
              unread ? Optional.empty() : Optional.of(queue),
              Optional.of(workers));
      PacingState before = state;
      PacingDecision decision = policy.decide(seen, settings, state);
      state = decision.state();
      kinds.add(decision.why().kind());
      gates.add(decision.gate());
      if (unread) {
        assertThat(decision.reason()).startsWith("the segment could not be read");
      } else {
        check(decision, queue, workers, settings, before);
      }
    }
  }

  private QueueFigures queue(int scale, long inserted, long acknowledged) {
    long waiting = random.nextInt(3) == 0 ? 0 : random.nextInt(scale);
    NodeState node =
        random.nextInt(4) > 0
            ? NodeState.NORMAL
            : NodeState.values()[random.nextInt(NodeState.values().length)];
    Duration age = Duration.ofMillis(waiting == 0 ? 0 : random.nextInt(6_000));
    return new QueueFigures(waiting, 0, inserted, acknowledged, age, node);
  }

  private WorkerFigures workers(PacingSettings settings, boolean stuck) {
    int notStarted = random.nextInt(3) == 0 ? random.nextInt(30) : 0;
    int running = stuck ? 20 : random.nextInt(3) == 0 ? random.nextInt(30) : 0;
    boolean pulls = settings.demand().pull() == EventPull.WHILE_RUNNING;
    return new WorkerFigures(
        notStarted,
        running,
        (long) notStarted * settings.eventsPerWorker(),
        pulls ? (long) running * settings.eventsPerWorker() / 2 : 0,
        0,
        random.nextInt(4),
        random.nextBoolean() ? Optional.empty() : Optional.of(Duration.ofMillis(400)),
        random.nextBoolean() ? Optional.empty() : Optional.of(Duration.ofMillis(900)),
        notStarted + running + random.nextInt(5));
  }

  private static void check(
      PacingDecision decision,
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings,
      PacingState before) {
    String text = decision.reason();
    String own = text.split("; ", 2)[0];
    switch (decision.why().kind()) {
      case WORTH_STARTING, LINGERING -> {
        checkSum(own, queue, decision);
        int more = find(AND_MORE, own).map(found -> Integer.parseInt(found.group(1))).orElse(0);
        assertThat(arrow(own) + more).as(own).isEqualTo(decision.wanted()).isPositive();
      }
      case NOTHING_WAITING -> {
        assertThat(own).startsWith("nothing is waiting");
        assertThat(queue.waiting()).isZero();
        assertThat(decision.wanted()).isZero();
      }
      case ABOUT_TO_START -> {
        checkSum(own, queue, decision);
        assertThat(own)
            .matches(".*, " + workers.notStarted() + " workers? about to start")
            .doesNotContain(", 0 workers");
        assertThat(decision.wanted()).isZero();
      }
      case TAKEN_SOON -> {
        checkSum(own, queue, decision);
        assertThat(own).endsWith(", which running workers will take");
        assertThat(workers.running()).as(own).isPositive();
        assertThat(queue.waiting()).as(own).isLessThanOrEqualTo(workers.runningCapacity());
      }
      case TARGET_MISSED, TARGET_KEPT -> {
        checkSum(own, queue, decision);
        boolean missed = decision.why().kind() == ReasonKind.TARGET_MISSED;
        assertThat(own)
            .contains(missed ? "would miss the wait target of" : "is within the wait target of")
            .contains(
                Reason.ReasonFigures.seconds(queue.oldestAge()),
                Reason.ReasonFigures.seconds(settings.demand().waitTarget()));
        assertThat(decision.wanted()).isEqualTo(missed ? 1 : 0);
      }
      case RATE_BETWEEN, RATE_RAISED, RATE_LOWERED, RATE_KEPT ->
          checkRate(own, decision, queue, before);
      case NO_FIGURES, PAUSED, SIMULATED ->
          throw new AssertionError("figures were read, but the reason is " + text);
    }
    checkGate(decision, queue, workers, settings);
  }

  /** The sum is of this segment's figures and adds up, within the rounding of what is shown. */
  private static void checkSum(String text, QueueFigures queue, PacingDecision decision) {
    MatchResult sum = find(SUM, text).orElseThrow(() -> new AssertionError("no sum in: " + text));
    double rate = Double.parseDouble(sum.group(2));
    double horizon = Double.parseDouble(sum.group(3));
    double covered = Double.parseDouble(sum.group(4));
    assertThat(Long.parseLong(sum.group(1))).as(text).isEqualTo(queue.waiting());
    assertThat(rate).as(text).isCloseTo(decision.state().arrivals().rate(), within(0.051));
    assertThat(Double.parseDouble(sum.group(5)))
        .as(text)
        .isCloseTo(
            queue.waiting() + rate * horizon - covered, within(0.06 * (rate + horizon) + 0.2));
  }

  private static void checkRate(
      String text, PacingDecision decision, QueueFigures queue, PacingState before) {
    assertThat(arrow(text)).as(text).isEqualTo(decision.wanted());
    double after = decision.state().threshold().rate();
    find(RATES, text)
        .ifPresent(
            rates -> {
              double from = Double.parseDouble(rates.group(1));
              double to = Double.parseDouble(rates.group(2));
              assertThat(to).as(text).isCloseTo(after, within(0.051));
              if (before.threshold().rate() > 0) {
                assertThat(from).as(text).isCloseTo(before.threshold().rate(), within(0.051));
              }
            });
    switch (decision.why().kind()) {
      case RATE_RAISED -> assertThat(after).isGreaterThan(before.threshold().rate());
      case RATE_LOWERED -> assertThat(after).isLessThanOrEqualTo(before.threshold().rate());
      default -> assertThat(text).startsWith(queue.waiting() + " waiting, rate ");
    }
  }

  private static void checkGate(
      PacingDecision decision, QueueFigures queue, WorkerFigures workers, PacingSettings settings) {
    String text = decision.reason();
    Gate gate = decision.gate();
    if (gate == Gate.NONE) {
      assertThat(text).doesNotContain("; ");
      assertThat(decision.workers()).isEqualTo(decision.wanted());
      return;
    }
    MatchResult said =
        find(GATES.get(gate), text).orElseThrow(() -> new AssertionError(gate + ": " + text));
    assertThat(decision.workers()).as(text).isLessThan(decision.wanted());
    assertThat(arrow(text)).as(text).isEqualTo(decision.workers());
    switch (gate) {
      case SUBMITTED_NOT_STARTED ->
          assertThat(numbers(said))
              .containsExactly(workers.notStarted(), settings.limits().maxNotStarted());
      case MAX_WORKERS ->
          assertThat(numbers(said))
              .containsExactly(workers.outstandingInCluster(), settings.limits().maxWorkers());
      case MAX_STARTS ->
          assertThat(decision.workers()).isEqualTo(settings.limits().maxStartsPerTick());
      case NODE_BUSY -> assertThat(queue.nodeState()).isEqualTo(NodeState.BUSY);
      case NODE_TOOBUSY -> {
        assertThat(queue.nodeState()).isEqualTo(NodeState.TOOBUSY);
        assertThat(said.group(1) == null).as(text).isEqualTo(workers.outstanding() == 0);
      }
      case COMPLETIONS_FLAT -> assertThat(numbers(said)).containsExactly(workers.running());
      default -> throw new AssertionError("no policy is limited by " + gate);
    }
  }

  /** The last number of workers that a text ends with. */
  private static int arrow(String text) {
    Matcher matcher = ARROW.matcher(text);
    int last = -1;
    while (matcher.find()) {
      last = Integer.parseInt(matcher.group(1));
    }
    assertThat(last).as(text).isNotNegative();
    return last;
  }

  private static List<Integer> numbers(MatchResult found) {
    return IntStream.rangeClosed(1, found.groupCount())
        .mapToObj(group -> Integer.parseInt(found.group(group)))
        .toList();
  }

  private static Optional<MatchResult> find(Pattern pattern, String text) {
    return pattern.matcher(text).results().reduce((first, second) -> second);
  }
}
