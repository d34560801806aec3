package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.deletion.StoredOnlyRemoval;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletions of several definitions: one that fails keeps no other from its end. */
class DefinitionDeletionsTest {
  @TempDir Path folder;
  private QueueWorld world;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    world.deletions.add(new BrokenRemoval());
    world.reports("q1");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aDefinitionThatCannotBeTidiedDoesNotKeepTheOthersFromIt() {
    delete("alert");
    insert("DELETED", "now()");
    // Somebody who read the queue before its deletion.
    world.weigh("alert", Map.of("q1", 1000));
    delete("other");

    assertThat(world.weights.find("alert")).isEmpty();
    assertThat(world.queues.find("other")).isEmpty();
    assertThat(world.deletions.problems()).isEmpty();
  }

  @Test
  void deletedDefinitionsAreListedUntilTheyAreCreatedAgain() {
    assertThat(world.deletions.deleted()).isEmpty();
    delete("alert");
    delete("other");
    assertThat(world.deletions.deleted())
        .extracting(DeletionView::kind, DeletionView::name, DeletionView::version)
        .containsExactly(tuple("queue", "other", 1), tuple("queue", "alert", 1));

    world.apply("{kind: queue, name: alert, worker: {command: [cat]}}");
    assertThat(world.deletions.deleted()).extracting(DeletionView::name).containsExactly("other");
  }

  @Test
  void aDeletionThatFailsRemainsAProblemAndDoesNotKeepTheOthersFromTheirEnd() {
    insert("ENDING", "null");
    world.pass("definition_deletion", "said_at", Duration.ofMinutes(2));
    delete("alert");

    assertThat(world.queues.find("alert")).isEmpty();
    assertThat(world.deletions.problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.subject()).isEqualTo("one");
              assertThat(problem.message()).contains("waits for: somebody");
            });
  }

  private void delete(String queue) {
    world.apply("{kind: queue, name: %s, worker: {command: [cat]}}".formatted(queue));
    world.deletions.delete("queue", queue, new DeletionRequest(null, false), "ann");
    world.reportClosed("q1", List.of(new SegmentClosure(queue, 1, true)));
    for (int i = 0; i < 4; i++) {
      world.deletions.advance();
    }
  }

  private void insert(String state, String ended) {
    world.database.transaction(
        handle ->
            handle.execute(
                """
                insert into definition_deletion (kind, name, version, mode, state, said_by, said_at,
                    ended_at, dropped)
                values ('broken', 'one', 1, 'NONE', '%s', 'ann', now(), %s, 0)
                """
                    .formatted(state, ended)));
  }

  /** Fails at every step of a kind whose name comes before queues. */
  private static final class BrokenRemoval implements DefinitionRemoval {
    private final DefinitionRemoval plain = new StoredOnlyRemoval("broken");

    @Override
    public String kind() {
      return plain.kind();
    }

    @Override
    public RemovalPlan plan(
        Handle handle, DefinitionRow inForce, DeletionMode mode, DeletionRow before) {
      return plain.plan(handle, inForce, mode, before);
    }

    @Override
    public void begin(Handle handle, DeletionRow begun, Instant now) {
      plain.begin(handle, begun, now);
    }

    @Override
    public void advance(DeletionRow open) {
      throw new IllegalStateException("cannot go on");
    }

    @Override
    public List<String> waitsFor(DeletionRow open) {
      return List.of("somebody");
    }

    @Override
    public void tidy(Handle handle, DeletionRow done) {
      throw new IllegalStateException("cannot be tidied");
    }
  }
}
