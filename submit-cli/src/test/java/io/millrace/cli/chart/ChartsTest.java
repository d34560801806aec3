package io.millrace.cli.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.bench.queue.BalanceBench;
import io.millrace.cli.chart.CurvesChart.Line;
import io.millrace.simulator.balance.DayResult.DaySample;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ChartsTest {
  @Test
  void aDayHasOneLineForEachNodeAndOneForEachState() throws Exception {
    Map<NodeState, Integer> states =
        Map.of(NodeState.IDLE, 1, NodeState.NORMAL, 1, NodeState.BUSY, 0, NodeState.TOOBUSY, 0);
    String svg =
        NodeStateChart.of(
            "a day",
            List.of(
                new DaySample(0, List.of(100.0, 0.0), states),
                new DaySample(60, List.of(200.0, 0.0), states)));
    assertThat(count(svg, "polyline")).isEqualTo(2 + 4);
    assertThat(svg).contains("nodes TOOBUSY").contains(">200<");
  }

  @Test
  void curvesHaveAPanelForEachValueAndALineForEachRun() throws Exception {
    List<PacingSample> samples =
        List.of(new PacingSample(60, 2, 0.1, 5, 1), new PacingSample(120, 4, 0.2, 1500, 3));
    String svg =
        CurvesChart.pacing(
            "<a & b>", List.of(new Line<>("one", samples), new Line<>("two", samples)));
    assertThat(count(svg, "polyline")).isEqualTo(4 * 2);
    assertThat(svg).contains("&lt;a &amp; b&gt;", "waiting events", ">1,500<", ">two<");
  }

  @Test
  void aBenchmarkOfBalancingShowsLoadStateAndWeightOfEachNode() throws Exception {
    String svg =
        BalanceChart.of(
            List.of(
                new BalanceBench.Sample(
                    0,
                    30,
                    Map.of("q1", NodeState.NORMAL, "q2", NodeState.TOOBUSY),
                    Map.of("q1", 0.4, "q2", 0.9),
                    Map.of("mail", Map.of("q1", 400, "q2", 600))),
                new BalanceBench.Sample(
                    60,
                    600,
                    Map.of("q1", NodeState.NORMAL, "q2", NodeState.NORMAL),
                    Map.of("q1", 0.5, "q2", 0.1),
                    Map.of("mail", Map.of("q1", 1000)))));
    assertThat(count(svg, "polyline")).as("rate and two loads").isEqualTo(1 + 2);
    assertThat(count(svg, "polygon")).as("weights of two nodes").isEqualTo(2);
    assertThat(count(svg, "circle")).as("one sample TOOBUSY").isEqualTo(1);
    assertThat(svg).contains("points of mail by node", ">600<", ">30 s<");
  }

  private static int count(String svg, String element) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    return document.getElementsByTagName(element).getLength();
  }
}
