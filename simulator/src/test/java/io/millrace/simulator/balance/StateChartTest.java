package io.millrace.simulator.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.simulator.balance.DayResult.DaySample;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class StateChartTest {
  @Test
  void thereIsOneLineForEachNodeAndOneForEachState() throws Exception {
    Map<NodeState, Integer> states =
        Map.of(NodeState.IDLE, 1, NodeState.NORMAL, 1, NodeState.BUSY, 0, NodeState.TOOBUSY, 0);
    String svg =
        StateChart.of(
            "a day",
            List.of(
                new DaySample(0, List.of(100.0, 0.0), states),
                new DaySample(60, List.of(200.0, 0.0), states)));
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(2 + 4);
    assertThat(svg).contains("nodes TOOBUSY").contains(">200<");
  }
}
