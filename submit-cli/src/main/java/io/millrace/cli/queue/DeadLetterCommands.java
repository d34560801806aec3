package io.millrace.cli.queue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient.Listing;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.ChangedDeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.insight.FailureGroups;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.AttemptOutput;
import io.millrace.cli.job.FailureDescription;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace queue dead …}: events that will not be delivered again. */
@Command(name = "dead", description = "Shows, requeues and deletes dead letters.")
final class DeadLetterCommands extends CommandGroup {
  private static final int PAGE = 1_000;
  private static final int LONGEST_ENDING = 30;

  /** More than the data of an event may have, which the server refuses. */
  private static final int MAX_FILE = 4 << 20;

  private DeadLetterCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new DeadLetterCommands(invocation)), "list groups show requeue drop");
  }

  @Command(
      name = "list",
      description = "Lists the dead letters of a queue, newest first.",
      footer = {"", "Example:", "  millrace queue dead list alert --limit 100"})
  void list(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit,
      @Option(
              names = "--before",
              paramLabel = "WHERE",
              description = "Continue a list at the position that its last line names.")
          String before) {
    Listing<DeadEvent> listing = letters(queue, limit, before);
    if (invocation.json()) {
      invocation.terminal().json(listing);
    } else {
      invocation.print(table(listing.found()), "no dead letters");
      if (listing.next() != null) {
        invocation.note("more dead letters: use --before " + listing.next());
      }
    }
    QueueCommands.noteUnreached(invocation, listing.unreached());
  }

  /** As many as the limit, from several pages if they are large. */
  private Listing<DeadEvent> letters(String queue, int limit, String before) {
    List<DeadEvent> found = new ArrayList<>();
    Set<String> unreached = new TreeSet<>();
    String next = before;
    do {
      Listing<DeadEvent> page =
          invocation.central().deadLetters().list(queue, limit - found.size(), next);
      found.addAll(page.found());
      unreached.addAll(page.unreached());
      next = page.found().isEmpty() ? null : page.next();
    } while (next != null && found.size() < limit);
    return new Listing<>(found, List.copyOf(unreached), next);
  }

  private Table table(List<DeadEvent> dead) {
    Table table =
        new Table(
            Column.left("HANDLE"),
            Column.left("ID"),
            Column.right("AGO"),
            Column.right("FAILED"),
            Column.right("LOST"),
            Column.left("REASON", 80));
    for (DeadEvent event : dead) {
      table.row(
          event.handle(),
          event.id(),
          Ages.since(event.diedAt(), invocation.now()),
          event.failures(),
          event.returns(),
          brief(event.reason()));
    }
    return table;
  }

  /** How the worker ended, and the last line that it wrote, which usually says why. */
  private static String brief(String reason) {
    if (reason == null || reason.lines().limit(2).count() < 2) {
      return reason;
    }
    List<String> lines = reason.lines().filter(line -> !line.isBlank()).toList();
    String first = lines.isEmpty() ? "" : lines.get(0);
    int end = first.indexOf(": ");
    String how = end > 0 && end <= LONGEST_ENDING ? first.substring(0, end) + ": … " : "… ";
    return lines.size() < 2 ? first : how + lines.get(lines.size() - 1).strip();
  }

  @Command(
      name = "groups",
      description = "Groups the dead letters of a queue by their cause.",
      footer = {
        "",
        "Examples:",
        "  millrace queue dead groups alert",
        "  millrace queue dead groups alert --tail 20",
        "",
        "At most the newest 10,000 are examined. Causes are equal if their last lines differ only",
        "in numbers, times and identifiers, shown as #."
      })
  void groups(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Option(
              names = "--tail",
              paramLabel = "N",
              description = "Lines of the reason of each sample (default: 5).")
          Integer tail) {
    OptionRefusal.outside("--tail", tail, 0, AttemptOutput.MAX_TAIL);
    FailureGroups groups = invocation.central().deadLetters().groups(queue);
    new FailureDescription(groups, "dead letters", tail, invocation.now()).print(invocation);
    QueueCommands.noteUnreached(invocation, groups.unreached());
  }

  @Command(
      name = "show",
      description = "Shows a dead letter with its reason and its data.",
      footer = {"", "Example:", "  millrace queue dead show alert q1/17"})
  void show(
      @Parameters(index = "0", paramLabel = "NAME", description = "Name of the queue.")
          String queue,
      @Parameters(
              index = "1",
              paramLabel = "HANDLE",
              description = "Handle of the dead letter, or ID of the event.")
          String wanted) {
    DeadEvent event = find(queue, wanted);
    invocation.show(event, () -> description(event));
  }

  private List<String> description(DeadEvent event) {
    FieldList fields = new FieldList(invocation.palette());
    fields.title("dead letter %s of %s".formatted(event.handle(), event.queue()));
    fields.value("id", event.id());
    fields.value("died", Ages.since(event.diedAt(), invocation.now()) + " ago");
    fields.value(
        "failed",
        "%s, returned %s"
            .formatted(
                Figures.count(event.failures(), "time"), Figures.count(event.returns(), "time")));
    fields.value("attributes", event.attributes() == null ? null : Json.write(event.attributes()));
    fields.quote("Reason", event.reason());
    fields.quote("Data", String.valueOf(event.data()));
    return fields.lines();
  }

  private DeadEvent find(String queue, String wanted) {
    String before = null;
    do {
      Listing<DeadEvent> page = invocation.central().deadLetters().list(queue, PAGE, before);
      QueueCommands.noteUnreached(invocation, page.unreached());
      Optional<DeadEvent> found =
          page.found().stream()
              .filter(event -> wanted.equals(event.handle()) || wanted.equals(event.id()))
              .findFirst();
      if (found.isPresent()) {
        return found.get();
      }
      before = page.next();
    } while (before != null);
    throw new MillraceException(
        ErrorCode.UNKNOWN_DEAD_LETTER,
        "queue %1$s has no dead letter %2$s; see 'millrace queue dead list %1$s'"
            .formatted(queue, wanted));
  }

  @Command(
      name = "requeue",
      description = "Requeues dead letters and resets their failure count.",
      footer = {
        "",
        "Examples:",
        "  millrace queue dead requeue alert --handle q1/17",
        "  millrace queue dead requeue alert --reason 'connection refused' --max 1000",
        "  millrace queue dead requeue alert --all",
        "  millrace queue dead requeue alert --handle q1/17 --data '{\"to\": \"+31612345678\"}'",
        "  millrace queue dead requeue alert --handle q1/17 --data-file fixed.json",
        "",
        "With --data or --data-file, the event keeps its ID, attributes and priority. The data",
        "directory of 'millrace up' is written before the command, 'millrace --data DIR queue dead",
        "requeue …', or in MILLRACE_DATA."
      })
  void requeue(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Mixin Selection options,
      @Option(
              names = "--data",
              paramLabel = "JSON",
              description = "New data of the one dead letter of --handle.")
          String data,
      @Option(
              names = "--data-file",
              paramLabel = "FILE",
              description = "File with its new data, or - for standard input.")
          String file)
      throws IOException {
    if (data != null || file != null) {
      requeueChanged(queue, options.only(data == null ? "--data-file" : "--data"), data, file);
      return;
    }
    QueueActionAnswer answer =
        invocation.central().deadLetters().requeue(queue, options.selection());
    options.requireFound(queue, answer);
    QueueCommands.report(invocation, answer, " dead letters requeued");
  }

  private void requeueChanged(String queue, String handle, String data, String file)
      throws IOException {
    OptionRefusal.unless(data == null || file == null, "--data", "not together with --data-file");
    String text = data == null ? read(file) : data;
    JsonNode parsed;
    try {
      parsed =
          Json.mapper()
              .reader()
              .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
              .readTree(text);
    } catch (JsonProcessingException e) {
      String problem = "not JSON: " + Json.syntax(e);
      throw data == null
          ? OptionRefusal.of("--data-file", problem)
          : OptionRefusal.of("--data", problem + "; a file is given with --data-file");
    }
    OptionRefusal.unless(!parsed.isMissingNode(), "--data-file", "contains no JSON");
    ChangedDeadEvent changed =
        invocation.central().deadLetters().requeueChanged(queue, handle, text);
    invocation.answer(
        changed,
        () -> {
          invocation.line(Escaping.text("dead letter " + handle + " requeued with changed data"));
          invocation.line(Escaping.text("  before: " + changed.original().data()));
          invocation.line(Escaping.text("  now:    " + changed.data()));
        });
  }

  private String read(String file) throws IOException {
    byte[] bytes;
    if (file.equals("-")) {
      bytes = invocation.terminal().in().readNBytes(MAX_FILE + 1);
    } else {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        bytes = in.readNBytes(MAX_FILE + 1);
      } catch (NoSuchFileException e) {
        throw OptionRefusal.of("--data-file", "there is no file " + file);
      }
    }
    OptionRefusal.unless(
        bytes.length <= MAX_FILE, "--data-file", "at most " + MAX_FILE + " bytes are allowed");
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Command(
      name = "drop",
      description = "Deletes dead letters.",
      footer = {
        "",
        "Examples:",
        "  millrace queue dead drop alert --handle q1/17",
        "  millrace queue dead drop alert --older-than 7d",
        "  millrace queue dead drop alert --all --yes"
      })
  void drop(
      @Parameters(paramLabel = "NAME", description = "Name of the queue.") String queue,
      @Mixin Selection options,
      @Option(names = "--yes", description = "Do not ask for confirmation, even with --all.")
          boolean yes)
      throws IOException {
    DeadSelection selection = options.selection();
    if (selection.all() && !yes) {
      new Confirmation(invocation)
          .require(
              "permanently deletes all dead letters of queue " + queue,
              "the name of the queue",
              queue);
    }
    QueueActionAnswer answer = invocation.central().deadLetters().drop(queue, selection);
    options.requireFound(queue, answer);
    QueueCommands.report(invocation, answer, " dead letters deleted");
  }

  /** The options that select dead letters. Set by the parser. */
  static final class Selection {
    @Option(
        names = "--handle",
        paramLabel = "HANDLE",
        description = "Dead letter with this handle, as listed; may be repeated.")
    private List<String> handles;

    @Option(
        names = "--id",
        paramLabel = "ID",
        description = "Dead letters of the event with this ID; may be repeated.")
    private List<String> ids;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        description = "Dead letters whose reason contains this text.")
    private String reason;

    @Option(
        names = "--older-than",
        paramLabel = "TIME",
        description = "Dead letters of at least this age, such as 2h.")
    private Duration olderThan;

    @Option(names = "--all", description = "All dead letters of the queue.")
    private boolean all;

    /** The one handle that is selected; refuses anything else. */
    String only(String option) {
      DeadSelection selection = selection();
      OptionRefusal.unless(
          handles != null
              && handles.size() == 1
              && ids == null
              && reason == null
              && olderThan == null
              && !all
              && selection.max() == null,
          option,
          "only together with one --handle and no other condition");
      return handles.get(0);
    }

    @Option(
        names = "--max",
        paramLabel = "N",
        description = "Maximum number; the oldest come first.")
    private Integer max;

    /** Refuses an answer without the dead letters that were named, though all nodes were asked. */
    void requireFound(String queue, QueueActionAnswer answer) {
      boolean named = handles != null || ids != null;
      if (named && answer.events() == 0 && answer.unreached().isEmpty()) {
        throw new MillraceException(
            ErrorCode.UNKNOWN_DEAD_LETTER,
            "queue %1$s has no such dead letter: it was requeued or dropped, or is mistyped; see 'millrace queue dead list %1$s'"
                .formatted(queue));
      }
    }

    /** The selection; dead letters must match all conditions. */
    DeadSelection selection() {
      DeadSelection selection = new DeadSelection(handles, ids, reason, olderThan, all, max);
      if (selection.unbounded() && !all) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST,
            "specify dead letters with --handle, --id, --reason or --older-than, or use --all");
      }
      if (!selection.unbounded() && all) {
        throw new MillraceException(
            ErrorCode.INVALID_REQUEST, "--all can be combined with --max only");
      }
      return selection;
    }
  }
}
