package io.millrace.manager.pacing;

/** What held a decision back, in words for somebody who knows queues and not pacing. Pure. */
public final class GateMessages {
  /** The gate of a decision that nothing held back. */
  public static final String NOTHING = "NONE";

  private GateMessages() {}

  /** What to do about it, too; the gate's name for one that this version doesn't know. */
  public static String of(String gate) {
    return switch (gate) {
      case NOTHING -> "nothing held it back";
      case "NO_FIGURES" -> "its queue node could not be read, and nothing is started blindly";
      case "PAUSED" -> "operators have paused consuming ('millrace queue resume' ends it)";
      case "SUBMITTED_NOT_STARTED" ->
          "enough workers wait for a slot already (pacing.maxStarting): more slots would help, more"
              + " workers would not";
      case "MAX_WORKERS" -> "the queue has as many workers as it may have (pacing.maxWorkers)";
      case "MAX_RATE" -> "its events are limited to a rate (pacing.maxEventsPerSecond)";
      case "BREAKER_OPEN" ->
          "its workers fail whatever they are given, so that only probes are started ('millrace"
              + " queue logs --failed' shows why)";
      case "MAX_STARTS" -> "one tick starts only so many";
      case "NODE_BUSY" -> "its queue node is busy, so that half is started";
      case "NODE_TOOBUSY" -> "its queue node is too busy, so that fewer are started than finish";
      case "COMPLETIONS_FLAT" ->
          "more workers bring no more finished events: what they depend on is the limit";
      default -> gate;
    };
  }
}
