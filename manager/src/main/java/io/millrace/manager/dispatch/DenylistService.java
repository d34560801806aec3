package io.millrace.manager.dispatch;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.manager.dispatch.DenylistDao.NodeDefinition;
import io.millrace.manager.dispatch.DenylistRule.Denial;
import io.millrace.manager.dispatch.DenylistRule.ItemFailure;
import io.millrace.manager.job.EndedAttempt;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.UserRefusal;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.placement.ShapeUser;
import io.millrace.manager.task.TaskWorkerDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Collects evidence of quick failures and refusals, and decides which definitions are denied to
 * which nodes. Stateless, thread-safe; runs in the caller's transaction. An ordinary success writes
 * nothing.
 */
public final class DenylistService implements JobWatcher, NodeDenylist {
  private static final Set<Outcome> FAILURES = EnumSet.of(Outcome.FAILED, Outcome.SIGNALLED);

  private static final int LONGEST_ITEM = 200;

  private final DenylistDao store = new DenylistDao();
  private final NodeFailureDao evidence = new NodeFailureDao();
  private final JobReadDao jobs;
  private final DatabaseTime time;

  public DenylistService(Database database) {
    this.jobs = new JobReadDao(database.dialect());
    this.time = new DatabaseTime(database.dialect());
  }

  /**
   * Forgets on which nodes jobs of deleted definitions were denied, in the caller's transaction.
   *
   * @param definitions keys of jobs; one that ends with a slash stands for all that begin with it
   */
  public void forget(Handle handle, List<String> definitions) {
    List<String> ids =
        new NodeDao()
            .list(handle, NodeKind.EXECUTION).stream().map(node -> node.id().toString()).toList();
    if (ids.isEmpty()) {
      return;
    }
    for (String definition : definitions) {
      String literal = definition.replace("!", "!!").replace("_", "!_").replace("%", "!%");
      String pattern = definition.endsWith("/") ? literal + "%" : literal;
      store.remove(handle, ids, pattern);
      evidence.remove(handle, ids, pattern);
    }
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    List<EndedAttempt> relevant =
        ends.stream()
            .filter(end -> known(end.job().definition()))
            .filter(end -> refused(end) || quickFailure(end) || end.result().outcome().success())
            .sorted(Comparator.comparing(EndedAttempt::endedAt))
            .toList();
    if (relevant.isEmpty()) {
      return;
    }
    Set<String> definitions =
        relevant.stream().map(end -> end.job().definition()).collect(Collectors.toSet());
    Instant recent = now.minus(DenylistRule.RECENT);
    Map<EndedAttempt, NodeDefinition> keys = new HashMap<>();
    relevant.forEach(end -> keys.put(end, key(handle, end)));
    Set<NodeDefinition> touched = new TreeSet<>(keys.values());
    boolean failed = relevant.stream().anyMatch(end -> !end.result().outcome().success());
    boolean succeeded = relevant.stream().anyMatch(end -> end.result().outcome().success());
    Map<EndedAttempt, NodeDefinition> users = deniedUsers(handle, relevant);
    if (!failed
        && !evidence.exists(handle, definitions, recent)
        && users.isEmpty()
        && store.existing(handle, touched).isEmpty()) {
      return;
    }
    Set<String> nodes =
        relevant.stream().map(end -> end.job().nodeId()).collect(Collectors.toSet());
    // Only a success says something about the failures on other nodes.
    Map<NodeDefinition, Map<String, ItemFailure>> failures =
        evidence.lock(handle, definitions, nodes, succeeded, recent);
    touched.addAll(failures.keySet());
    touched.addAll(users.values());
    Map<NodeDefinition, Denial> before = store.lock(handle, touched);
    // A chunk is tried again as another job.
    Map<Long, String> chunks =
        TaskWorkerDao.chunksOf(handle, relevant.stream().map(end -> end.job().id()).toList());
    EvidenceChange change = new EvidenceChange(failures, new TreeMap<>(before), chunks, now);
    relevant.forEach(end -> change.apply(end, keys.get(end)));
    // The node did run a job of that user.
    users.values().forEach(change.denials::remove);
    store.replace(handle, before, change.denials, now);
    change.cleared.forEach(key -> evidence.delete(handle, key));
    for (NodeDefinition key : change.changed) {
      evidence.write(handle, key, failures.getOrDefault(key, Map.of()).values());
    }
  }

  /** What some ends change; not thread-safe. */
  private static final class EvidenceChange {
    private final Map<NodeDefinition, Map<String, ItemFailure>> failures;
    private final Map<NodeDefinition, Denial> denials;
    private final Set<NodeDefinition> cleared = new TreeSet<>();
    private final Set<NodeDefinition> changed = new TreeSet<>();
    private final Map<Long, String> chunks;
    private final Instant now;

    EvidenceChange(
        Map<NodeDefinition, Map<String, ItemFailure>> failures,
        Map<NodeDefinition, Denial> denials,
        Map<Long, String> chunks,
        Instant now) {
      this.failures = failures;
      this.denials = denials;
      this.chunks = chunks;
      this.now = now;
    }

    void apply(EndedAttempt end, NodeDefinition key) {
      if (refused(end)) {
        Denial old = denials.getOrDefault(key, Denial.NONE);
        String reason = end.result().description();
        denials.put(key, DenylistRule.refused(old, reason, end.endedAt(), now));
      } else if (end.result().outcome().success()) {
        succeeded(end, key);
      } else {
        failed(end, key);
      }
    }

    private void succeeded(EndedAttempt end, NodeDefinition key) {
      denials.remove(key);
      if (failures.remove(key) != null) {
        cleared.add(key);
        changed.remove(key);
      }
      String item = item(end, chunks.get(end.job().id()));
      failures.forEach(
          (other, items) -> {
            if (other.definition().equals(key.definition())) {
              Map<String, ItemFailure> old = Map.copyOf(items);
              items.replaceAll((name, one) -> one.afterSuccess(item, end.job().nodeName()));
              if (!items.equals(old)) {
                changed.add(other);
              }
              put(other, DenylistRule.judged(denial(other), items.values(), now));
            }
          });
    }

    private void failed(EndedAttempt end, NodeDefinition key) {
      Map<String, ItemFailure> items = failures.computeIfAbsent(key, none -> new LinkedHashMap<>());
      String item = item(end, chunks.get(end.job().id()));
      if (items.size() < DenylistRule.MOST_ITEMS && !items.containsKey(item)) {
        String reason = end.result().description();
        items.put(item, new ItemFailure(item, end.endedAt(), reason, null, 0));
        changed.add(key);
      }
      Instant started = Objects.requireNonNullElse(end.startedAt(), end.endedAt());
      put(key, DenylistRule.failed(denial(key), items.values(), started, now));
    }

    private Denial denial(NodeDefinition key) {
      return denials.getOrDefault(key, Denial.NONE);
    }

    private void put(NodeDefinition key, Denial next) {
      if (next.until() != null) {
        denials.put(key, next);
      }
    }
  }

  /**
   * What the attempt worked on, in words that identify it: attempts of one item are one piece of
   * evidence, whatever job made them. The events of a batch that failed are delivered one by one
   * afterwards, so that each becomes an item of its own.
   *
   * @param chunk that its job works on; null for none
   */
  private static String item(EndedAttempt end, String chunk) {
    if (end.result().event() != null) {
      return start("event " + end.result().event());
    }
    if (chunk != null) {
      return start("chunk " + chunk);
    }
    return end.job().array() == null
        ? "job " + end.job().id()
        : "element %d of array %d".formatted(end.job().index(), end.job().array());
  }

  private static String start(String item) {
    return item.length() <= LONGEST_ITEM ? item : item.substring(0, LONGEST_ITEM);
  }

  private static boolean refused(EndedAttempt end) {
    return known(end.job().definition()) && UserRefusal.is(end.result());
  }

  private static boolean known(String definition) {
    return definition != null && !definition.isEmpty();
  }

  private static boolean quickFailure(EndedAttempt end) {
    if (!known(end.job().definition()) || refused(end)) {
      return false;
    }
    Outcome outcome = end.result().outcome();
    return outcome == Outcome.START_FAILED
        || (FAILURES.contains(outcome) && end.result().run().compareTo(DenylistRule.QUICK) <= 0);
  }

  /** Denials of the users of jobs that were not refused but started on the denying node. */
  private Map<EndedAttempt, NodeDefinition> deniedUsers(Handle handle, List<EndedAttempt> ends) {
    List<EndedAttempt> started =
        ends.stream().filter(end -> !refused(end) && end.startedAt() != null).toList();
    Set<NodeDefinition> denied =
        store.users(
            handle, started.stream().map(end -> end.job().nodeId()).collect(Collectors.toSet()));
    Map<EndedAttempt, NodeDefinition> found = new HashMap<>();
    if (denied.isEmpty()) {
      return found;
    }
    Set<String> nodes = denied.stream().map(NodeDefinition::node).collect(Collectors.toSet());
    for (EndedAttempt end : started) {
      if (nodes.contains(end.job().nodeId())) {
        NodeDefinition key = new NodeDefinition(end.job().nodeId(), userKey(handle, end));
        if (denied.contains(key)) {
          found.put(end, key);
        }
      }
    }
    return found;
  }

  private String userKey(Handle handle, EndedAttempt end) {
    return new ShapeUser(jobs.spec(handle, end.job().id()).map(JobSpec::runAs).orElse(null))
        .denialKey();
  }

  /** A refusal concerns the user of the job, whatever its definition. */
  private NodeDefinition key(Handle handle, EndedAttempt end) {
    String key = refused(end) ? userKey(handle, end) : end.job().definition();
    return new NodeDefinition(end.job().nodeId(), key);
  }

  /**
   * Why nodes are denied jobs: by node, then by definition; the message follows the node's name.
   */
  public Map<UUID, Map<String, String>> reasons(Handle handle, Instant now) {
    return messages(store.inForce(handle, now), now);
  }

  /**
   * Nodes that take a single job of a definition, because it was denied until now: by node, then by
   * definition; the message follows the node's name.
   */
  public Map<UUID, Map<String, String>> trials(Handle handle, Instant now) {
    return messages(store.onTrial(handle, now), now);
  }

  private static Map<UUID, Map<String, String>> messages(
      Map<NodeDefinition, Denial> all, Instant now) {
    Map<UUID, Map<String, String>> byNode = new HashMap<>();
    all.forEach(
        (key, denial) ->
            byNode
                .computeIfAbsent(UUID.fromString(key.node()), none -> new HashMap<>())
                .put(key.definition(), message(key.definition(), denial, now)));
    return byNode;
  }

  private static String message(String key, Denial denial, Instant now) {
    String why = denial.refused() ? "it refused one (" + denial.reason() + ")" : denial.reason();
    String jobs = ShapeUser.denied(key).orElse("jobs of this definition");
    return denial.inForce(now)
        ? "takes no %s until %s: %s".formatted(jobs, denial.until().truncatedTo(SECONDS), why)
        : "accepts one of the %s as a trial: %s".formatted(jobs, why);
  }

  /** Definitions that are denied to nodes now, including those on trial. */
  @Override
  public Map<UUID, List<DenylistEntry>> byNode(Handle handle) {
    Map<UUID, List<DenylistEntry>> shown = new HashMap<>();
    store
        .inForce(handle, time.now(handle))
        .forEach(
            (key, denial) ->
                shown.merge(
                    UUID.fromString(key.node()),
                    List.of(
                        new DenylistEntry(
                            key.definition(), denial.count(), denial.until(), denial.reason())),
                    DenylistService::joined));
    return shown;
  }

  @Override
  public boolean lift(Handle handle, UUID node, String definition) {
    NodeDefinition key = new NodeDefinition(node.toString(), definition);
    Map<NodeDefinition, Denial> before = store.lock(handle, Set.of(key));
    store.replace(handle, before, Map.of(), time.now(handle));
    // What failed before is no evidence for the next denial either.
    evidence.delete(handle, key);
    return !before.isEmpty();
  }

  private static List<DenylistEntry> joined(List<DenylistEntry> left, List<DenylistEntry> right) {
    return Stream.concat(left.stream(), right.stream()).toList();
  }
}
