package io.millrace.manager.node;

import io.millrace.manager.node.ClockSteps.ClockStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** The table {@code clock_step}. Stateless; works in its caller's transaction. */
public final class ClockStepDao {
  public void insert(Handle handle, ClockStep step) {
    handle
        .createUpdate(
            """
            insert into clock_step (source, step_millis, noticed_at)
            values (:source, :millis, :at)
            """)
        .bind("source", step.source())
        .bind("millis", step.step().toMillis())
        .bind("at", step.noticedAt())
        .execute();
  }

  /**
   * Steps noticed between two moments, newest first.
   *
   * @param first the source whose steps take precedence if there are many
   */
  public List<ClockStep> between(Handle handle, String first, Instant from, Instant to) {
    return steps(
        handle
            .createQuery(
                """
                select source, step_millis, noticed_at
                from (
                    select *
                    from clock_step
                    where noticed_at between :from and :to
                    order by case when source = :first then 0 else 1 end, noticed_at desc, id desc
                    limit 100) kept
                order by noticed_at desc, id desc
                """)
            .bind("first", first)
            .bind("from", from)
            .bind("to", to));
  }

  /** Steps of one source noticed between two moments, newest first. */
  public List<ClockStep> of(Handle handle, String source, Instant from, Instant to) {
    return steps(
        handle
            .createQuery(
                """
                select source, step_millis, noticed_at
                from clock_step
                where source = :source and noticed_at between :from and :to
                order by noticed_at desc, id desc
                limit 100
                """)
            .bind("source", source)
            .bind("from", from)
            .bind("to", to));
  }

  private static List<ClockStep> steps(Query query) {
    return query
        .map(
            row ->
                new ClockStep(
                    row.getColumn("source", String.class),
                    Duration.ofMillis(row.getColumn("step_millis", Long.class)),
                    row.getColumn("noticed_at", Instant.class)))
        .list();
  }

  /** Deletes steps noticed outside of the two moments. */
  public void keep(Handle handle, Instant from, Instant to) {
    handle
        .createUpdate(
            """
            delete from clock_step
            where noticed_at < :from or noticed_at > :to
            """)
        .bind("from", from)
        .bind("to", to)
        .execute();
  }
}
