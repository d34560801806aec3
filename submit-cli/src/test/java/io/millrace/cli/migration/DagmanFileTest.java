package io.millrace.cli.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DAG files become workflows that mean the same, or are refused with what to do. */
class DagmanFileTest {
  private static final String WORK =
      """
      # one description, several nodes
      executable = /opt/work
      arguments = --in $(in) --level $(level:1)
      request_memory = 2048
      request_cpus = 2
      log = work.log
      queue
      """;

  @TempDir private Path folder;
  private ImportFindings findings = new ImportFindings();

  @Test
  void aDiamondKeepsItsOrder() throws IOException {
    write("work.sub", WORK);
    ImportedWorkflow diamond =
        read(
            """
            JOB A work.sub
            JOB B work.sub
            job C work.sub
            JOB D work.sub
            VARS ALL_NODES in="none"
            VARS B in="b.csv" level="2"
            VARS C in="c.csv"
            PARENT A CHILD B C
            parent B C child D
            """);

    assertThat(diamond.name()).isEqualTo("graph");
    assertThat(needs(diamond))
        .isEqualTo(
            Map.of("A", List.of(), "B", List.of("A"), "C", List.of("A"), "D", List.of("B", "C")));
    assertThat(command(diamond, "B")).containsExactly("/opt/work", "--in", "b.csv", "--level", "2");
    assertThat(command(diamond, "D")).containsExactly("/opt/work", "--in", "none", "--level", "1");
  }

  @Test
  void nodesOfOneDescriptionAreStepsOfOneTemplate() throws IOException {
    write("work.sub", WORK);
    WorkflowSpec spec =
        read("JOB A work.sub\nJOB B work.sub\nVARS A in=\"a\"\nVARS B in=\"b\"\n")
            .graph()
            .prepare();

    assertThat(spec.templates()).containsOnlyKeys("work");
    JobSpec job = spec.templates().get("work").job();
    assertThat(job.command()).containsExactly("/opt/work", "--in", "{arg2}", "--level", "1");
    assertThat(job.memory()).hasToString("2GB");
    assertThat(job.cpu()).isEqualTo(2);
    assertThat(job.cwd()).isEqualTo(folder.toString());
    assertThat(findings.notes())
        .containsExactly(
            folder.resolve("graph.dag").resolveSibling("work.sub")
                + ": line 6: log is not used: Millrace keeps the output of each step");
  }

  @Test
  void equalNodesAreToldApart() throws IOException {
    write("same.sub", "executable = /bin/true\nqueue");
    WorkflowGraph graph = read("JOB A same.sub\nJOB B same.sub\n").graph();

    assertThat(graph.problems()).isEmpty();
    assertThat(graph.prepare().templates().get("same").job().env())
        .containsEntry("STEP_NAME", "{STEP_NAME}");
  }

  @Test
  void retriesPrioritiesAndCategoriesBecomeThoseOfTemplates() throws IOException {
    write("work.sub", WORK);
    WorkflowSpec spec =
        read("""
                JOB A work.sub
                JOB B work.sub
                VARS ALL_NODES in="x"
                RETRY A 3 UNLESS-EXIT 2
                PRIORITY A 7
                CATEGORY A heavy
                MAXJOBS heavy 4
                """)
            .graph()
            .prepare();

    var first = spec.templates().get("work");
    assertThat(first.job().retry().max()).isEqualTo(3);
    assertThat(first.job().retry().finalExitCodes()).containsExactly(2);
    assertThat(first.job().priority()).isEqualTo(7);
    assertThat(first.maxRunning()).isEqualTo(4);
    assertThat(spec.templates().get("work-2").job().retry().max()).isZero();
    assertThat(spec.templates().get("work-2").maxRunning()).isNull();
  }

  @Test
  void abortOnAnExitCodeBecomesFailFastAndIsTold() throws IOException {
    write("work.sub", WORK);
    ImportedWorkflow read =
        read("JOB A work.sub\nVARS A in=\"x\"\nRETRY A 2\nABORT-DAG-ON A 9 RETURN 1\n");

    assertThat(read.failFast()).isTrue();
    assertThat(read.graph().prepare().templates().get("work").job().retry().finalExitCodes())
        .containsExactly(9);
    assertThat(findings.notes())
        .anyMatch(note -> note.contains("line 4: ABORT-DAG-ON becomes failFast"));
  }

  @Test
  void doneNodesAndTheirDependenciesAreLeftOut() throws IOException {
    write("work.sub", WORK);
    ImportedWorkflow read =
        read(
            """
            JOB A work.sub DONE
            JOB B work.sub
            JOB C work.sub
            DONE B
            VARS ALL_NODES in="x"
            PARENT A CHILD B
            PARENT B CHILD C
            """);

    assertThat(needs(read)).isEqualTo(Map.of("C", List.of()));
  }

  @Test
  void theNewestRescueDagSaysWhatIsDone() throws IOException {
    write("work.sub", WORK);
    write("graph.dag.rescue001", "DONE A\nDONE B\n");
    write("graph.dag.rescue002", "# second\nDONE A\nRETRY B 1\n");
    String dag = "JOB A work.sub\nJOB B work.sub\nVARS ALL_NODES in=\"x\"\nPARENT A CHILD B\n";

    assertThat(needs(read(dag))).isEqualTo(Map.of("B", List.of()));
    assertThat(findings.notes())
        .anyMatch(note -> note.contains("graph.dag.rescue002: 1 nodes are done and left out"));

    findings = new ImportFindings();
    assertThat(needs(read(dag, false))).containsOnlyKeys("A", "B");
  }

  @Test
  void dagsWithinDagsBecomePartOfTheGraph() throws IOException {
    write("work.sub", WORK);
    write(
        "inner.dag",
        "JOB X work.sub\nJOB Y work.sub\nVARS ALL_NODES in=\"$(JOB)\"\nPARENT X CHILD Y\n");
    write("inner.dag.rescue001", "DONE Y\n");
    ImportedWorkflow read =
        read(
            """
            JOB A work.sub
            SPLICE S inner.dag
            SUBDAG EXTERNAL E inner.dag
            JOB Z work.sub
            VARS A in="a"
            VARS Z in="z"
            PARENT A CHILD S
            PARENT S CHILD E
            PARENT E CHILD Z
            """);

    assertThat(needs(read))
        .isEqualTo(Map.of("A", List.of(), "S+X", List.of("A"), "E+X", List.of(), "Z", List.of()));
    assertThat(command(read, "S+X")).contains("S+X");
  }

  @Test
  void scriptsRunAroundTheCommandInOneStep() throws IOException {
    write("work.sub", WORK);
    ImportedWorkflow read =
        read(
            """
            JOB A work.sub
            VARS A in="a b"
            SCRIPT PRE A /bin/pre $JOB
            SCRIPT POST A /bin/post $RETURN
            PRE_SKIP A 3
            """);

    List<String> command = command(read, "A");
    assertThat(command.subList(0, 2)).containsExactly("/bin/sh", "-c");
    assertThat(command.get(2))
        .isEqualTo(
            """
            "${1}" "${2}"; p=$?
            [ $p -ne 3 ] || exit 0
            [ $p -eq 0 ] || exit $p
            (exec "${3}" "${4}" "${5}" "${6}" "${7}" "${8}"); r=$?
            "${9}" $r""");
    assertThat(command.subList(4, command.size()))
        .containsExactly(
            "/bin/pre", "A", "/opt/work", "--in", "a", "b", "--level", "1", "/bin/post");
    assertThat(read.graph().prepare().templates().get("work").job().command().get(2))
        .startsWith("\"${{1}}\"");
  }

  @Test
  void aFinalNodeRunsAfterTheWorkflow() throws IOException {
    write("work.sub", WORK);
    ImportedWorkflow read =
        read("JOB A work.sub\nFINAL F work.sub\nVARS A in=\"a\"\nVARS F in=\"{f}\"\n");

    assertThat(read.steps()).hasSize(1);
    assertThat(read.atEnd().command()).containsExactly("/opt/work", "--in", "{f}", "--level", "1");
    assertThat(read.graph().prepare().onFailure()).isEqualTo(read.atEnd());
    assertThat(read.graph().prepare().onSuccess()).isEqualTo(read.atEnd());
  }

  @Test
  void aDescriptionThatMakesSeveralJobsMakesSeveralSteps() throws IOException {
    write("many.sub", "executable = /bin/run\narguments = $(Process)\nqueue 3");
    write("one.sub", "executable = /bin/one\nqueue");
    ImportedWorkflow read = read("JOB A many.sub\nJOB B one.sub\nPARENT A CHILD B\n");

    assertThat(needs(read).get("B")).containsExactly("A.0", "A.1", "A.2");
    assertThat(command(read, "A.2")).containsExactly("/bin/run", "2");
  }

  @Test
  void descriptionsMayStandInTheFile() throws IOException {
    ImportedWorkflow read =
        read(
            """
            SUBMIT-DESCRIPTION common {
              executable = /bin/echo
              arguments = $(word)
            }
            JOB A common
            JOB B {
              executable = /bin/date
            }
            VARS A word="hello"
            """);

    assertThat(command(read, "A")).containsExactly("/bin/echo", "hello");
    assertThat(command(read, "B")).containsExactly("/bin/date");
  }

  @Test
  void everyProblemIsToldWithItsLine() throws IOException {
    write("work.sub", WORK);
    write("bad.sub", "executable = /bin/x\nuniverse = docker\nqueue x in (a b)\nif $(A)\n");
    write("self.dag", "SPLICE me self.dag\n");
    String dag =
        """
        JOB A work.sub
        JOB A work.sub
        JOB B missing.sub
        JOB C bad.sub
        JBO D work.sub
        PARENT A CHILD Z
        PARENT CHILD A
        RETRY A many
        VARS A in=x
        VARS A in="x
        SCRIPT PRE A
        SCRIPT DEFER 1 10 PRE A x y
        ABORT-DAG-ON A 0
        SERVICE S work.sub
        SPLICE self self.dag
        """;

    read(dag);

    assertThatThrownBy(findings::refuse)
        .message()
        .contains(
            "graph.dag: line 2: there are two nodes named A; rename one",
            "graph.dag: line 3: submit description missing.sub cannot be read",
            "bad.sub: line 2: universe docker has no equivalent",
            "bad.sub: line 3: 'queue x in (a b)' makes jobs from a list",
            "bad.sub: line 4: 'if $(A)' is not 'key = value'",
            "graph.dag: line 5: 'JBO' is not a command of DAG files",
            "graph.dag: line 6: there is no node Z; add 'JOB Z FILE'",
            "graph.dag: line 7: is incomplete; write 'PARENT A B CHILD C D'",
            "graph.dag: line 8: 'many': use a number from 0 to 10000",
            "graph.dag: line 9: 'in=x': write name=\"value\"",
            "graph.dag: line 10: the value of in is not closed",
            "graph.dag: line 11: is incomplete; write 'SCRIPT PRE|POST NAME PROGRAM'",
            "graph.dag: line 12: DEFER has no equivalent",
            "graph.dag: line 13: ABORT-DAG-ON with code 0",
            "graph.dag: line 14: SERVICE has no equivalent",
            "self.dag contains itself");
  }

  @Test
  void problemsAreBounded() throws IOException {
    read("JOB A missing.sub\n" + "PARENT A CHILD Z\n".repeat(1_000));

    assertThatThrownBy(findings::refuse)
        .message()
        .hasLineCount(21)
        .endsWith("and 981 more problems");
  }

  @Test
  void aCycleIsNamedWithItsNodes() throws IOException {
    write("one.sub", "executable = /bin/one\nqueue");
    read(
        """
        JOB A one.sub
        JOB B one.sub
        JOB C one.sub
        JOB D one.sub
        PARENT A CHILD B
        PARENT B CHILD C
        PARENT C CHILD B D
        """);

    assertThatThrownBy(findings::refuse)
        .message()
        .contains("nodes wait for one another: ")
        .containsAnyOf("B -> C -> B", "C -> B -> C")
        .doesNotContain("D");
  }

  @Test
  void aVariableWithoutAValueIsAProblem() throws IOException {
    write("work.sub", WORK);
    read("JOB A work.sub\n");

    assertThatThrownBy(findings::refuse)
        .message()
        .contains("work.sub: line 3: arguments: nothing gives $(in) a value; add it with VARS");
  }

  @Test
  void aVariableMayBeNamedAsTheMacroThatItHolds() throws IOException {
    write("echo.sub", "executable = /bin/echo\narguments = $(job) $(name)\nqueue");

    assertThat(command(read("NODE A echo.sub\nVARS A job=\"$(JOB)\" name=\"<$(job)>\"\n"), "A"))
        .containsExactly("/bin/echo", "A", "<A>");
  }

  @Test
  void whatIsOnlyKnownWhenAnAttemptStartsIsAProblem() throws IOException {
    write("echo.sub", "executable = /bin/echo\narguments = $(RETRY)\nqueue");
    read("JOB A echo.sub\n");

    assertThatThrownBy(findings::refuse)
        .hasMessageContaining(
            "echo.sub: line 2: arguments: $(RETRY) changes from attempt to attempt");
  }

  @Test
  void onlyRegularFilesAreRead() throws IOException {
    read("INCLUDE /dev/zero\nJOB A /dev/zero\n");

    assertThatThrownBy(findings::refuse)
        .hasMessageContaining("/dev/zero is not a regular file")
        .hasMessageContaining("zero: is not a regular file");
  }

  @Test
  void filesThatIncludeEachOtherTwiceComeToAnEnd() throws IOException {
    for (int level = 0; level < 26; level++) {
      String next = "INCLUDE level" + (level + 1) + ".dag\n";
      write("level" + level + ".dag", next + next);
    }
    write("level26.dag", "# nothing\n");
    read("INCLUDE level0.dag\n");

    assertThatThrownBy(findings::refuse)
        .hasMessageContaining("more than 100000 files are read for this DAG");
  }

  @Test
  void manyDescriptionsOfOneProgramMakeOneTemplate() throws IOException {
    StringBuilder dag = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      write("n" + i + ".sub", "executable = /opt/start\narguments = -n " + i + "\nqueue");
      dag.append("JOB N").append(i).append(" n").append(i).append(".sub\n");
    }

    assertThat(read(dag.toString()).graph().prepare().templates()).containsOnlyKeys("start");
  }

  @Test
  void tenThousandNodesInLayersAreReadAtOnce() throws IOException {
    write("one.sub", "executable = /bin/one\narguments = $(n)\nqueue");
    StringBuilder dag = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      dag.append("JOB N").append(i).append(" one.sub\nVARS N").append(i);
      dag.append(" n=\"").append(i).append("\"\nRETRY N").append(i).append(" 2\n");
      if (i > 0) {
        dag.append("PARENT N").append(i - 1).append(" CHILD N").append(i).append('\n');
      }
    }
    ImportedWorkflow read = read(dag.toString());

    assertThat(read.steps()).hasSize(10_000);
    assertThat(read.inOrder()).hasSize(10_000).isSorted();
    assertThat(read.graph().prepare().templates()).hasSize(1);
  }

  private ImportedWorkflow read(String dag) throws IOException {
    return read(dag, true);
  }

  private ImportedWorkflow read(String dag, boolean rescue) throws IOException {
    return new DagmanFile(Map.of("HOME", "/home/ann")::get, rescue, findings)
        .read(write("graph.dag", dag));
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  static Map<String, List<String>> needs(ImportedWorkflow workflow) {
    Map<String, List<String>> needs = new java.util.TreeMap<>();
    for (ImportedStep step : workflow.steps()) {
      needs.put(
          step.name(), step.needs().stream().map(one -> workflow.steps().get(one).name()).toList());
    }
    return needs;
  }

  static List<String> command(ImportedWorkflow workflow, String name) {
    ImportedStep step =
        workflow.steps().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    List<String> command = new ArrayList<>(List.of(step.shape().program()));
    command.addAll(step.texts().subList(0, step.shape().arguments()));
    return command;
  }
}
