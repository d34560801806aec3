package io.millrace.cli.backup;

import io.millrace.api.Sizes;
import io.millrace.cli.backup.BackupManifest.StoreCopy;
import io.millrace.cli.backup.BackupRun.Taken;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.StatusLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace backup FILE}, and {@code verify} and {@code show} of such a file. */
@Command(
    name = "backup",
    description = {
      "Copies the central database and the events of all queue nodes into a file, while the"
          + " cluster runs. Needs the role admin.",
      "Everything accepted before the command was started is in the backup, except for what"
          + " ended before its part was copied."
    },
    footer = {
      "",
      "Examples:",
      "  millrace backup /backups/monday.zip",
      "  millrace backup verify /backups/monday.zip",
      "  millrace backup show /backups/monday.zip",
      "",
      "The file contains events, environments and commands of jobs: keep it as safe as the",
      "cluster. It contains no keys and no tokens of users; copy the tokens folder once."
    })
public final class BackupCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "FILE", arity = "0..1", description = "File to be written.")
  private Path file;

  @Option(names = "--overwrite", description = "Replace the file if it exists.")
  private boolean overwrite;

  @Option(
      names = "--without",
      paramLabel = "NODE",
      description = "Leave out a queue node that does not answer; may be repeated.")
  private List<String> without = new ArrayList<>();

  @Spec private CommandSpec spec;

  private BackupCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return new CommandLine(new BackupCommand(invocation));
  }

  @Override
  public Integer call() throws IOException {
    if (file == null) {
      throw new ParameterException(spec.commandLine(), "Missing required parameter: 'FILE'");
    }
    StatusLine line = new StatusLine(invocation.terminal(), invocation.clock());
    Taken taken;
    try (BackupWriter writer = BackupWriter.create(file, overwrite)) {
      taken =
          new BackupRun(
                  invocation.central().backups(),
                  writer,
                  invocation.clock(),
                  text -> line.show(Escaping.text(text)))
              .take(without, version());
    } finally {
      line.end();
    }
    invocation.answer(
        taken.manifest(),
        () -> {
          invocation.lines(description(taken.manifest()));
          invocation.line("written to " + file + ", " + Sizes.readable(taken.bytes()));
        });
    if (invocation.json()) {
      taken.manifest().sessionWarnings().forEach(invocation::note);
    }
    return ExitCode.OK.code();
  }

  private static String version() {
    String packaged = BackupCommand.class.getPackage().getImplementationVersion();
    return packaged == null ? "unpackaged" : packaged;
  }

  @Command(
      name = "verify",
      description = "Reads a backup and compares every part with its checksum.",
      footer = {"", "Example:", "  millrace backup verify /backups/monday.zip"})
  void verify(@Parameters(paramLabel = "FILE", description = "The backup.") Path backup)
      throws IOException {
    try (BackupFile opened = BackupFile.open(backup)) {
      StatusLine line = new StatusLine(invocation.terminal(), invocation.clock());
      try {
        opened.verify((bytes, all) -> line.show(checked(bytes, all)));
      } finally {
        line.end();
      }
      invocation.answer(
          opened.manifest(),
          () -> {
            invocation.lines(description(opened.manifest()));
            invocation.line("all checksums match");
          });
    }
  }

  static String checked(long bytes, long all) {
    return "%s of %s checked".formatted(Sizes.readable(bytes), Sizes.readable(all));
  }

  @Command(
      name = "show",
      description = "Shows what a backup contains; reads its manifest only.",
      footer = {"", "Example:", "  millrace backup show /backups/monday.zip"})
  void show(@Parameters(paramLabel = "FILE", description = "The backup.") Path backup)
      throws IOException {
    try (BackupFile opened = BackupFile.open(backup)) {
      invocation.show(opened.manifest(), () -> description(opened.manifest()));
    }
  }

  static List<String> description(BackupManifest manifest) {
    List<String> lines = new ArrayList<>();
    lines.add("backup    " + Escaping.text(manifest.id()));
    lines.add("begun     " + manifest.begun());
    lines.add("ended     " + manifest.ended());
    lines.add("version   " + Escaping.text(manifest.millrace()));
    lines.add("central   " + Figures.count(manifest.rows(), "row"));
    for (StoreCopy store : manifest.nodes()) {
      lines.add(
          "store     %s, %s"
              .formatted(Escaping.text(store.name()), Figures.count(store.events(), "event")));
    }
    for (String node : manifest.without()) {
      lines.add("without   " + Escaping.text(node) + ", whose events are not in the backup");
    }
    manifest.sessionWarnings().forEach(warning -> lines.add("missing   " + warning));
    return lines;
  }
}
