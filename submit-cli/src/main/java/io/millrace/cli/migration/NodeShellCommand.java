package io.millrace.cli.migration;

import io.millrace.cli.migration.DagNode.NodeScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The command of a node with scripts before or after its job, or with input: a program for {@code
 * /bin/sh} that consists of references only. All words reach it as arguments, so that no character
 * of theirs means anything to the shell. Not thread-safe.
 */
final class NodeShellCommand {
  private final StringBuilder program = new StringBuilder();
  private final List<String> words = new ArrayList<>();
  private final DagNode node;
  private final ImportFindings findings;

  NodeShellCommand(DagNode node, ImportFindings findings) {
    this.node = node;
    this.findings = findings;
  }

  /**
   * The command.
   *
   * @param job of the node; empty for none
   * @param directory in which the job runs
   * @param input the file that it reads; null for none
   */
  List<String> with(List<String> job, String directory, String input) {
    if (node.pre == null && node.post == null && input == null) {
      return job.isEmpty() ? List.of("true") : job;
    }
    if (node.pre != null) {
      program.append(script(node.pre)).append("; p=$?\n");
      if (node.skipCode != null) {
        program.append("[ $p -ne ").append(node.skipCode).append(" ] || exit 0\n");
      }
      program.append("[ $p -eq 0 ] || exit $p\n");
    }
    boolean moves = !directory.equals(node.directory.toString());
    StringBuilder run = new StringBuilder();
    if (moves) {
      run.append("cd ").append(word(directory)).append(" && ");
    }
    run.append("exec");
    (job.isEmpty() ? List.of("true") : job).forEach(word -> run.append(' ').append(word(word)));
    if (input != null) {
      run.append(" <").append(word(input));
    }
    if (node.post == null) {
      program.append(run);
    } else {
      program.append('(').append(run).append("); r=$?\n").append(script(node.post));
    }
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", program.toString(), "node"));
    command.addAll(words);
    return command;
  }

  private String script(NodeScript script) {
    StringBuilder run =
        new StringBuilder(word(SubmitDescription.program(node.directory, script.program())));
    script.arguments().forEach(argument -> run.append(' ').append(argument(argument)));
    return run.toString();
  }

  private String argument(String written) {
    return switch (written.toUpperCase(Locale.ROOT)) {
      case "$JOB", "$NODE" -> word(node.name);
      case "$RETRY" -> "$((${MILLRACE_ATTEMPT##*.}-1))";
      case "$MAX_RETRIES" -> word(String.valueOf(node.retries));
      case "$JOBID" -> "${MILLRACE_ATTEMPT%%.*}";
      case "$RETURN" -> "$r";
      case "$PRE_SCRIPT_RETURN" -> node.pre == null ? "-1" : "$p";
      case "$DAG_STATUS", "$FAILED_COUNT" -> {
        findings.note(node.place(), "%s of scripts is always 0", written);
        yield "0";
      }
      default -> word(written);
    };
  }

  private String word(String text) {
    words.add(text);
    return "\"${" + words.size() + "}\"";
  }
}
