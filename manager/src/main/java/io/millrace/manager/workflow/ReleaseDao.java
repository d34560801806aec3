package io.millrace.manager.workflow;

import io.millrace.api.job.JobState;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.StepNumbers.Packed;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;

/**
 * What moves steps on: ends that have consequences ({@code step_end}), conditions that release
 * steps ({@code workflow_opening}), released steps without a job ({@code released_step}) and the
 * arrays that they become elements of ({@code workflow_array}). Stateless.
 */
final class ReleaseDao {
  /** In place of an array: somebody declared how a step ended. */
  static final long DECLARED = 0;

  private static final List<String> OLDEST =
      List.of(
          "select workflow_id from step_end order by id limit :limit",
          "select workflow_id from workflow_opening order by id limit :limit",
          "select workflow_id from workflow_reset order by workflow_id limit :limit");

  private static final List<String> OLDEST_OF_OTHERS =
      List.of(
          """
          select workflow_id
          from step_end
          where workflow_id not in (<without>)
          order by id
          limit :limit
          """,
          """
          select workflow_id
          from workflow_opening
          where workflow_id not in (<without>)
          order by id
          limit :limit
          """,
          """
          select workflow_id
          from workflow_reset
          where workflow_id not in (<without>)
          order by workflow_id
          limit :limit
          """);

  /** An array of steps. */
  record StepArray(long array, long workflow, int template, int epoch) {}

  /** Ended steps of an array. */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record EndRow(long id, long workflow, long array, JobState state, int[] steps) {}

  /** Released steps of an array that have no job. */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record ReleasedRow(long id, int steps, byte[] numbers) {}

  void insertArray(Handle handle, StepArray array) {
    handle
        .createUpdate(
            """
            insert into workflow_array (array_id, workflow_id, template, epoch)
            values (:array, :workflow, :template, :epoch)
            """)
        .bind("array", array.array())
        .bind("workflow", array.workflow())
        .bind("template", array.template())
        .bind("epoch", array.epoch())
        .execute();
  }

  /** Those of the arrays whose elements are steps. */
  Map<Long, StepArray> arrays(Handle handle, Collection<Long> ids) {
    Map<Long, StepArray> arrays = new HashMap<>();
    if (!ids.isEmpty()) {
      handle
          .createQuery(
              """
              select array_id, workflow_id, template, epoch
              from workflow_array
              where array_id in (<ids>)
              """)
          .bindList("ids", List.copyOf(ids))
          .map(
              (row, context) ->
                  new StepArray(
                      row.getLong("array_id"),
                      row.getLong("workflow_id"),
                      row.getInt("template"),
                      row.getInt("epoch")))
          .forEach(array -> arrays.put(array.array(), array));
    }
    return arrays;
  }

  /** The arrays of a workflow, by rising id. */
  List<Long> arraysOf(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select array_id
            from workflow_array
            where workflow_id = :workflow
            order by array_id
            """)
        .bind("workflow", workflow)
        .mapTo(Long.class)
        .list();
  }

  /** The arrays of a workflow with their templates, by rising id. */
  List<StepArray> withTemplates(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select array_id, workflow_id, template, epoch
            from workflow_array
            where workflow_id = :workflow
            order by array_id
            """)
        .bind("workflow", workflow)
        .map(
            (row, context) ->
                new StepArray(
                    row.getLong("array_id"),
                    row.getLong("workflow_id"),
                    row.getInt("template"),
                    row.getInt("epoch")))
        .list();
  }

  /** The arrays of a template, by rising id. */
  List<Long> arraysOf(Handle handle, long workflow, int template) {
    return handle
        .createQuery(
            """
            select array_id
            from workflow_array
            where workflow_id = :workflow and template = :template
            order by array_id
            """)
        .bind("workflow", workflow)
        .bind("template", template)
        .mapTo(Long.class)
        .list();
  }

  /** All arrays of a workflow, by template. */
  Map<Integer, List<Long>> arraysByTemplate(Handle handle, long workflow) {
    Map<Integer, List<Long>> arrays = new HashMap<>();
    handle
        .createQuery(
            """
            select template, array_id
            from workflow_array
            where workflow_id = :workflow
            """)
        .bind("workflow", workflow)
        .map((row, context) -> Map.entry(row.getInt("template"), row.getLong("array_id")))
        .forEach(
            entry ->
                arrays
                    .computeIfAbsent(entry.getKey(), template -> new ArrayList<>())
                    .add(entry.getValue()));
    return arrays;
  }

  /** An element of an array whose job has not ended. */
  record OpenElement(long job, long index) {}

  /** Some elements of these arrays that have neither ended nor been cancelled. */
  List<OpenElement> openElements(Handle handle, Collection<Long> arrays, int limit) {
    if (arrays.isEmpty()) {
      return List.of();
    }
    return handle
        .createQuery(
            """
            select id, array_index
            from job
            where array_id in (<arrays>) and kind = 'SUBMITTED'
                and state in ('WAITING', 'BLOCKED', 'HELD', 'PLACED', 'RUNNING')
                and cancel_reason is null
            limit :limit
            """)
        .bindList("arrays", List.copyOf(arrays))
        .bind("limit", limit)
        .map((row, context) -> new OpenElement(row.getLong("id"), row.getLong("array_index")))
        .list();
  }

  void insertEnds(Handle handle, StepArray array, JobState state, List<Packed> ends) {
    if (ends.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into step_end (workflow_id, array_id, state, numbers)
            values (:workflow, :array, :state, :numbers)
            """);
    for (Packed packed : ends) {
      batch
          .bind("workflow", array.workflow())
          .bind("array", array.array())
          .bind("state", state.name())
          .bind("numbers", packed.bytes())
          .add();
    }
    batch.execute();
  }

  /** Some workflows with ends, openings or resets to carry out, without those, by rising id. */
  Set<Long> pending(Handle handle, Set<Long> without, int limit) {
    Set<Long> workflows = new TreeSet<>();
    for (String oldest : without.isEmpty() ? OLDEST : OLDEST_OF_OTHERS) {
      Query query = handle.createQuery(oldest).bind("limit", limit);
      if (!without.isEmpty()) {
        query.bindList("without", List.copyOf(without));
      }
      query.mapTo(Long.class).forEach(workflows::add);
    }
    return workflows;
  }

  /** Deletes what was to be carried out of a workflow that does not exist any more. */
  void forget(Handle handle, long workflow) {
    for (String statement :
        List.of(
            "delete from step_end where workflow_id = :workflow",
            "delete from workflow_opening where workflow_id = :workflow")) {
      handle.createUpdate(statement).bind("workflow", workflow).execute();
    }
  }

  /** Some ends of a workflow. */
  List<EndRow> ends(Handle handle, long workflow, int limit) {
    return handle
        .createQuery(
            """
            select id, workflow_id, array_id, state, numbers
            from step_end
            where workflow_id = :workflow
            order by workflow_id, id
            limit :limit
            """)
        .bind("workflow", workflow)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new EndRow(
                    row.getLong("id"),
                    row.getLong("workflow_id"),
                    row.getLong("array_id"),
                    JobState.valueOf(row.getString("state")),
                    StepNumbers.unpack(row.getBytes("numbers"))))
        .list();
  }

  /** Deletes these ends; returns how many there were. */
  int deleteEnds(Handle handle, List<Long> ids) {
    return handle
        .createUpdate("delete from step_end where id in (<ids>)")
        .bindList("ids", ids)
        .execute();
  }

  boolean hasEnds(Handle handle, long workflow) {
    return handle
        .createQuery("select 1 from step_end where workflow_id = :workflow limit 1")
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  void insertOpenings(Handle handle, long workflow, Collection<StepOpening> openings) {
    if (openings.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_opening (workflow_id, kind, target, combination, progress)
            values (:workflow, :kind, :target, :combination, :progress)
            """);
    for (StepOpening opening : openings) {
      batch
          .bind("workflow", workflow)
          .bind("kind", opening.kind().stored())
          .bind("target", opening.target())
          .bind("combination", opening.combination())
          .bind("progress", opening.progress())
          .add();
    }
    batch.execute();
  }

  /** Some openings of a workflow, oldest first. */
  List<StepOpening> openings(Handle handle, long workflow, int limit) {
    return handle
        .createQuery(
            """
            select id, kind, target, combination, progress
            from workflow_opening
            where workflow_id = :workflow
            order by workflow_id, id
            limit :limit
            """)
        .bind("workflow", workflow)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new StepOpening(
                    row.getLong("id"),
                    OpeningKind.ofStored(row.getString("kind")),
                    row.getInt("target"),
                    row.getInt("combination"),
                    row.getInt("progress")))
        .list();
  }

  /** Whether needs that are no longer met have still to be counted. */
  boolean hasLost(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select 1
            from workflow_opening
            where workflow_id = :workflow and kind in ('JOIN_LOST', 'ARGUMENT_LOST', 'EMPTY_LOST')
            limit 1
            """)
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  /** Whether steps have still to start again. */
  boolean resumes(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select 1
            from workflow_opening
            where workflow_id = :workflow and kind in ('RETRY', 'SCAN')
            limit 1
            """)
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .findOne()
        .isPresent();
  }

  void deleteOpenings(Handle handle, List<Long> ids) {
    if (!ids.isEmpty()) {
      handle
          .createUpdate("delete from workflow_opening where id in (<ids>)")
          .bindList("ids", ids)
          .execute();
    }
  }

  void progress(Handle handle, StepOpening opening) {
    handle
        .createUpdate("update workflow_opening set progress = :progress where id = :id")
        .bind("progress", opening.progress())
        .bind("id", opening.id())
        .execute();
  }

  void insertReleased(Handle handle, long array, List<Packed> released) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into released_step (array_id, steps, numbers)
            values (:array, :steps, :numbers)
            """);
    for (Packed packed : released) {
      batch
          .bind("array", array)
          .bind("steps", packed.steps())
          .bind("numbers", packed.bytes())
          .add();
    }
    batch.execute();
  }

  /** Number of released steps without a job, by array. */
  Map<Long, Long> waiting(Handle handle, Collection<Long> arrays) {
    Map<Long, Long> counts = new HashMap<>();
    if (!arrays.isEmpty()) {
      handle
          .createQuery(
              """
              select array_id, sum(steps) as steps
              from released_step
              where array_id in (<arrays>)
              group by array_id
              """)
          .bindList("arrays", List.copyOf(arrays))
          .map((row, context) -> Map.entry(row.getLong("array_id"), row.getLong("steps")))
          .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    }
    return counts;
  }

  /** Takes up to that many released steps, in the order of their release. */
  int[] take(Handle handle, long array, int count) {
    int[] steps = new int[count];
    int size =
        take(
            handle,
            array,
            count,
            (step, place) -> {
              steps[place] = step;
              return true;
            });
    return Arrays.copyOf(steps, size);
  }

  /** Takes steps one by one, as {@link #take(Handle, long, int)}; returns how many. */
  int take(Handle handle, long array, int count, StepTaker taker) {
    List<Long> emptied = new ArrayList<>();
    int size = 0;
    boolean more = count > 0;
    // A row has at least one step.
    for (ReleasedRow row : released(handle, array, count)) {
      int[] numbers = StepNumbers.unpack(row.numbers());
      int part = 0;
      while (more && part < numbers.length) {
        more = taker.takes(numbers[part++], size++) && size < count;
      }
      if (part == numbers.length) {
        emptied.add(row.id());
      } else if (part > 0) {
        int[] rest = Arrays.copyOfRange(numbers, part, numbers.length);
        keep(handle, row.id(), StepNumbers.pack(rest, rest.length).get(0));
      }
      if (!more) {
        break;
      }
    }
    if (!emptied.isEmpty()) {
      handle
          .createUpdate("delete from released_step where id in (<ids>)")
          .bindList("ids", emptied)
          .execute();
    }
    return size;
  }

  /** Is given each step that is taken. */
  @FunctionalInterface
  interface StepTaker {
    /**
     * Takes a step; returns whether it takes another one.
     *
     * @param place how many were taken before
     */
    boolean takes(int step, int place);
  }

  private static List<ReleasedRow> released(Handle handle, long array, int limit) {
    return handle
        .createQuery(
            """
            select id, steps, numbers
            from released_step
            where array_id = :array
            order by array_id, id
            limit :limit
            """)
        .bind("array", array)
        .bind("limit", Math.min(limit, 100))
        .map(
            (row, context) ->
                new ReleasedRow(row.getLong("id"), row.getInt("steps"), row.getBytes("numbers")))
        .list();
  }

  /** Leaves the rest of a row; a part of a text of numbers needs no more bytes than the whole. */
  void keep(Handle handle, long id, Packed rest) {
    handle
        .createUpdate("update released_step set steps = :steps, numbers = :numbers where id = :id")
        .bind("steps", rest.steps())
        .bind("numbers", rest.bytes())
        .bind("id", id)
        .execute();
  }
}
