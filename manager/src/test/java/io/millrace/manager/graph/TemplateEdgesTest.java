package io.millrace.manager.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of templates by what they wait for. */
final class TemplateEdgesTest {
  private static EdgeRow edge(int from, int to) {
    return new EdgeRow(from, to, EdgeKind.STEPS, 1);
  }

  @Test
  void aTemplateIsAboveAllThatItWaitsFor() {
    TemplateEdges edges =
        new TemplateEdges(4, List.of(edge(3, 0), edge(3, 1), edge(0, 2), edge(1, 0)));
    assertThat(edges.layer(3)).isZero();
    assertThat(edges.layer(1)).isEqualTo(1);
    assertThat(edges.layer(0)).isEqualTo(2);
    assertThat(edges.layer(2)).isEqualTo(3);
    assertThat(edges.order()).containsExactly(3, 1, 0, 2);
  }

  @Test
  void templatesWhoseStepsWaitForOneAnotherHaveLayersToo() {
    TemplateEdges edges =
        new TemplateEdges(3, List.of(edge(0, 0), edge(0, 1), edge(1, 0), edge(1, 2)));
    assertThat(edges.layer(0)).isZero();
    assertThat(edges.layer(1)).isEqualTo(1);
    assertThat(edges.layer(2)).isEqualTo(2);
  }

  @Test
  void aChainMayBeAsLongAsAWorkflowHasTemplates() {
    List<EdgeRow> chain = new ArrayList<>();
    for (int i = 1; i < 10_000; i++) {
      chain.add(edge(i - 1, i));
    }
    assertThat(new TemplateEdges(10_000, chain).layer(9_999)).isEqualTo(9_999);
  }
}
