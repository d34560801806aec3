package io.millrace.cli.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.workflow.Placeholders;
import io.millrace.cli.migration.DagNode.NodeScript;
import io.millrace.cli.migration.StepTemplates.ImportedTemplate;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes with scripts, run by the real shell. */
class NodeShellCommandTest {
  private static final String CHARACTERS =
      " \t\n'\"\\$`!*?[]{}()<>|&;#~%^=+-,./:@aZ09\u00e9\u4e2d\u0301\ud83d\ude00\u2028\u0085";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyWordReachesItsProcessUnchanged(long seed) throws Exception {
    Random random = new Random(seed);
    List<String> pre = words(random, false);
    List<String> job = words(random, true);
    List<String> post = words(random, false);
    DagNode node = new DagNode("A", new DagNode.DagPlace("graph.dag", 1), folder);
    node.pre = new NodeScript(recorder("pre"), pre);
    node.post = new NodeScript(recorder("post"), post);
    List<String> argv = new ArrayList<>(List.of(recorder("job")));
    argv.addAll(job);
    List<String> command =
        new NodeShellCommand(node, new ImportFindings()).with(argv, folder.toString(), null);

    assertThat(run(throughTemplate(command))).isZero();

    assertThat(recorded("pre")).isEqualTo(pre);
    assertThat(recorded("job")).isEqualTo(job);
    assertThat(recorded("post")).isEqualTo(post);
  }

  /** What becomes of the words in a template and at its release. */
  private static List<String> throughTemplate(List<String> command) {
    ImportedStep.StepShape shape =
        new ImportedStep.StepShape(
            "k",
            command.get(0),
            command.size() - 1,
            List.of(),
            false,
            null,
            ImportedStep.StepSettings.NONE);
    ImportedStep step =
        new ImportedStep("A", shape, command.subList(1, command.size()), List.of(), 0);
    List<String> others = new ArrayList<>(command.subList(1, command.size()));
    // Half of the words differ in another step, so that they become arguments.
    for (int i = 3; i < others.size(); i += 2) {
      others.set(i, "other");
    }
    ImportedStep other = new ImportedStep("B", shape, others, List.of(), 0);
    ImportedTemplate template = StepTemplates.of(List.of(step, other)).of(0);
    return template.command().stream()
        .map(text -> Placeholders.fill(text, template.arguments(step)))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    // pre, job, post, skip code, result, what ran
    "0,0,0,,0,pre job post",
    "0,7,0,,0,pre job post",
    "0,0,5,,5,pre job post",
    "4,0,0,,4,pre",
    "3,0,0,3,0,pre",
    "0,7,,,7,pre job",
    ",9,0,,0,job post",
  })
  void theScriptsDecideAsDagmanSays(
      Integer pre, Integer job, Integer post, Integer skip, int result, String ran)
      throws Exception {
    DagNode node = new DagNode("A", new DagNode.DagPlace("graph.dag", 1), folder);
    node.pre = pre == null ? null : new NodeScript(ending("pre", pre), List.of());
    node.post = post == null ? null : new NodeScript(ending("post", post), List.of("$RETURN"));
    node.skipCode = skip;
    List<String> command =
        new NodeShellCommand(node, new ImportFindings())
            .with(List.of(ending("job", job)), folder.toString(), null);

    assertThat(run(command)).isEqualTo(result);

    assertThat(Files.readString(folder.resolve("ran")).strip().replace('\n', ' ')).isEqualTo(ran);
    if (ran.endsWith("post")) {
      assertThat(Files.readString(folder.resolve("post.args"))).isEqualTo(job + "\n");
    }
  }

  @Test
  void theJobRunsInItsDirectoryWithItsInput() throws Exception {
    Path inner = Files.createDirectory(folder.resolve("in ner"));
    Path input = Files.writeString(folder.resolve("in put"), "hello\n");
    DagNode node = new DagNode("A", new DagNode.DagPlace("graph.dag", 1), folder);
    List<String> job = List.of("/bin/sh", "-c", "cat; pwd");

    List<String> command =
        new NodeShellCommand(node, new ImportFindings())
            .with(job, inner.toString(), input.toString());

    assertThat(run(command)).isZero();
    assertThat(Files.readString(folder.resolve("out")))
        .isEqualTo("hello\n" + inner.toRealPath() + "\n");
  }

  private static List<String> words(Random random, boolean leadingDashes) {
    List<String> words = new ArrayList<>();
    int count = random.nextInt(14);
    int[] characters = passed();
    for (int i = 0; i < count; i++) {
      StringBuilder word = new StringBuilder(leadingDashes && i == 0 ? "-e" : "");
      int length = random.nextInt(12);
      for (int j = 0; j < length; j++) {
        word.appendCodePoint(characters[random.nextInt(characters.length)]);
      }
      words.add(word.toString());
    }
    return words;
  }

  /** The characters that Java passes to processes in this locale; nodes refuse others. */
  private static int[] passed() {
    CharsetEncoder encoder =
        Charset.forName(System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()))
            .newEncoder();
    return CHARACTERS
        .codePoints()
        .filter(one -> encoder.canEncode(Character.toString(one)))
        .toArray();
  }

  /** A program that writes its arguments, each ended by NUL. */
  private String recorder(String name) throws IOException {
    return program(name, "for word; do printf '%s\\0' \"$word\"; done >" + name + ".words");
  }

  private List<String> recorded(String name) throws IOException {
    String text = Files.readString(folder.resolve(name + ".words"), StandardCharsets.UTF_8);
    return text.isEmpty()
        ? List.of()
        : List.of(text.substring(0, text.length() - 1).split("\0", -1));
  }

  private String ending(String name, int code) throws IOException {
    return program(name, "echo " + name + " >>ran; echo \"$@\" >" + name + ".args; exit " + code);
  }

  private String program(String name, String text) throws IOException {
    Path program = folder.resolve(name);
    Files.writeString(program, "#!/bin/sh\n" + text + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program.toString();
  }

  private int run(List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("MILLRACE_ATTEMPT", "17.1");
    builder.redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile());
    return builder.start().waitFor();
  }
}
