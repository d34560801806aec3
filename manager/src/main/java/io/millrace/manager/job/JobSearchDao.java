package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobSearch.TextCondition;
import io.millrace.manager.job.JobSearch.TextField;
import io.millrace.manager.job.JobSearch.TextPattern;
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

  JobSearchDao(JobSearch search, Long before, int limit) {
    values.put("limit", limit);
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
    boolean listed = !search.ids().isEmpty() || search.arrays().size() > MAX_ARRAYS;
    this.texts =
        lead.isPresent() || listed ? List.of(singleStatement(search, lead)) : parts(search);
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
    conditions.add("(" + String.join(" or ", choices) + ")");
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
