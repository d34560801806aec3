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
import java.util.List;
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

  private record Found(AttemptId attempt, boolean successfulWorker, Instant endedAt) {}

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
      ended.add(found.attempt(), found.successfulWorker(), found.endedAt());
    }
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** Records that an attempt has ended and was reported. */
  public void ended(CompletedRun result) {
    ended.add(result.attempt(), result.successfulWorker(), result.endedAt());
  }

  private void sweep() {
    for (AttemptId attempt : ended.takeExpired(clock.now())) {
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
            .map(result -> new Found(attempt, result.successfulWorker(), result.endedAt()))
            .orElseGet(() -> new Found(attempt, false, touched)));
  }

  /**
   * The ended attempts whose directories exist, oldest first. Thread-safe, never blocks for long.
   */
  static final class EndedAttempts {
    private record Ended(AttemptId attempt, Instant at) {}

    private final LogRetentionSettings settings;
    // Guarded by this.
    private final Deque<Ended> successfulWorkers = new ArrayDeque<>();
    private final Deque<Ended> others = new ArrayDeque<>();

    EndedAttempts(LogRetentionSettings settings) {
      this.settings = settings;
    }

    synchronized void add(AttemptId attempt, boolean successfulWorker, Instant at) {
      (successfulWorker ? successfulWorkers : others).add(new Ended(attempt, at));
    }

    /** Removes those that need not be kept any longer. */
    synchronized List<AttemptId> takeExpired(Instant now) {
      List<AttemptId> expired = new ArrayList<>();
      while (successfulWorkers.size() > settings.successfulWorkers()) {
        expired.add(successfulWorkers.remove().attempt());
      }
      Instant oldest = now.minus(settings.age());
      while (others.size() > settings.others()
          || (!others.isEmpty() && others.peek().at().isBefore(oldest))) {
        expired.add(others.remove().attempt());
      }
      return expired;
    }
  }

  /**
   * How long ended attempts are kept.
   *
   * @param successfulWorkers the number of workers kept that succeeded or had nothing to do
   * @param others the number of other attempts kept
   * @param age age at which other attempts are deleted in any case
   */
  public record LogRetentionSettings(int successfulWorkers, int others, Duration age) {
    /** 1,000 successful workers, and 7 days of others, at most 10,000. */
    public static LogRetentionSettings defaults() {
      return new LogRetentionSettings(1_000, 10_000, Duration.ofDays(7));
    }
  }
}
