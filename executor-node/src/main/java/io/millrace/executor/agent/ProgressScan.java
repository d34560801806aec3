package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.ReportedProgress;
import io.millrace.api.node.PollAnswer.ProgressReport;
import io.millrace.executor.run.ProgressFile;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds what the programs of this node have reported since it was last sent to a central manager.
 * Each attempt is sent at most every five seconds, and each poll carries a bounded number. Used by
 * one thread; reads the disk.
 */
final class ProgressScan {
  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final Duration EACH = Duration.ofSeconds(5);
  private static final int MOST = 50;

  /** A state of the file, to see whether it has been written. */
  private record Stamp(FileTime time, long size) {}

  /** What a central manager knows of an attempt. */
  private record Sent(ReportedProgress progress, Stamp stamp, long at) {}

  private final Function<AttemptId, AttemptDirectory> directories;
  private final Clock clock;
  private final Map<AttemptId, Sent> sent = new HashMap<>();
  private final Map<AttemptId, Sent> pending = new HashMap<>();
  private Long lastRound;

  ProgressScan(Function<AttemptId, AttemptDirectory> directories, Clock clock) {
    this.directories = directories;
    this.clock = clock;
  }

  /**
   * The reports to send now.
   *
   * @param held the attempts of this node
   */
  List<ProgressReport> due(Collection<AttemptId> held) {
    long now = clock.nanoTime();
    pending.clear();
    if (lastRound != null && now - lastRound < ROUND.toNanos()) {
      return List.of();
    }
    lastRound = now;
    sent.keySet().retainAll(held);
    List<ProgressReport> due = new ArrayList<>();
    for (AttemptId attempt : longestUnheardFirst(held, now)) {
      if (due.size() == MOST) {
        break;
      }
      changed(attempt, now).ifPresent(progress -> due.add(new ProgressReport(attempt, progress)));
    }
    return due;
  }

  /** So that each has its turn, however many report all the time. */
  private List<AttemptId> longestUnheardFirst(Collection<AttemptId> held, long now) {
    List<AttemptId> order = new ArrayList<>(held);
    order.sort(
        Comparator.comparingLong(
                (AttemptId attempt) ->
                    sent.containsKey(attempt) ? now - sent.get(attempt).at() : Long.MAX_VALUE)
            .reversed());
    return order;
  }

  /** The reports of {@link #due} have reached a central manager. */
  void answered() {
    sent.putAll(pending);
    pending.clear();
  }

  /** The reports of {@link #due} may not have arrived; the next call returns them again. */
  void notAnswered() {
    pending.clear();
    lastRound = null;
  }

  private Optional<ReportedProgress> changed(AttemptId attempt, long now) {
    Sent before = sent.get(attempt);
    if (before != null && now - before.at() < EACH.toNanos()) {
      return Optional.empty();
    }
    AttemptDirectory directory = directories.apply(attempt);
    Optional<Stamp> stamp = stamp(directory);
    if (stamp.isEmpty() || (before != null && stamp.get().equals(before.stamp()))) {
      return Optional.empty();
    }
    Optional<ReportedProgress> read = ProgressFile.read(directory);
    if (read.isEmpty()) {
      return Optional.empty();
    }
    if (before != null && read.get().equals(before.progress())) {
      sent.put(attempt, new Sent(before.progress(), stamp.get(), before.at()));
      return Optional.empty();
    }
    pending.put(attempt, new Sent(read.get(), stamp.get(), now));
    return read;
  }

  private static Optional<Stamp> stamp(AttemptDirectory directory) {
    try {
      BasicFileAttributes file =
          Files.readAttributes(
              directory.progress(), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return file.isRegularFile() && file.size() > 0
          ? Optional.of(new Stamp(file.lastModifiedTime(), file.size()))
          : Optional.empty();
    } catch (IOException notStartedOrEnded) {
      return Optional.empty();
    }
  }
}
