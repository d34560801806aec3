package io.millrace.executor.run;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the directories of ended and reported attempts after a retention time, during which their
 * logs can be read. One thread; {@link #ended} may be called on any.
 */
public final class LogRetention implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(LogRetention.class);
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private record Found(AttemptId attempt, Ending ending, Instant endedAt) {}

  private final Path root;
  private final EndedAttempts ended;
  private final Clock clock;
  private final Loop loop;

  /**
   * A retention with the given limits.
   *
   * @param name part of the thread's name
   * @param root the parent of all attempts' directories
   */
  public LogRetention(String name, Path root, LogRetentionSettings settings, Clock clock) {
    this.root = root;
    this.ended = new EndedAttempts(settings);
    this.clock = clock;
    this.loop = new Loop("log-retention-" + name, INTERVAL, this::sweep);
  }

  @Override
  public void start() {
    // Before any attempt ends in this process, so that none is found twice.
    for (Found found : findEnded()) {
      ended.add(found.attempt(), found.ending(), found.endedAt());
    }
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** Records that an attempt has ended and was reported. */
  public void ended(CompletedRun result) {
    ended.add(result.attempt(), Ending.of(result), result.endedAt());
  }

  private void sweep() {
    for (AttemptId attempt : ended.takeExpired(clock.now())) {
      if (Thread.currentThread().isInterrupted()) {
        // What is left is found at the next start.
        return;
      }
      try {
        new AttemptDirectory(root, attempt).delete();
      } catch (IOException e) {
        LOGGER.warn("cannot delete the logs of attempt {}; delete them manually", attempt, e);
      }
    }
  }

  private List<Found> findEnded() {
    List<Found> found = new ArrayList<>();
    if (!Files.isDirectory(root)) {
      return found;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
      for (Path entry : entries) {
        find(entry).ifPresent(found::add);
      }
    } catch (IOException e) {
      LOGGER.warn("cannot list {}; logs of earlier attempts are not deleted", root, e);
    }
    found.sort(Comparator.comparing(Found::endedAt));
    return found;
  }

  private Optional<Found> find(Path entry) throws IOException {
    AttemptId attempt;
    try {
      attempt = AttemptId.parse(entry.getFileName().toString());
    } catch (IllegalArgumentException notAnAttempt) {
      return Optional.empty();
    }
    AttemptDirectory directory = new AttemptDirectory(root, attempt);
    if (!directory.isReported()) {
      return Optional.empty();
    }
    Instant touched = Files.getLastModifiedTime(entry).toInstant();
    return Optional.of(
        KeptFile.RESULT
            .read(directory)
            .map(result -> new Found(attempt, Ending.of(result), result.endedAt()))
            .orElseGet(() -> new Found(attempt, Ending.FAILED, touched)));
  }

  /** What an attempt counts as; each kind has a number of its own. */
  enum Ending {
    SUCCESSFUL_WORKER,
    SUCCEEDED,
    FAILED;

    static Ending of(CompletedRun result) {
      if (result.successfulWorker()) {
        return SUCCESSFUL_WORKER;
      }
      return result.result().outcome().success() ? SUCCEEDED : FAILED;
    }
  }

  /**
   * The ended attempts whose directories exist, oldest first. Thread-safe, never blocks for long.
   */
  static final class EndedAttempts {
    private record Ended(AttemptId attempt, Instant at) {}

    private final LogRetentionSettings settings;
    // Guarded by this.
    private final Map<Ending, Deque<Ended>> kept = new EnumMap<>(Ending.class);

    EndedAttempts(LogRetentionSettings settings) {
      this.settings = settings;
      for (Ending ending : Ending.values()) {
        kept.put(ending, new ArrayDeque<>());
      }
    }

    synchronized void add(AttemptId attempt, Ending ending, Instant at) {
      kept.get(ending).add(new Ended(attempt, at));
    }

    /** Removes those that need not be kept any longer. */
    synchronized List<AttemptId> takeExpired(Instant now) {
      List<AttemptId> expired = new ArrayList<>();
      take(Ending.SUCCESSFUL_WORKER, settings.successfulWorkers(), Instant.MIN, expired);
      Instant oldest = now.minus(settings.age());
      take(Ending.SUCCEEDED, settings.others(), oldest, expired);
      take(Ending.FAILED, settings.failed(), oldest, expired);
      return expired;
    }

    private void take(Ending ending, int number, Instant oldest, List<AttemptId> expired) {
      Deque<Ended> all = kept.get(ending);
      while (all.size() > number || (!all.isEmpty() && all.peek().at().isBefore(oldest))) {
        expired.add(all.remove().attempt());
      }
    }
  }

  /**
   * How long ended attempts are kept.
   *
   * @param successfulWorkers the number of workers kept that succeeded or had nothing to do
   * @param others the number of other successful attempts kept
   * @param failed the number of failed attempts kept, which a million successful steps of the same
   *     workflow do not displace
   * @param age age at which all but successful workers are deleted in any case
   */
  public record LogRetentionSettings(int successfulWorkers, int others, int failed, Duration age) {
    /** 1,000 successful workers, and 7 days of others, 10,000 each of successful and failed. */
    public static LogRetentionSettings defaults() {
      return new LogRetentionSettings(1_000, 10_000, 10_000, Duration.ofDays(7));
    }
  }
}
