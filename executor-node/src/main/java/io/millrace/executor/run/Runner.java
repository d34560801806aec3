package io.millrace.executor.run;

/** Starts attempts of one kind. Thread-safe. */
sealed interface Runner permits CommandRunner, WorkerRunner, ProgramRunner {
  /** Begins the attempt without blocking; whatever goes wrong is the run's result. */
  Run start(AttemptRecord record);
}
