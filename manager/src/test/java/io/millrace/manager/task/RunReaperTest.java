package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunReaperTest {
  private static final String DUTY = "delete-old-task-runs";
  private static final Duration TTL = Duration.ofMinutes(1);

  @TempDir Path folder;
  private TaskWorld world;
  private ClaimDao claims;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
    claims = new ClaimDao(world.database);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void onlyTheHolderOfTheDutyDeletesOldRuns() {
    world.apply("{kind: task, name: t, job: {command: [work]}}");
    long run = world.queue("t");
    world.database.transaction(
        handle -> handle.execute("update task_run set state = 'MISSED', ended_at = '2020-01-01'"));
    Claim lost = claims.acquireOrRenew(DUTY, "c1", TTL).orElseThrow();
    claims.release(DUTY, "c1");
    Claim held = claims.acquireOrRenew(DUTY, "c2", TTL).orElseThrow();

    world.reaper.forget(lost);
    assertThat(world.history("t")).extracting(one -> one.id()).containsExactly(run);

    world.reaper.forget(held);
    assertThat(world.history("t")).isEmpty();
  }
}
