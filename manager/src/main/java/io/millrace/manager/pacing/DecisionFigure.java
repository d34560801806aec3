package io.millrace.manager.pacing;

/** The figures recorded with a decision: what was seen, and the settings in force. */
enum DecisionFigure {
  WAITING("waiting"),
  LEASED("leased"),
  OLDEST_SECONDS("oldestSeconds"),
  INSERTED("inserted"),
  ACKNOWLEDGED("acknowledged"),
  WEIGHT("weight"),
  STARTING("starting"),
  RUNNING("running"),
  STARTED("started"),
  FINISHED("finished"),
  REFILLED("refilled"),
  OPEN_CAPACITY("openCapacity"),
  QUEUE_OUTSTANDING("queueOutstanding"),
  ARRIVAL_RATE("arrivalRate"),
  WANTED("wanted"),
  START_LATENCY_SECONDS("startLatencySeconds"),
  RUN_SECONDS("runSeconds"),
  FAILED_RUNS("failedRuns"),
  BATCH("batch"),
  TICK_SECONDS("tickSeconds"),
  WAIT_TARGET_SECONDS("waitTargetSeconds"),
  MAX_WORKERS("maxWorkers"),
  MAX_STARTING("maxStarting"),
  MAX_PER_NODE("maxPerNode"),
  MAX_EVENTS_PER_SECOND("maxEventsPerSecond"),
  UPPER_LIMIT("upperLimit"),
  LOWER_LIMIT("lowerLimit"),
  BACKLOG("backlog"),
  RAISE("raise"),
  LOWER("lower"),
  EMPTY_READINGS("emptyReadings"),
  READ_EVERY_SECONDS("readEverySeconds"),
  EVALUATE_EVERY_SECONDS("evaluateEverySeconds"),
  INITIAL_RATE("initialRate"),
  MINIMUM_RATE("minimumRate"),
  LINGER_SECONDS("lingerSeconds"),
  LONGEST_RUN_SECONDS("longestRunSeconds"),
  SESSIONS("sessions"),
  UNASSIGNED_SESSIONS("unassignedSessions"),
  SESSION_WORKERS("sessionWorkers"),
  SESSION_CAPACITY("sessionCapacity"),
  MAX_PER_WORKER("maxPerWorker");

  private final String key;

  DecisionFigure(String key) {
    this.key = key;
  }

  /** Its name in records, exports and the API. */
  String key() {
    return key;
  }
}
