package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The variables that a job gets from files of its node, read at each start. Stateless and
 * thread-safe.
 */
public final class JobEnvironment {
  private static final int LONGEST = 1 << 20;

  private final SecretFolder secrets;

  /** Reads secrets from the folder, which need not exist. */
  public JobEnvironment(Path secretsDirectory) {
    this.secrets = new SecretFolder(secretsDirectory);
  }

  /**
   * The variables of the spec: those of its file, then its secrets, then its own; of equal names
   * the last one counts. Reads the disk.
   *
   * @param user the user it runs as, if not the agent's
   * @throws MillraceException with what to do if a file is missing or not acceptable
   */
  public Map<String, String> of(JobSpec spec, Optional<RunAs> user) {
    Map<String, String> variables = new HashMap<>();
    if (spec.envFile() != null) {
      variables.putAll(read(spec.envFile(), user));
    }
    Scope scope = Scope.of(spec, user);
    spec.secrets().forEach((variable, name) -> variables.put(variable, secrets.read(name, scope)));
    variables.putAll(spec.env());
    return variables;
  }

  private static Map<String, String> read(String name, Optional<RunAs> user) {
    Path file = Path.of(name);
    if (!file.isAbsolute()) {
      throw refused(name, "write an absolute path, beginning with /");
    }
    byte[] content = user.isPresent() ? readAs(user.get(), file) : readAsAgent(file);
    if (content.length > LONGEST) {
      throw refused(name, "the file is longer than " + LONGEST + " bytes");
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
      return EnvironmentFile.parse(name, text.lines().toList());
    } catch (CharacterCodingException e) {
      throw refused(name, "the file is not UTF-8 text");
    }
  }

  // The agent may be able to read what the user must not.
  private static byte[] readAs(RunAs user, Path file) {
    try {
      return new UserRights(user)
          .read(file, LONGEST + 1)
          .orElseThrow(
              () ->
                  refused(
                      file.toString(),
                      "it is not a regular file that the user '"
                          + user.name()
                          + "' can read on this node"));
    } catch (IOException e) {
      throw refused(file.toString(), "the file cannot be read: " + e);
    }
  }

  private static byte[] readAsAgent(Path file) {
    if (!Files.isRegularFile(file)) {
      throw refused(
          file.toString(), "there is no such file on this node; put it there or run elsewhere");
    }
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(LONGEST + 1);
    } catch (IOException e) {
      throw refused(file.toString(), "the file cannot be read: " + e);
    }
  }

  private static MillraceException refused(String name, String why) {
    return new MillraceException(ErrorCode.CONFIGURATION, "envFile " + name + ": " + why);
  }

  /**
   * Which secrets a job may read besides those that are for all jobs.
   *
   * @param queue the queue whose worker it is
   * @param user the user it runs as
   */
  private record Scope(Optional<String> queue, String user) {
    static Scope of(JobSpec spec, Optional<RunAs> user) {
      // Only queue managers submit jobs with an input.
      return new Scope(
          Optional.ofNullable(spec.input()).map(BatchInput::queue),
          user.map(RunAs::name).orElseGet(() -> System.getProperty("user.name")));
    }

    /** The folders in which a secret of that name is looked for, the narrowest first. */
    List<Path> folders(Path all) {
      List<Path> folders = new ArrayList<>();
      queue.ifPresent(name -> folders.add(all.resolve("queues").resolve(name)));
      folders.add(all.resolve("users").resolve(user));
      folders.add(all);
      return folders;
    }
  }

  /**
   * The node's secrets: one file each, named by jobs: {@code queues/QUEUE/NAME} for workers of a
   * queue, {@code users/USER/NAME} for jobs that run as a user, and {@code NAME} for all jobs.
   * Their contents are never logged, recorded or reported.
   *
   * @param folder where they are
   */
  private record SecretFolder(Path folder) {
    private static final int LONGEST = 128 * 1024;
    // A name with a folder in it could lead to a secret of another queue or user.
    private static final Pattern PLAIN = Pattern.compile("(?!\\.{1,2}$)[^/\\x00]+");
    private static final Set<PosixFilePermission> OWNERS =
        Set.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE);

    /** The secret without the final line break; reads the disk. */
    String read(String name, Scope scope) {
      try {
        if (!PLAIN.matcher(name).matches()) {
          throw refused(name, "it is not a file in the folder " + folder);
        }
        Path file = find(name, scope).toRealPath();
        if (!file.startsWith(folder.toRealPath()) || !Files.isRegularFile(file)) {
          throw refused(name, "it is not a file in the folder " + folder);
        }
        if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
          throw refused(
              name, "the file is accessible to others than its owner; run chmod 600 on it");
        }
        if (Files.size(file) > LONGEST) {
          throw refused(name, "it is longer than " + LONGEST + " bytes");
        }
        String text = Files.readString(file);
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
      } catch (InvalidPathException e) {
        throw refused(name, "that is not a file name");
      } catch (IOException e) {
        throw refused(
            name,
            "it cannot be read on this node: neither "
                + scope.folders(folder).stream()
                    .map(one -> one.resolve(name).toString())
                    .collect(Collectors.joining(" nor "))
                + " is a readable file");
      }
    }

    private Path find(String name, Scope scope) {
      return scope.folders(folder).stream()
          .map(one -> one.resolve(name))
          .filter(Files::isRegularFile)
          .findFirst()
          .orElse(folder.resolve(name));
    }

    private static MillraceException refused(String name, String why) {
      return new MillraceException(ErrorCode.CONFIGURATION, "secret '" + name + "': " + why);
    }
  }

  /**
   * Reads {@code NAME=value} lines. Pure.
   *
   * <p>Blank lines and those that begin with {@code #} are skipped, and so is {@code export} before
   * a name. Between single quotes everything is literal; between double quotes {@code \n}, {@code
   * \t}, {@code \"}, {@code \\} and {@code \$} are read as in C; without quotes the value ends
   * before a blank followed by {@code #}. Nothing is expanded. Messages name the line and never
   * quote it: it may contain a password.
   */
  static final class EnvironmentFile {
    private static final Pattern LINE =
        Pattern.compile("(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)\\s*=\\s*(.*)");
    private static final Pattern SINGLE = Pattern.compile("'([^']*)'\\s*(?:#.*)?");
    private static final Pattern DOUBLE = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"\\s*(?:#.*)?");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");

    private EnvironmentFile() {}

    /**
     * The variables; of equal names the last one counts.
     *
     * @param name of the file, for messages
     */
    static Map<String, String> parse(String name, List<String> lines) {
      Map<String, String> variables = new HashMap<>();
      for (int number = 1; number <= lines.size(); number++) {
        String line = lines.get(number - 1).strip();
        if (line.isEmpty() || line.startsWith("#")) {
          continue;
        }
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
          throw wrong(name, number, "write NAME=value, a comment after # or nothing");
        }
        variables.put(parts.group(1), value(name, number, parts.group(2)));
      }
      return variables;
    }

    private static String value(String name, int number, String text) {
      Matcher single = SINGLE.matcher(text);
      if (single.matches()) {
        return single.group(1);
      }
      Matcher twice = DOUBLE.matcher(text);
      if (twice.matches()) {
        return ESCAPE
            .matcher(twice.group(1))
            .replaceAll(found -> Matcher.quoteReplacement(unescaped(found.group(1))));
      }
      if (text.startsWith("'") || text.startsWith("\"")) {
        throw wrong(name, number, "end the value with the quotation mark that it begins with");
      }
      if (text.startsWith("#")) {
        return "";
      }
      return text.replaceFirst("\\s+#.*", "").strip();
    }

    private static String unescaped(String letter) {
      return switch (letter) {
        case "n" -> "\n";
        case "t" -> "\t";
        case "\"", "\\", "$" -> letter;
        default -> "\\" + letter;
      };
    }

    private static MillraceException wrong(String name, int number, String fix) {
      return new MillraceException(
          ErrorCode.CONFIGURATION, "envFile " + name + ", line " + number + ": " + fix);
    }
  }
}
