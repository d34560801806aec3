package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** An attempt of which no process came to be. */
record FailedStart(AttemptId id, Instant startedAt, CompletableFuture<Ending> ending)
    implements SupervisedProcess {

  @Override
  public OptionalLong pid() {
    return OptionalLong.empty();
  }

  @Override
  public void stop(StopReason reason) {
    // There is nothing to stop.
  }
}
