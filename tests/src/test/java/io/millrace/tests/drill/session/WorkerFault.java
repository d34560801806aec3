package io.millrace.tests.drill.session;

import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.Fault;
import io.millrace.tests.drill.cluster.FaultCell;
import io.millrace.tests.drill.cluster.FaultKind;
import io.millrace.tests.drill.cluster.FaultRole;
import io.millrace.tests.drill.cluster.JobProcesses;
import io.millrace.tests.drill.cluster.JobProcesses.JobProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Faults of the processes that work on sessions. */
sealed interface WorkerFault extends Fault {
  Duration LONGEST_ABSENCE = Duration.ofSeconds(5);
  Duration SHORTEST_FREEZE = Duration.ofSeconds(2);
  Duration LONGEST_FREEZE = Duration.ofSeconds(12);
  Duration MINUTES = Duration.ofSeconds(121);
  Duration AT_MOST = Duration.ofSeconds(150);

  /**
   * Those that end within seconds.
   *
   * @param argument of the jobs' processes, by which they are found
   */
  static List<Fault> shortOnes(OutsidePrograms programs, Path argument) {
    List<Fault> all = new ArrayList<>();
    for (String name : programs.names()) {
      all.add(
          new OfProgram(programs, name, FaultKind.KILL, Duration.ofMillis(200), LONGEST_ABSENCE));
      all.add(
          new OfProgram(programs, name, FaultKind.SHORT_FREEZE, SHORTEST_FREEZE, LONGEST_FREEZE));
    }
    all.add(new OfJob(argument, FaultKind.KILL, Duration.ZERO, Duration.ofMillis(1)));
    all.add(new OfJob(argument, FaultKind.SHORT_FREEZE, SHORTEST_FREEZE, LONGEST_FREEZE));
    return all;
  }

  /** Those that take minutes. */
  static List<Fault> longOnes(OutsidePrograms programs, Path argument) {
    List<Fault> all = new ArrayList<>();
    for (String name : programs.names()) {
      all.add(new OfProgram(programs, name, FaultKind.LONG_FREEZE, MINUTES, AT_MOST));
    }
    all.add(new OfJob(argument, FaultKind.LONG_FREEZE, MINUTES, AT_MOST));
    return all;
  }

  @Override
  default Set<String> disturbs() {
    return Set.of();
  }

  /** A program outside is killed and started again, or frozen. */
  record OfProgram(
      OutsidePrograms programs, String name, FaultKind kind, Duration shortest, Duration longest)
      implements WorkerFault {
    @Override
    public FaultCell cell() {
      return new FaultCell(kind, FaultRole.SESSION_PROGRAM);
    }

    @Override
    public void begin(DrillCluster cluster) {
      if (kind == FaultKind.KILL) {
        programs.kill(name);
      } else {
        programs.freeze(name);
      }
    }

    @Override
    public void end(DrillCluster cluster) {
      if (kind == FaultKind.KILL) {
        programs.start(name);
      } else {
        programs.thaw(name);
      }
    }

    @Override
    public Set<String> touches() {
      return Set.of(name);
    }

    @Override
    public Optional<String> hit() {
      return Optional.of("a program that works on sessions");
    }

    @Override
    public String toString() {
      return kind.words() + ": " + name;
    }
  }

  /**
   * A process of a job that works on sessions is killed or frozen; counts if there was one. Of a
   * frozen one, its watchdog is to leave nothing.
   */
  final class OfJob implements WorkerFault {
    private final Path argument;
    private final FaultKind kind;
    private final Duration shortest;
    private final Duration longest;
    private ProcessHandle victim;
    private Instant started;

    OfJob(Path argument, FaultKind kind, Duration shortest, Duration longest) {
      this.argument = argument;
      this.kind = kind;
      this.shortest = shortest;
      this.longest = longest;
    }

    @Override
    public FaultCell cell() {
      return new FaultCell(kind, FaultRole.JOB_PROCESS);
    }

    @Override
    public void begin(DrillCluster cluster) {
      victim =
          JobProcesses.all().stream()
              .filter(this::isWorker)
              .map(JobProcess::pid)
              .map(ProcessHandle::of)
              .flatMap(Optional::stream)
              .findAny()
              .orElse(null);
      if (victim != null) {
        started = started();
        OutsidePrograms.signal(victim.pid(), kind == FaultKind.KILL ? "KILL" : "STOP");
      }
    }

    /** Not its watchdog, whose arguments are the same. */
    private boolean isWorker(JobProcess process) {
      List<String> words = process.words();
      return words.contains(argument.toString()) && !words.get(0).equals("sh");
    }

    private Instant started() {
      return victim.info().startInstant().orElse(Instant.EPOCH);
    }

    @Override
    public void end(DrillCluster cluster) {
      if (victim != null
          && kind != FaultKind.KILL
          && victim.isAlive()
          && started().equals(started)) {
        OutsidePrograms.signal(victim.pid(), "CONT");
      }
    }

    @Override
    public Set<String> touches() {
      return Set.of("a job's process");
    }

    @Override
    public Optional<String> hit() {
      return Optional.ofNullable(victim).map(process -> "process " + process.pid());
    }

    @Override
    public Duration shortest() {
      return shortest;
    }

    @Override
    public Duration longest() {
      return longest;
    }

    @Override
    public String toString() {
      return kind.words() + ": a job's process";
    }
  }
}
