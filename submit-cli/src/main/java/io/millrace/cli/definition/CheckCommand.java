package io.millrace.cli.definition;

import io.millrace.api.Durations;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskDefinition;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.DemandFormatter;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.NotificationFormatter;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.cli.session.SessionDefinitionFormatter;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.manager.definition.DefinitionText;
import io.millrace.manager.job.DefinedJobs.DefinedJobKind;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.WorkerSpecs;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code millrace check}. */
@Command(
    name = "check",
    description = {
      "Validates definition files and explains what each definition means.",
      "Needs no server; does not check whether programs and pools exist."
    },
    footer = {
      "",
      "Examples:",
      "  millrace check queues.yaml",
      "  millrace check definitions/ --json",
      "",
      "Exit codes: 0 valid, 1 errors or problems found, 2 usage."
    })
public final class CheckCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final DefinitionFiles.Arguments files = new DefinitionFiles.Arguments();

  public CheckCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    return new DefinitionCheck(invocation).run(files.read(invocation.terminal().in()));
  }

  /**
   * One check of files, with the parser of apply. Separate from the command, because the parser of
   * arguments inspects the methods of commands, and only the class path of servers has it.
   */
  private static final class DefinitionCheck {
    private final Invocation invocation;

    DefinitionCheck(Invocation invocation) {
      this.invocation = invocation;
    }

    /**
     * Result of a check.
     *
     * @param definitions the valid definitions
     * @param problems of all other definitions
     */
    record Findings(List<Meaning> definitions, List<String> problems) {}

    int run(List<SourceFile> sources) {
      DefinitionReading reading =
          new DefinitionParser(KnownKinds.all(invocation.clock())).read(sources);
      Meanings meanings = new Meanings(invocation.now());
      Findings findings =
          new Findings(
              reading.definitions().stream().map(meanings::of).toList(), reading.problems());
      invocation.answer(findings, () -> print(findings));
      return (findings.problems().isEmpty() ? ExitCode.OK : ExitCode.FAILED).code();
    }

    private void print(Findings findings) {
      findings.definitions().forEach(this::print);
      findings.problems().forEach(problem -> invocation.note("error: " + Escaping.text(problem)));
      invocation.note(
          findings.problems().isEmpty()
              ? findings.definitions().size() + " valid, no problems"
              : "%d valid; problems: %d"
                  .formatted(findings.definitions().size(), findings.problems().size()));
    }

    private void print(Meaning meaning) {
      FieldList fields = new FieldList(invocation.palette());
      fields.title(meaning.kind() + " " + meaning.name());
      fields.value("in", meaning.place());
      meaning.words().forEach(fields::value);
      for (int i = 0; i < meaning.next().size(); i++) {
        fields.value(i == 0 ? "next" : "", meaning.next().get(i));
      }
      invocation.lines(fields.lines());
    }

    /**
     * Description of a definition.
     *
     * @param kind queue, task or job
     * @param name its name
     * @param place where it was read
     * @param words descriptions by topic, in order
     * @param next its next planned times; empty for none
     */
    record Meaning(
        String kind, String name, String place, Map<String, String> words, List<Instant> next) {}

    /** Describes definitions. Pure. */
    private static final class Meanings {
      private final Instant now;

      /** Planned times are those after now. */
      Meanings(Instant now) {
        this.now = now;
      }

      Meaning of(DefinitionText text) {
        return switch (text.kind()) {
          case QueueKind.KEYWORD ->
              meaning(text, QueueFormatter.of(text.as(QueueDefinition.class)), null);
          case TaskKind.KEYWORD -> task(text, text.as(TaskDefinition.class));
          case DefinedJobKind.KEYWORD -> meaning(text, job(text.as(JobSpec.class)), null);
          default -> meaning(text, Map.of(), null);
        };
      }

      private static Map<String, String> job(JobSpec job) {
        Map<String, String> descriptions = new LinkedHashMap<>();
        descriptions.put(
            "command",
            job.command() == null
                ? "built-in " + job.program()
                : "%s, pool %s".formatted(ShellQuoting.of(job.command()), job.pool()));
        descriptions.putAll(DemandFormatter.of(job));
        descriptions.put("submitted", "once for each version that is applied");
        return descriptions;
      }

      private Meaning task(DefinitionText text, TaskDefinition task) {
        SchedulePreview schedule =
            task.schedule() == null
                ? null
                : SchedulePlan.of(task.name(), task.schedule(), task.window(), now).preview(now);
        return meaning(text, TaskFormatter.of(task, schedule), schedule);
      }

      private static Meaning meaning(
          DefinitionText text, Map<String, String> descriptions, SchedulePreview schedule) {
        List<Instant> next = schedule == null ? List.of() : schedule.next();
        return new Meaning(text.kind(), text.name(), text.place(), descriptions, next);
      }
    }

    /** Describes a queue definition in text. Pure. */
    private static final class QueueFormatter {
      private QueueFormatter() {}

      static Map<String, String> of(QueueDefinition queue) {
        Map<String, String> descriptions = new LinkedHashMap<>();
        if (queue.worker() == null) {
          descriptions.put("worker", "none: external programs consume its events");
          sessions(queue, descriptions);
          notification(queue, descriptions);
          return descriptions;
        }
        descriptions.put("worker", worker(queue));
        descriptions.putAll(
            DemandFormatter.of(WorkerSpecs.worker(new VersionedQueue(queue, 1), "any")));
        if (queue.ofSessions()) {
          sessions(queue, descriptions);
          descriptions.put("pacing", pacing(queue));
          notification(queue, descriptions);
          return descriptions;
        }
        descriptions.put(
            "events",
            "up to %d per worker; an event that fails %s on its own becomes a dead letter"
                .formatted(queue.batch(), Figures.count(queue.maxAttempts(), "time")));
        descriptions.put("pacing", pacing(queue));
        if (queue.source() != null) {
          descriptions.put("source", "counted by " + ShellQuoting.of(queue.source().waiting()));
        }
        notification(queue, descriptions);
        return descriptions;
      }

      private static void sessions(QueueDefinition queue, Map<String, String> descriptions) {
        if (queue.ofSessions()) {
          SessionDefinition sessions = queue.sessions();
          descriptions.put("sessions", SessionDefinitionFormatter.limits(sessions));
          descriptions.put("one ends", SessionDefinitionFormatter.endings(sessions));
          descriptions.put("duplicates", SessionDefinitionFormatter.duplicates(sessions));
          descriptions.put("failures", SessionDefinitionFormatter.failures(queue));
        }
      }

      private static void notification(QueueDefinition queue, Map<String, String> descriptions) {
        if (queue.notification() != null) {
          descriptions.put("notifies", NotificationFormatter.of(queue.notification()));
        }
      }

      private static String worker(QueueDefinition queue) {
        WorkerDefinition worker = queue.worker();
        return "%s, input %s, %spool %s"
            .formatted(
                ShellQuoting.of(worker.command()),
                worker.input().word(),
                queue.ofSessions()
                    ? ""
                    : "timeout %s, ".formatted(Durations.format(worker.timeout())),
                worker.pool());
      }

      private static String pacing(QueueDefinition queue) {
        PacingDefinition pacing = queue.pacing();
        if (queue.ofSessions()) {
          return "by the number of sessions, up to %s, a decision every %s"
              .formatted(
                  Figures.count(pacing.maxWorkers(), "worker"), Durations.format(pacing.tick()));
        }
        String rule =
            pacing.policy().equals("demand")
                ? "events wait at most " + Durations.format(pacing.waitTarget())
                : "more workers from %d waiting events".formatted(pacing.upperLimit());
        return "%s: %s, up to %s, a decision every %s"
            .formatted(
                pacing.policy(),
                rule,
                Figures.count(pacing.maxWorkers(), "worker"),
                Durations.format(pacing.tick()));
      }
    }
  }
}
