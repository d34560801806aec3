package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobSpec;
import io.millrace.cli.output.ShellQuoting;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A script with directives for a scheduler (J-05): {@code #SBATCH} (Slurm), {@code #$} (Grid
 * Engine) and {@code #MILLRACE}. The job gets the text of the script on its standard input, as
 * users of qsub and sbatch expect: later changes of the file do not change the job. Not
 * thread-safe.
 */
public final class ScriptDirectives {
  /** The largest script. */
  static final DataSize LARGEST = new DataSize(256L << 10);

  /**
   * Keeps the text in an open file without a name, and lets the interpreter take its place: no file
   * stays behind, and signals and exit codes are those of the script.
   */
  private static final String STARTER =
      """
      f=$(mktemp) && cat >"$f" && exec 3<"$f" </dev/null && rm -f "$f" || exit 126
      i=${MILLRACE_ATTEMPT%%.*}
      case $1 in *slurm*)
        export SLURM_JOB_ID="$i" SLURM_JOBID="$i"
        if [ -n "$MILLRACE_ARRAY_INDEX" ]; then
          export SLURM_ARRAY_TASK_ID="$MILLRACE_ARRAY_INDEX" SLURM_ARRAY_JOB_ID="$MILLRACE_ARRAY"
        fi
      esac
      case $1 in *grid*)
        export JOB_ID="${MILLRACE_ARRAY:-$i}" SGE_TASK_ID="${MILLRACE_ARRAY_INDEX:-undefined}"
      esac
      shift
      exec "$@"
      """;

  private final Path file;
  private final ImportFindings findings = new ImportFindings();
  private final ScriptDraft draft;
  private final Function<List<String>, Optional<String>> check;
  private final List<String> own = new ArrayList<>();
  private String text = "";
  private boolean slurm;
  private boolean gridEngine;

  /**
   * Reads a script.
   *
   * @param environment of the user who submits
   * @param zone of the times in directives
   * @param check what is wrong with the words of a {@code #MILLRACE} line, if anything
   */
  public ScriptDirectives(
      Path file,
      Map<String, String> environment,
      Instant now,
      ZoneId zone,
      Function<List<String>, Optional<String>> check) {
    this.file = file;
    this.check = check;
    this.draft = new ScriptDraft(environment, findings);
    text = text();
    directives(
        new SlurmDirectives(draft, findings, now, zone),
        new GridEngineDirectives(draft, findings, now, zone));
  }

  /** What is left out, for the user, and what is refused. */
  public ImportFindings findings() {
    return findings;
  }

  /** The words of all {@code #MILLRACE} lines: options of {@code millrace submit}. */
  public List<String> options() {
    return List.copyOf(own);
  }

  /**
   * The job that the other directives ask for.
   *
   * @param arguments of the script
   * @throws io.millrace.api.MillraceException INVALID_REQUEST with all that is wrong with the
   *     script
   */
  public JobSpec job(List<String> arguments) {
    String script = file.getFileName().toString();
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", STARTER, script));
    command.add((slurm ? "slurm " : "") + (gridEngine ? "grid-engine" : ""));
    command.addAll(interpreter());
    command.add("/dev/fd/3");
    command.addAll(arguments);
    if (slurm && draft.directory == null) {
      // As sbatch does; qsub starts in the home directory, which nodes need not have.
      draft.directory = ScriptDraft.path("");
    }
    JobSpec job = draft.spec(command, text, script);
    findings.refuse();
    return job;
  }

  /** Variables that the other schedulers set, for the job as it will be submitted. */
  public Map<String, String> variables(JobSpec job) {
    Map<String, String> variables = new LinkedHashMap<>();
    String cpus = String.valueOf(job.cpu() == null ? 1 : (long) Math.ceil(job.cpu()));
    ArrayRange array = job.array();
    if (slurm) {
      variables.put("SLURM_JOB_NAME", job.name());
      variables.put("SLURM_SUBMIT_DIR", ScriptDraft.path(""));
      variables.put("SLURM_CPUS_PER_TASK", cpus);
      variables.put("SLURM_NTASKS", "1");
      if (array != null) {
        variables.put("SLURM_ARRAY_TASK_MIN", String.valueOf(array.first()));
        variables.put("SLURM_ARRAY_TASK_MAX", String.valueOf(lastIndex(array)));
        variables.put("SLURM_ARRAY_TASK_STEP", String.valueOf(array.step()));
        variables.put("SLURM_ARRAY_TASK_COUNT", String.valueOf(array.size()));
      }
    }
    if (gridEngine) {
      variables.put("JOB_NAME", job.name());
      variables.put("SGE_O_WORKDIR", ScriptDraft.path(""));
      variables.put("NSLOTS", cpus);
      if (array != null) {
        variables.put("SGE_TASK_FIRST", String.valueOf(array.first()));
        variables.put("SGE_TASK_LAST", String.valueOf(lastIndex(array)));
        variables.put("SGE_TASK_STEPSIZE", String.valueOf(array.step()));
      }
    }
    return variables;
  }

  private static long lastIndex(ArrayRange array) {
    return array.first() + (array.size() - 1) * array.step();
  }

  private String text() {
    String shown = file.toString();
    int most = (int) LARGEST.bytes();
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(most + 1);
    } catch (IOException e) {
      findings.problem(shown, "cannot be read; check its name and permissions");
      return "";
    }
    if (bytes.length > most) {
      findings.problem(
          shown, "is larger than %s; install it on the nodes and submit its path", LARGEST);
      return "";
    }
    try {
      String read = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (read.indexOf('\0') >= 0) {
        findings.problem(shown, "is a program and no script; submit it as a command");
        return "";
      }
      if (read.isBlank()) {
        findings.problem(shown, "is empty");
      }
      if (read.lines().findFirst().orElse("").endsWith("\r") || read.contains("\r\n")) {
        findings.problem(shown, "has line ends of Windows; convert it, as with dos2unix");
      }
      return read;
    } catch (CharacterCodingException e) {
      findings.problem(shown, "is not UTF-8 text; convert it, or submit it as a command");
      return "";
    }
  }

  private List<String> interpreter() {
    if (draft.interpreter != null) {
      return List.of(draft.interpreter);
    }
    String first = text.lines().findFirst().orElse("");
    if (!first.startsWith("#!")) {
      return List.of("/bin/sh");
    }
    // As the kernel does: a program and at most one argument.
    String[] parts = first.substring(2).strip().split("\\s+", 2);
    return parts[0].isEmpty() ? List.of("/bin/sh") : List.of(parts);
  }

  private void directives(SlurmDirectives slurmLines, GridEngineDirectives gridEngineLines) {
    boolean commands = false;
    int number = 0;
    for (String line : text.lines().toList()) {
      String place = file + ": line " + ++number;
      boolean mine = line.matches("#MILLRACE\\s.*");
      boolean batch = line.matches("#SBATCH\\s.*");
      if ((mine || batch) && commands) {
        findings.note(place, "a directive after the first command is not read; move it up");
      } else if (mine) {
        List<String> words = words(place, line.substring("#MILLRACE".length()));
        check.apply(words).ifPresent(wrong -> findings.problem(place, wrong.replace("%", "%%")));
        own.addAll(words);
      } else if (batch) {
        slurm = true;
        slurmLines.read(place, words(place, line.substring("#SBATCH".length())));
      } else if (line.matches("#\\$\\s+-.*")) {
        gridEngine = true;
        gridEngineLines.read(place, words(place, line.substring(2)));
      }
      commands |= !line.isBlank() && !line.stripLeading().startsWith("#");
    }
  }

  private List<String> words(String place, String line) {
    try {
      List<String> words = ShellQuoting.split(line);
      int comment = 0;
      while (comment < words.size() && !words.get(comment).startsWith("#")) {
        comment++;
      }
      return words.subList(0, comment);
    } catch (IllegalArgumentException e) {
      findings.problem(place, "%s", e.getMessage());
      return List.of();
    }
  }
}
