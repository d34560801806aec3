package io.millrace.tests.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Small definitions that would take much memory, or all of the stack, when they are read. */
class DefinitionBombTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  /** As it was: the names of all children contained the long key. */
  @Test
  void aLongKeyWithManyChildrenIsRefused() {
    refused(
        "? " + "k".repeat(1_000_000) + "\n: [" + "a,".repeat(3_000) + "a]\n",
        "a key of 1000000 characters; at most 1000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"[ | 50000 | levels, at most", "{a: | 50000 | levels, at most"})
  void aDeepDocumentIsRefused(String begin, int depth, String message) {
    refused("a: " + (begin + " ").repeat(depth), message);
  }

  @Test
  void aDocumentOfVeryManyValuesIsRefused() {
    refused("a: [" + "1,".repeat(400_000) + "1]", "more than 200000 values");
  }

  /** Each level would be ten times the one before it. */
  @Test
  void aliasesAreNotExpanded() {
    StringBuilder text = new StringBuilder("a0: &a0 [x]\n");
    for (int level = 1; level < 12; level++) {
      String before = "*a" + (level - 1);
      text.append("a%d: &a%d [%s]\n".formatted(level, level, (before + ",").repeat(9) + before));
    }
    refused(text.toString(), "anchors and aliases are not supported");
  }

  private static void refused(String definition, String message) {
    SourceFile file = new SourceFile("bomb.yaml", "kind: queue\nname: bomb\n" + definition);
    assertThatThrownBy(
            () -> CLUSTER.central(Role.OPERATOR).apply(new ApplyRequest(List.of(file), false)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessageContaining(message);
    assertThat(CLUSTER.central().definitions()).extracting("name").doesNotContain("bomb");
  }
}
