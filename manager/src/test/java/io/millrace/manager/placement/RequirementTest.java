package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequirementTest {
  private static final long GB = 1L << 30;

  private static final NodeFacts SMALL =
      NodeFacts.of(
          "e1",
          new NodeCapacity(4, 2, 16 * GB, Map.of(), false),
          List.of("default"),
          Map.of("os", "linux", "arch", "amd64", "label.disk", "hdd", "software.java", "9.0.4"));
  private static final NodeFacts LARGE =
      NodeFacts.of(
          "e2",
          new NodeCapacity(32, 15.5, 128 * GB, Map.of("gpu", 2), false),
          List.of("default", "gpu"),
          Map.of(
              "os", "linux",
              "arch", "arm64",
              "near", "q1",
              "label.disk", "ssd",
              "label.gpu", "a100",
              "label.rack-row", "7",
              "software.java", "17.0.12",
              "software.python", "3.9"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '~',
      textBlock =
          """
          memory >= 64GB                                       # false # true
          memory >= 16GB                                       # true  # true
          memory >= 16GiB                                      # true  # true
          memory >= 16384MB                                    # true  # true
          memory == 16 gb                                      # true  # false
          memory > 1.5GiB * 10                                 # true  # true
          64GB <= memory                                       # false # true
          cpus >= 4                                            # false # true
          cpus > 15                                            # false # true
          cpus * 2 >= 31                                       # false # true
          memory / cpus > 8GB                                  # false # true
          slots < 8                                            # true  # false
          os == "linux"                                        # true  # true
          os == 'linux' && arch == 'arm64'                     # false # true
          arch != "arm64"                                      # true  # false
          name == "e1"                                         # true  # false
          name in ["e2", "e3"]                                 # false # true
          name.startsWith("e")                                 # true  # true
          name.matches("^e[2-9]$")                             # false # true
          near == "q1"                                         # false # true
          "gpu" in pool                                        # false # true
          label.gpu == "a100"                                  # false # true
          label.gpu != "a100"                                  # false # false
          label.gpu == "h100"                                  # false # false
          label["rack-row"] == "7"                             # false # true
          has(label.gpu)                                       # false # true
          !has(label.gpu)                                      # true  # false
          label.gpu == "a100" || label.disk == "hdd"           # true  # true
          label.nowhere == "x" || slots > 1                    # true  # true
          label.nowhere == "x" && slots > 1                    # false # false
          !(label.nowhere == "x")                              # false # false
          resource.gpu >= 2                                    # false # true
          resource.gpu >= 3                                    # false # false
          software.java >= "17"                                # true  # true
          software.java.atLeast("17")                          # false # true
          software.java.atLeast("9")                           # true  # true
          software.python.atLeast("3.10")                      # false # false
          software.python.atLeast("3.9")                       # false # true
          memory >= (os == "linux" ? 32GB : 64GB)              # false # true
          label.disk == "64GB"                                 # false # false
          label.disk.contains("s") // any ssd                  # false # true
          1 / (slots - 4) > 100                                # false # false
          int(label.disk) > 3                                  # false # false
          memory > 99999999TB                                  # false # false
          true                                                 # true  # true
          """)
  void an_expression_matches_the_nodes_that_fulfil_it(String text, boolean small, boolean large) {
    Requirement requirement = Requirement.parse(text);

    assertThat(requirement.matches(SMALL)).isEqualTo(small);
    assertThat(requirement.matches(LARGE)).isEqualTo(large);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   "})
  void nothing_required_matches_every_node(String text) {
    assertThat(Requirement.parse(text).matches(SMALL)).isTrue();
    assertThat(Requirement.parse(null).matches(LARGE)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '~',
      textBlock =
          """
          memroy >= 8GB          # requires: unknown attribute 'memroy' at character 1; did you mean 'memory'? known: name, os, arch, cpus, memory, slots, pool, near, label, software, resource
          cpus > 1 && labl.gpu == "x" # requires: unknown attribute 'labl' at character 13; did you mean 'label'? known: name, os, arch, cpus, memory, slots, pool, near, label, software, resource
          name == worker7        # strings need quotes: "worker7"
          cpu >= 4               # requires: unknown attribute 'cpu' at character 1; did you mean 'cpus'?
          exec("rm -rf /")       # requires: unknown function 'exec' at character 5; known: atLeast, contains,
          duration("1s") == duration("1s") # unknown function 'duration'
          pool.exists(p, p == "x") # requires: unknown function 'exists' at character 12
          memory                 # requires: its value is neither true nor false; use a comparison
          "linux"                # its value is neither true nor false
          memory >= 8GB and cpus > 2 # requires: 'and' at character 15 is not valid; use &&
          memory >= 8GB or cpus > 2 # use ||
          memory = 8GB           # requires: '=' at character 8 is not valid; use ==
          os == "linux" & cpus > 2 # use &&
          memory >=              # requires: ends unexpectedly at character 10
          (memory > 8GB          # ends unexpectedly
          memory >= 64G          # requires: 'G' at character 13 is not valid
          memory >= "64GB"       # requires: '>=' at character 8 is not defined for (int, string)
          software.java >= 17    # labels and software are strings: use quotes, as in "17", or compare versions with software.java.atLeast("17")
          label.rack-row == "7"  # requires: unknown attribute 'row'
          name.matches("[")      # requires: the pattern at character 13 is invalid
          name.matches(near)     # takes a pattern in quotes
          label.gpu == "a100     # requires:
          99999999999999999999 < memory # requires:
          [1,2,3] == 4           # requires:
          """)
  void errors_name_the_position_and_the_fix(String text, String words) {
    assertThatThrownBy(() -> Requirement.parse(text))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining(words);
  }

  @Test
  void hostile_expressions_are_refused_or_evaluated_quickly() {
    List<String> hostile =
        List.of(
            "a".repeat(1_000_000),
            "(".repeat(1900) + "1",
            "!".repeat(1990) + "true",
            "[".repeat(900) + "]".repeat(900),
            "-".repeat(1990) + "1 > 0",
            "memory > 1" + " && memory > 1".repeat(130),
            "true" + " ? true".repeat(100) + " : true".repeat(100),
            "name.matches(\"(a+)+$\")",
            "name.matches(\"(x+x+)+y\")",
            "name.matches(\"((a{100}){100}){100}\")",
            "name.matches(\"" + "(".repeat(500) + ")".repeat(500) + "\")",
            "size(name" + " + name".repeat(250) + ") > 1",
            "\u0000\u0000 > 1",
            "\"" + "\\".repeat(1001),
            "label" + ".a".repeat(900) + " == \"x\"",
            "{1: {2: {3: 4}}} == {1: 2}",
            "io.millrace.api.Json{} == 1",
            "\uD83D\uDE00 == 1",
            "1.0e309 > cpus");

    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          for (String text : hostile) {
            try {
              NodeFacts longName =
                  NodeFacts.of(
                      "a".repeat(1000) + "!", NodeCapacity.ofSlots(1), List.of(), Map.of());
              Requirement.parse(text).matches(longName);
            } catch (MillraceException refusal) {
              assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
              assertThat(refusal.getMessage()).startsWith("requires: ").hasSizeLessThan(600);
            }
          }
        });
  }

  @Test
  void the_maximum_length_is_reported() {
    assertThatThrownBy(() -> Requirement.parse("true || " + "x".repeat(1993)))
        .hasMessage("requires: 2001 characters; use at most 2000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '~',
      textBlock =
          """
          memory >= 256GB                    # no node matches memory >= 256GB: the best has 128GB
          cpus >= 2 && memory >= 256GB       # no node matches memory >= 256GB: the best has 128GB
          (cpus >= 2 && (slots < 2 && true)) # no node matches slots < 2: the best has 4
          64 <= slots                        # no node matches 64 <= slots: the best has 32
          cpus > 20                          # no node matches cpus > 20: the best has 15.5
          label.disk == "nvme"               # no node matches label.disk == "nvme": there is hdd, ssd
          label.gpu == "h100"                # no node matches label.gpu == "h100": there is a100
          label.zone == "a"                  # no node matches label.zone == "a": none states its label.zone
          "big" in pool                      # no node matches "big" in pool: there is default, gpu
          name in ["e8", "e9"]               # no node matches name in ["e8", "e9"]: there is e1, e2
          resource.fpga > 0                  # no node matches resource.fpga > 0: none states its resource.fpga
          software.python.atLeast("3.12")    # no node matches software.python.atLeast("3.12"): there is 3.9
          cpus > 99 || slots > 99            # no node matches cpus > 99 || slots > 99
          label.disk == "hdd" && label.gpu == "a100" # no node matches all conditions: label.disk == "hdd" matches e1; label.gpu == "a100" matches e2
          """)
  void a_mismatch_names_the_failing_part_and_the_actual_values(String text, String words) {
    assertThat(Requirement.parse(text).mismatch(List.of(SMALL, LARGE))).contains(words);
  }

  @Test
  void a_mismatch_with_one_node_says_what_it_has() {
    assertThat(Requirement.parse("cpus >= 1 && memory >= 64GB").mismatch(SMALL))
        .contains("needs memory >= 64GB: it has 16GB");
    assertThat(Requirement.parse("label.disk == \"ssd\"").mismatch(SMALL))
        .contains("needs label.disk == \"ssd\": it has hdd");
    assertThat(Requirement.parse("memory >= 64GB").mismatch(LARGE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '~',
      textBlock =
          """
          name == "e1"                    # true
          label.gpu == "a100"             # true
          memory > 1 && has(label.gpu)    # true
          memory > 1GB                    # false
          name != "e1"                    # false
          !(name == "e1")                 # false
          "name" == os                    # false
          """)
  void a_node_is_asked_for_by_its_name_or_a_label(String text, boolean asks) {
    assertThat(Requirement.parse(text).mentionsNode()).isEqualTo(asks);
  }

  @Test
  void the_same_text_is_compiled_once_and_old_texts_are_forgotten() {
    Requirements requirements = new Requirements(2);
    Requirement first = requirements.requirement("slots > 1");

    assertThat(requirements.requirement("slots > 1")).isSameAs(first);
    requirements.requirement("slots > 2");
    requirements.requirement("slots > 3");
    assertThat(requirements.requirement("slots > 1")).isNotSameAs(first);
  }
}
