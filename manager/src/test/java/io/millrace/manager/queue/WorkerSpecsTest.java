package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.WorkerDefinition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerSpecsTest {
  @Test
  void aWorkerRunsAsTheUserAndWithTheSecretsOfItsQueuesDefinition() {
    WorkerDefinition worker =
        new WorkerDefinition(
            List.of("true"),
            null,
            null,
            null,
            null,
            0,
            0,
            null,
            null,
            null,
            "alice",
            Map.of("PASSWORD", "database"));
    QueueDefinition queue =
        new QueueDefinition("alert", 25, 0, 0, null, 0, null, 0, null, null, 0, null, worker);

    JobSpec spec = WorkerSpecs.worker(new VersionedQueue(queue, 1), "q1");

    assertThat(spec.runAs()).isEqualTo("alice");
    assertThat(spec.secrets()).containsExactly(Map.entry("PASSWORD", "database"));
    assertThat(spec.input().queue()).isEqualTo("alert");
  }
}
