package io.millrace.cli.invocation;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The options that every command takes, before or after its name. Filled by the parser. */
public final class GlobalOptions {
  @Option(
      names = "--server",
      split = ",",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "Central managers, tried in order (MILLRACE_URL).")
  private final List<URI> servers = new ArrayList<>();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "File with the token (MILLRACE_TOKEN_FILE).")
  private Path tokenFile;

  private Path data;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print stable JSON.")
  private boolean json;

  @Option(
      names = "--no-color",
      scope = ScopeType.INHERIT,
      description = "Disable colours (also NO_COLOR, or no terminal).")
  private boolean noColor;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  private boolean help;

  /**
   * Gives a command and those below it {@code --data}, except where it means something else ({@code
   * queue send}); an inherited option would clash there.
   */
  public void addDataDirectory(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    if (spec.findOption("--data") == null) {
      spec.addOption(
          OptionSpec.builder("--data")
              .paramLabel("DIR")
              .type(Path.class)
              .description("Data directory of 'millrace up' (MILLRACE_DATA).")
              .setter(this::setData)
              .build());
    }
    command.getSubcommands().values().forEach(this::addDataDirectory);
  }

  // The parser resets every option of every command to null before it reads the arguments.
  private <T> T setData(T given) {
    data = given == null ? data : (Path) given;
    return null;
  }

  public List<URI> servers() {
    return servers;
  }

  /** Null if not set. */
  public Path tokenFile() {
    return tokenFile;
  }

  /** Null if not set. */
  public Path data() {
    return data;
  }

  public boolean json() {
    return json;
  }

  public boolean noColor() {
    return noColor;
  }

  public boolean help() {
    return help;
  }
}
