package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.UsageTally.Consumption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The running processes of this machine, read from {@code /proc}. Thread-safe; every call reads
 * again, and a process may have ended by the time its entry is used.
 */
final class ProcessTable {

  // The kernel reports times to user space in this unit on every architecture that runs a JDK 17.
  private static final long TICKS_PER_SECOND = 100;
  private static final long KIBIBYTE = 1024;
  private static final long USUAL_PAGE = 4 * KIBIBYTE;

  private final Path proc;
  private final String bootId;
  private final long pageSize;

  /** Reads the boot id; fails with {@link UncheckedIOException} if there is none. */
  ProcessTable(Path proc) {
    this.proc = proc;
    this.pageSize = pageSize(proc);
    try {
      this.bootId = Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the boot id below " + proc, e);
    }
  }

  String bootId() {
    return bootId;
  }

  Optional<ProcessEntry> find(long pid) {
    try {
      // Latin-1 never fails, and a process may have any name.
      return ProcessEntry.parse(
          Files.readString(proc.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1));
    } catch (IOException exited) {
      return Optional.empty();
    }
  }

  /** All processes but zombies. */
  List<ProcessEntry> alive() {
    return entries().stream().filter(ProcessEntry::isAlive).toList();
  }

  private List<ProcessEntry> entries() {
    List<ProcessEntry> found = new ArrayList<>();
    try (DirectoryStream<Path> pids =
        Files.newDirectoryStream(proc, entry -> isNumber(entry.getFileName().toString()))) {
      for (Path entry : pids) {
        find(Long.parseLong(entry.getFileName().toString())).ifPresent(found::add);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the processes in " + proc, e);
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException("cannot list the processes in " + proc, e.getCause());
    }
    return found;
  }

  /** The process that currently has this id. */
  Optional<ProcessIdentity> identify(long pid) {
    return find(pid).map(entry -> new ProcessIdentity(pid, entry.startTicks(), bootId));
  }

  /** Whether this process is running, and not a later one with the same id. */
  boolean isAlive(ProcessIdentity identity) {
    return identity.bootId().equals(bootId)
        && find(identity.pid())
            .filter(entry -> entry.startTicks() == identity.startTicks())
            .filter(ProcessEntry::isAlive)
            .isPresent();
  }

  /**
   * The processes in the session or group of a leader that this agent has seen alive.
   *
   * <p>The kernel does not reuse the id of a leader while its session or group has members, so they
   * are the leader's even after its end, unless another process has the id.
   */
  List<ProcessEntry> family(ProcessIdentity leader) {
    List<ProcessEntry> all = entries();
    boolean reused =
        all.stream()
            .anyMatch(
                entry -> entry.pid() == leader.pid() && entry.startTicks() != leader.startTicks());
    if (reused || !leader.bootId().equals(bootId)) {
      return List.of();
    }
    return all.stream()
        .filter(ProcessEntry::isAlive)
        .filter(entry -> entry.session() == leader.pid() || entry.group() == leader.pid())
        .toList();
  }

  /** The attempt of this node that a process belongs to by the marks in its environment. */
  Optional<AttemptId> attemptOf(long pid, AttemptMarks marks) {
    try {
      return marks.read(
          new String(Files.readAllBytes(proc.resolve(pid + "/environ")), StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /** What a process has used; empty if it has ended. */
  Optional<Consumption> consumption(long pid) {
    try {
      String stat = Files.readString(proc.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
      return Consumption.parse(pid, stat, storage(pid), pageSize);
    } catch (IOException exited) {
      return Optional.empty();
    }
  }

  /** Its resident memory with shared pages counted proportionally; empty if unknown. */
  OptionalLong proportionalBytes(long pid) {
    try (Stream<String> lines = Files.lines(proc.resolve(pid + "/smaps_rollup"))) {
      return lines
          .filter(line -> line.startsWith("Pss:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBIBYTE)
          .findFirst();
    } catch (IOException | UncheckedIOException | NumberFormatException unreadable) {
      return OptionalLong.empty();
    }
  }

  private String storage(long pid) {
    try {
      return Files.readString(proc.resolve(pid + "/io"));
    } catch (IOException anotherUsers) {
      return "";
    }
  }

  private static long pageSize(Path proc) {
    try (Stream<String> lines = Files.lines(proc.resolve("self/smaps"))) {
      return lines
          .filter(line -> line.startsWith("KernelPageSize:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIBIBYTE)
          .findFirst()
          .orElse(USUAL_PAGE);
    } catch (IOException | UncheckedIOException | NumberFormatException unreadable) {
      return USUAL_PAGE;
    }
  }

  /**
   * Time since the machine's start, to the hundredth of a second; goes on while it is suspended and
   * is the same for all its processes.
   */
  Duration uptime() {
    try {
      String uptime = Files.readString(proc.resolve("uptime"));
      double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
      return Duration.ofMillis(Math.round(seconds * TICKS_PER_SECOND) * 1000 / TICKS_PER_SECOND);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the uptime in " + proc, e);
    }
  }

  /**
   * Time since a process of this boot started. Taken from the machine's uptime, because the wall
   * clock may have been set since; never negative, as in containers whose uptime is made up.
   */
  Duration age(ProcessIdentity identity) {
    long ticks = uptime().toMillis() * TICKS_PER_SECOND / 1000 - identity.startTicks();
    return Duration.ofMillis(Math.max(0, ticks) * 1000 / TICKS_PER_SECOND);
  }

  private static boolean isNumber(String name) {
    return name.chars().allMatch(letter -> letter >= '0' && letter <= '9');
  }

  /**
   * Identifies a process uniquely; the id alone is reused sooner or later.
   *
   * @param pid process id
   * @param startTicks start in clock ticks since the machine's start, field 22 of {@code stat}
   * @param bootId one start of the machine
   */
  record ProcessIdentity(long pid, long startTicks, String bootId) {}

  /**
   * One process as {@code /proc/<pid>/stat} shows it.
   *
   * @param pid process id
   * @param state one letter, such as R, S, D or Z
   * @param group process group
   * @param session session
   * @param startTicks start in clock ticks since the machine's start
   */
  record ProcessEntry(long pid, char state, long group, long session, long startTicks) {

    /** Reads a line of {@code stat}; empty when it is not one. */
    static Optional<ProcessEntry> parse(String line) {
      int open = line.indexOf('(');
      // The name between the parentheses is chosen by the program and may contain any of ") ( \n".
      int close = line.lastIndexOf(')');
      if (open < 1 || close < open) {
        return Optional.empty();
      }
      String[] fields = line.substring(close + 1).strip().split(" ", -1);
      try {
        return Optional.of(
            new ProcessEntry(
                Long.parseLong(line.substring(0, open).strip()),
                fields[0].charAt(0),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[19])));
      } catch (IndexOutOfBoundsException | NumberFormatException notAStatLine) {
        return Optional.empty();
      }
    }

    /** Not a zombie: those only wait for their parent and hold nothing. */
    boolean isAlive() {
      return state != 'Z' && state != 'X';
    }
  }
}
