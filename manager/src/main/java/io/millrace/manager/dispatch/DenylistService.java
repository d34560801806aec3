package io.millrace.manager.dispatch;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.manager.dispatch.DenylistDao.NodeDefinition;
import io.millrace.manager.dispatch.DenylistRule.QuickFailures;
import io.millrace.manager.job.EndedAttempt;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.UsageProfile;
import io.millrace.manager.job.UsageProfileDao;
import io.millrace.manager.job.UserRefusal;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Counts quick failures and refusals, and decides which definitions are denied to which nodes.
 * Stateless, thread-safe; runs in the caller's transaction. An ordinary success writes nothing.
 */
public final class DenylistService implements JobWatcher, NodeDenylist {
  private static final Set<Outcome> FAILURES = EnumSet.of(Outcome.FAILED, Outcome.SIGNALLED);

  private final DenylistDao store = new DenylistDao();
  private final UsageProfileDao profiles = new UsageProfileDao();
  private final DatabaseTime time;

  public DenylistService(Database database) {
    this.time = new DatabaseTime(database.dialect());
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    Set<NodeDefinition> failed = new TreeSet<>();
    Set<NodeDefinition> touched = new TreeSet<>();
    for (EndedAttempt end : ends) {
      if (quickFailure(end) || refused(end)) {
        failed.add(key(end));
        touched.add(key(end));
      } else if (end.result().outcome().success()) {
        touched.add(key(end));
      }
    }
    if (touched.isEmpty()) {
      return;
    }
    touched.retainAll(failed.isEmpty() ? store.existing(handle, touched) : touched);
    if (!touched.isEmpty()) {
      change(handle, ends, touched, now);
    }
  }

  private void change(
      Handle handle, List<EndedAttempt> ends, Set<NodeDefinition> touched, Instant now) {
    Map<NodeDefinition, QuickFailures> before = store.lock(handle, touched);
    Map<NodeDefinition, QuickFailures> after = new TreeMap<>(before);
    Map<String, UsageProfile> known =
        profiles.find(handle, touched.stream().map(NodeDefinition::definition).distinct().toList());
    for (EndedAttempt end : inOrderOfTime(ends)) {
      NodeDefinition key = key(end);
      if (end.result().outcome().success()) {
        after.remove(key);
      } else if (refused(end)) {
        QuickFailures old = after.getOrDefault(key, QuickFailures.NONE);
        String reason = end.result().description();
        after.put(key, DenylistRule.refused(old, reason, end.endedAt(), now));
      } else if (quickFailure(end)) {
        QuickFailures old = after.getOrDefault(key, QuickFailures.NONE);
        after.put(key, failed(old, end, known, now));
      }
    }
    store.replace(handle, before, after, now);
  }

  private static List<EndedAttempt> inOrderOfTime(List<EndedAttempt> ends) {
    return ends.stream().sorted(Comparator.comparing(EndedAttempt::endedAt)).toList();
  }

  private static QuickFailures failed(
      QuickFailures before, EndedAttempt end, Map<String, UsageProfile> profiles, Instant now) {
    Optional<Instant> elsewhere =
        profiles
            .getOrDefault(end.job().definition(), UsageProfile.NONE)
            .successElsewhere(end.job().nodeId())
            .map(UsageProfile.Success::at);
    Instant started = Objects.requireNonNullElse(end.startedAt(), end.endedAt());
    return DenylistRule.failed(before, end.result().description(), started, elsewhere, now);
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

  private static NodeDefinition key(EndedAttempt end) {
    return new NodeDefinition(end.job().nodeId(), end.job().definition());
  }

  /**
   * Why nodes are denied jobs: by node, then by definition; the message follows the node's name.
   */
  public Map<UUID, Map<String, String>> reasons(Handle handle, Instant now) {
    return messages(store.closed(handle, now), now);
  }

  /**
   * Nodes that take a single job of a definition, because it was denied until now: by node, then by
   * definition; the message follows the node's name.
   */
  public Map<UUID, Map<String, String>> trials(Handle handle, Instant now) {
    return messages(store.onTrial(handle, now), now);
  }

  private static Map<UUID, Map<String, String>> messages(
      Map<NodeDefinition, QuickFailures> all, Instant now) {
    Map<UUID, Map<String, String>> byNode = new HashMap<>();
    all.forEach(
        (key, failures) ->
            byNode
                .computeIfAbsent(UUID.fromString(key.node()), none -> new HashMap<>())
                .put(key.definition(), message(failures, now)));
    return byNode;
  }

  private static String message(QuickFailures failures, Instant now) {
    String why =
        failures.refused() ? "it refused one (" + failures.reason() + ")" : failed(failures);
    return failures.closed(now)
        ? "is closed to jobs of this definition until %s: %s"
            .formatted(failures.closedUntil().truncatedTo(SECONDS), why)
        : "accepts one job of this definition as a trial: " + why;
  }

  private static String failed(QuickFailures failures) {
    return "they failed on this node %d times in a row, soon after starting (%s), but succeed on others"
        .formatted(failures.count(), failures.reason());
  }

  /** Definitions that are denied to nodes now, including those on trial. */
  @Override
  public Map<UUID, List<DenylistEntry>> byNode(Handle handle) {
    Map<UUID, List<DenylistEntry>> shown = new HashMap<>();
    store
        .closed(handle, time.now(handle))
        .forEach(
            (key, failures) ->
                shown.merge(
                    UUID.fromString(key.node()),
                    List.of(
                        new DenylistEntry(
                            key.definition(),
                            failures.count(),
                            failures.closedUntil(),
                            failures.reason())),
                    DenylistService::joined));
    return shown;
  }

  private static List<DenylistEntry> joined(List<DenylistEntry> left, List<DenylistEntry> right) {
    return Stream.concat(left.stream(), right.stream()).toList();
  }
}
