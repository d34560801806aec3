package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobSearch.ExitCondition;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TextPattern;
import io.millrace.manager.job.JobSearch.TimeCondition;
import io.millrace.manager.job.JobSearch.TimeField;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds queries for the ids of the jobs that match a search, newest first, so that an index
 * returns them in that order: either by the most selective single term (a tag, a lane, a name, a
 * node, an owner), or by state, with one query for each state because an index is ordered by id
 * only within one state. Conditions without an index are checked job by job until the page is full.
 *
 * <p>Only constant text is concatenated; every value is bound. Not thread-safe; used for one query.
 */
final class JobSearchDao {
  private static final List<TextField> SELECTIVE =
      List.of(TextField.TAG, TextField.LANE, TextField.NAME, TextField.NODE, TextField.OWNER);

  private static final int MAX_ARRAYS = 10;

  private final Map<String, Object> values = new HashMap<>();
  private final Map<String, List<?>> lists = new HashMap<>();
  private final List<String> conditions = new ArrayList<>();
  private final List<String> texts;

  /**
   * Creates the queries.
   *
   * @param ids limits of the ids that the conditions on times of submission imply
   */
  JobSearchDao(JobSearch search, IdRange ids, Long before, int limit) {
    values.put("limit", limit);
    if (ids.from() > 0) {
      conditions.add("j.id >= :idFrom");
      values.put("idFrom", ids.from());
    }
    if (ids.to() < Long.MAX_VALUE) {
      conditions.add("j.id < :idTo");
      values.put("idTo", ids.to());
    }
    if (before != null) {
      conditions.add("j.id < :before");
      values.put("before", before);
    }
    Optional<TextCondition> lead = lead(search);
    search.texts().forEach(condition -> compare(condition, lead.orElse(null)));
    if (!search.ids().isEmpty()) {
      conditions.add("j.id in (<ids>)");
      lists.put("ids", List.copyOf(search.ids()));
    }
    search.exits().forEach(this::compare);
    search.times().forEach(this::compare);
    boolean listed = !search.ids().isEmpty() || search.arrays().size() > MAX_ARRAYS;
    if (!search.runs().isEmpty()) {
      this.texts = ofRuns(search, lead);
    } else if (lead.isPresent() || listed) {
      this.texts = List.of(singleStatement(search, lead));
    } else {
      this.texts = byEnd(search) ? List.of(sinceEnd(search)) : parts(search);
    }
  }

  // Elements of an array have an index of their own.
  private static boolean byEnd(JobSearch search) {
    return search.arrays().isEmpty()
        && search.times().stream()
            .anyMatch(time -> time.field() == TimeField.ENDED && time.after());
  }

  // A statement for each run, in the order of its key.
  private List<String> ofRuns(JobSearch search, Optional<TextCondition> lead) {
    own(search);
    lead.filter(condition -> condition.field() == TextField.TAG)
        .ifPresent(condition -> compare(condition, null));
    if (values.containsKey("before")) {
      conditions.add("r.job_id < :before");
    }
    List<String> statements = new ArrayList<>();
    for (Long run : search.runs()) {
      String name = "run" + statements.size();
      values.put(name, run);
      statements.add(
          "select r.job_id as id from job_run r join job j on j.id = r.job_id where r.run_id = :"
              + name
              + " and "
              + all(conditions)
              + " order by r.run_id desc, r.job_id desc limit :limit");
    }
    return statements;
  }

  private String sinceEnd(JobSearch search) {
    own(search);
    // The expression keeps databases from reading all jobs in the order of their ids.
    return "select j.id from job j where " + all(conditions) + " order by 0 - j.id limit :limit";
  }

  private void own(JobSearch search) {
    if (!search.kinds().isEmpty()) {
      conditions.add("j.kind in (<kinds>)");
      lists.put("kinds", search.kinds().stream().map(JobKind::name).toList());
    }
    if (!search.states().isEmpty()) {
      conditions.add("j.state in (<states>)");
      lists.put("states", search.states().stream().map(JobState::name).toList());
    }
    if (!search.arrays().isEmpty()) {
      conditions.add("j.array_id in (<arrays>)");
      lists.put("arrays", List.copyOf(search.arrays()));
    } else if (!search.elements()) {
      conditions.add("j.array_id is null");
    }
  }

  /**
   * A range of ids.
   *
   * @param from the lowest
   * @param to above the highest
   */
  record IdRange(long from, long to) {
    /** All ids. */
    static final IdRange ALL = new IdRange(0, Long.MAX_VALUE);
  }

  /** Queries that together return the ids; each returns its own in order, up to the limit. */
  List<String> texts() {
    return texts;
  }

  Map<String, Object> values() {
    return values;
  }

  Map<String, List<?>> lists() {
    return lists;
  }

  private static Optional<TextCondition> lead(JobSearch search) {
    if (!search.ids().isEmpty()) {
      return Optional.empty();
    }
    return SELECTIVE.stream()
        .flatMap(
            field ->
                search.texts().stream()
                    .filter(TextCondition::single)
                    .filter(condition -> condition.field() == field))
        .findFirst();
  }

  private String singleStatement(JobSearch search, Optional<TextCondition> lead) {
    own(search);
    boolean byTag = lead.isPresent() && lead.get().field() == TextField.TAG;
    if (!byTag) {
      String first = lead.map(condition -> column(condition.field()) + " desc, ").orElse("");
      return "select j.id from job j where "
          + all(conditions)
          + " order by "
          + first
          + "j.id desc limit :limit";
    }
    values.put("leadTag", lead.get().anyOf().get(0).text());
    conditions.add("t.tag = :leadTag");
    if (values.containsKey("before")) {
      conditions.add("t.job_id < :before");
    }
    return "select t.job_id as id from job_tag t join job j on j.id = t.job_id where "
        + all(conditions)
        + " order by t.tag desc, t.job_id desc limit :limit";
  }

  // One part for each array, kind and state, each in the order of its index.
  private List<String> parts(JobSearch search) {
    boolean anything = search.kinds().isEmpty() && search.states().isEmpty();
    if (anything && search.arrays().isEmpty() && search.elements()) {
      return List.of(part(List.of(), ""));
    }
    List<String> parts = new ArrayList<>();
    for (String array : arrays(search)) {
      for (JobKind kind : search.wantedKinds()) {
        for (JobState state : search.wantedStates()) {
          List<String> own = new ArrayList<>();
          if (!array.isEmpty()) {
            own.add(array);
          }
          // Constants of the program, never input of a caller.
          own.add("j.kind = '" + kind.name() + "'");
          own.add("j.state = '" + state.name() + "'");
          parts.add(part(own, first(search, array) + "j.kind desc, j.state desc, "));
        }
      }
    }
    return parts;
  }

  // Columns with a single value, so that every database uses the order of the index.
  private static String first(JobSearch search, String array) {
    if (!array.isEmpty()) {
      return "j.array_id desc, ";
    }
    return ofQueue(search) ? "j.queue desc, " : "";
  }

  private List<String> arrays(JobSearch search) {
    if (search.arrays().isEmpty()) {
      // Workers and managers of a queue are not elements, and the queue's own index is better.
      return List.of(search.elements() || ofQueue(search) ? "" : "j.array_id is null");
    }
    List<String> each = new ArrayList<>();
    for (Long array : search.arrays()) {
      String name = "array" + each.size();
      values.put(name, array);
      each.add("j.array_id = :" + name);
    }
    return each;
  }

  private static boolean ofQueue(JobSearch search) {
    return search.texts().stream()
        .anyMatch(condition -> condition.field() == TextField.QUEUE && condition.single());
  }

  private String part(List<String> own, String first) {
    List<String> every = new ArrayList<>(own);
    every.addAll(conditions);
    return "select j.id from job j where "
        + all(every)
        + " order by "
        + first
        + "j.id desc limit :limit";
  }

  private static String all(List<String> conditions) {
    return conditions.isEmpty() ? "1 = 1" : String.join(" and ", conditions);
  }

  private void compare(TextCondition condition, TextCondition lead) {
    boolean leads = condition.equals(lead);
    if (leads && condition.field() == TextField.TAG) {
      return;
    }
    List<String> choices = new ArrayList<>();
    for (TextPattern pattern : condition.anyOf()) {
      String name = "text" + values.size();
      values.put(name, pattern.wild() ? pattern.like() : pattern.text());
      String comparison =
          pattern.wild()
              ? " like :" + name + " escape '" + TextPattern.ESCAPE + "'"
              : " = :" + name;
      choices.add(
          condition.field() == TextField.TAG
              ? "exists (select 1 from job_tag x where x.job_id = j.id and x.tag" + comparison + ")"
              : column(condition.field()) + comparison);
    }
    String any = "(" + String.join(" or ", choices) + ")";
    if (!condition.negated()) {
      conditions.add(any);
    } else if (condition.field() == TextField.TAG) {
      conditions.add("not " + any);
    } else {
      conditions.add("(" + column(condition.field()) + " is null or not " + any + ")");
    }
  }

  private void compare(ExitCondition condition) {
    String name = "exits" + lists.size();
    lists.put(name, List.copyOf(condition.codes()));
    // Before its end a job has no exit code, although the row keeps that of its last ended attempt.
    conditions.add(
        condition.negated()
            ? "(j.ended_at is null or j.exit_code is null or j.exit_code not in (<" + name + ">))"
            : "(j.ended_at is not null and j.exit_code in (<" + name + ">))");
  }

  private void compare(TimeCondition condition) {
    String name = "time" + values.size();
    values.put(name, condition.time());
    String column = condition.field() == TimeField.ENDED ? "j.ended_at" : "j.submitted_at";
    conditions.add(column + (condition.after() ? " >= :" : " < :") + name);
  }

  private static String column(TextField field) {
    return switch (field) {
      case NAME -> "j.name";
      case NODE -> "j.node_name";
      case POOL -> "j.pool";
      case QUEUE -> "j.queue";
      case OWNER -> "j.owner";
      case SHARE -> "j.share";
      case LANE -> "j.lane";
      case TAG -> throw new IllegalArgumentException("tags are in another table");
    };
  }
}
