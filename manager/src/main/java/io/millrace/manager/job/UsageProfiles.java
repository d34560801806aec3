package io.millrace.manager.job;

import io.millrace.manager.job.PoolCapacity.NodeOffer;
import io.millrace.manager.job.UsageProfile.Estimate;
import io.millrace.manager.job.UsageProfile.Sample;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/**
 * Learns what the jobs of definitions use, and estimates from it what their next jobs need (H-245).
 * Estimates may be a few seconds old, so that submission rarely reads the database. Thread-safe.
 */
public final class UsageProfiles implements JobWatcher {
  private static final Duration FRESH = Duration.ofSeconds(5);
  private static final int MAX_REMEMBERED = 10_000;

  private record KnownOffers(List<NodeOffer> all, long since) {}

  private record Remembered(Optional<Estimate> estimate, long since) {}

  private final UsageProfileDao store = new UsageProfileDao();
  private final Clock clock;
  private final NodeOfferDao nodes = new NodeOfferDao();
  private final Map<String, Remembered> recent = new ConcurrentHashMap<>();
  private volatile KnownOffers offers;

  public UsageProfiles(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    // By definition, so that two transactions lock the same rows in the same order.
    Map<String, UsageProfile> samples = new TreeMap<>();
    for (EndedAttempt end : ends) {
      if (known(end.job().definition()) && Sample.of(end).useful()) {
        samples.put(end.job().definition(), UsageProfile.NONE);
      }
    }
    if (samples.isEmpty()) {
      return;
    }
    samples.putAll(store.lock(handle, samples.keySet(), now));
    for (EndedAttempt end : ends) {
      samples.computeIfPresent(
          end.job().definition(), (definition, profile) -> profile.plus(Sample.of(end)));
    }
    store.write(handle, samples, now);
  }

  // Jobs recorded before profiles were kept have no definition.
  private static boolean known(String definition) {
    return definition != null && !definition.isEmpty();
  }

  /** What the nodes of a pool offer. */
  List<NodeOffer> offers(Handle handle, String pool) {
    KnownOffers known = offers;
    long now = clock.nanoTime();
    if (known == null || now - known.since > FRESH.toNanos()) {
      known = new KnownOffers(nodes.all(handle), now);
      offers = known;
    }
    return known.all.stream().filter(node -> node.pools().contains(pool)).toList();
  }

  /** The estimates for these definitions, as far as known. */
  Map<String, Estimate> of(Handle handle, Collection<String> definitions) {
    long now = clock.nanoTime();
    Map<String, Estimate> found = new HashMap<>();
    Set<String> unknown = new HashSet<>();
    for (String definition : new HashSet<>(definitions)) {
      Remembered remembered = recent.get(definition);
      if (remembered == null || now - remembered.since > FRESH.toNanos()) {
        unknown.add(definition);
      } else {
        remembered.estimate.ifPresent(estimate -> found.put(definition, estimate));
      }
    }
    if (!unknown.isEmpty()) {
      Map<String, UsageProfile> profiles = store.find(handle, unknown);
      for (String definition : unknown) {
        Optional<Estimate> estimate =
            profiles.getOrDefault(definition, UsageProfile.NONE).estimate();
        estimate.ifPresent(known -> found.put(definition, known));
        remember(definition, new Remembered(estimate, now));
      }
    }
    return found;
  }

  private void remember(String definition, Remembered remembered) {
    if (recent.size() >= MAX_REMEMBERED) {
      recent.clear();
    }
    recent.put(definition, remembered);
  }
}
