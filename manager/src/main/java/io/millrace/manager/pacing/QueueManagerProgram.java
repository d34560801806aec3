package io.millrace.manager.pacing;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A queue manager: paces the workers of one segment until it is stopped or another attempt has
 * taken its place. Arguments: the queue and the queue node's name. All managers of one process tick
 * at the same moments, so that what they ask can be asked together.
 */
public final class QueueManagerProgram implements BuiltinProgram {
  /** What a job's spec asks for. */
  public static final String NAME = "queue-manager";

  private final PacingRounds rounds = new PacingRounds();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int run(ProgramContext context) throws InterruptedException {
    List<String> arguments = context.arguments();
    if (arguments.size() != 2) {
      context.print(NAME + " wants two arguments, the queue and the queue node, not " + arguments);
      return 2;
    }
    SegmentPacer pacer = new SegmentPacer(context, rounds, arguments.get(0), arguments.get(1));
    Optional<Duration> pause = pacer.tick();
    while (pause.isPresent()) {
      context.pause(untilNext(pause.get(), context.nanoTime()));
      pause = pacer.tick();
    }
    return 0;
  }

  /** The time until the next whole multiple of the tick, which is the same for all managers. */
  static Duration untilNext(Duration tick, long nanos) {
    return Duration.ofNanos(tick.toNanos() - Math.floorMod(nanos, tick.toNanos()));
  }
}
