package io.millrace.manager.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.FigureSample;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.app.CentralTables;
import io.millrace.platform.database.Database;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeSamplingTest {
  private static final URI ADDRESS = URI.create("http://127.0.0.1:1");

  @TempDir Path folder;
  private Database database;

  @BeforeEach
  void open() {
    database = CentralTables.in(folder);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theLoadOfAQueueNodeAndTheBookingsOfAnExecutionNodeAreKept() {
    new NodeSampling(database, () -> List.of(store("q1", true)), () -> List.of(host("e1", false)))
        .sample();

    assertThat(history(SampledKind.QUEUE_NODE, "q1"))
        .singleElement()
        .satisfies(
            sample ->
                assertThat(sample.figures())
                    .containsEntry(FigureHistory.LOAD, SampledFigure.of(0.5))
                    .containsEntry(FigureHistory.CPU, SampledFigure.of(0.25))
                    .doesNotContainKey(FigureHistory.DISK));
    assertThat(history(SampledKind.EXECUTION_NODE, "e1"))
        .singleElement()
        .satisfies(
            sample ->
                assertThat(sample.figures())
                    .containsEntry(FigureHistory.USED_SLOTS, SampledFigure.of(3))
                    .containsEntry(FigureHistory.SLOTS, SampledFigure.of(8)));
  }

  @Test
  void ofSilentNodesThereIsAGap() {
    new NodeSampling(database, () -> List.of(store("q1", false)), () -> List.of(host("e1", true)))
        .sample();

    assertThat(history(SampledKind.QUEUE_NODE, "q1")).isEmpty();
    assertThat(history(SampledKind.EXECUTION_NODE, "e1")).isEmpty();
  }

  @Test
  void aRunIsBoundedAndTheNextContinues() {
    int many = NodeSampling.MAX_NODES * 3 / 2;
    List<ExecutionNodeView> hosts =
        IntStream.range(0, many).mapToObj(number -> host("e" + number, false)).toList();
    NodeSampling sampling = new NodeSampling(database, List::of, () -> hosts);

    sampling.sample();
    assertThat(sampled()).hasSize(NodeSampling.MAX_NODES);

    sampling.sample();
    assertThat(sampled()).hasSize(many);
  }

  private List<String> sampled() {
    return database.read(handle -> NodeSampleDao.nodes(handle, SampledKind.EXECUTION_NODE));
  }

  private List<FigureSample> history(SampledKind kind, String node) {
    return new FigureHistories(database)
        .of(kind, node, null, database.now().plusSeconds(5), Duration.ofMinutes(5))
        .samples();
  }

  private static QueueNodeView store(String name, boolean live) {
    NodeLoad load = new NodeLoad(NodeState.NORMAL, 0.5, 0.25, 0.5, null, "quiet");
    return new QueueNodeView(
        new UUID(0, 1),
        name,
        ADDRESS,
        live,
        false,
        false,
        0,
        NodeStatus.ACTIVE,
        null,
        null,
        load,
        1,
        1,
        null,
        List.of(),
        null);
  }

  private static ExecutionNodeView host(String name, boolean lost) {
    return new ExecutionNodeView(
        new UUID(0, 1),
        name,
        ADDRESS,
        NodeStatus.ACTIVE,
        lost,
        NodeCapacity.ofSlots(8),
        3,
        0.5,
        1_000,
        Map.of(),
        List.of(),
        Map.of(),
        0,
        List.of(),
        true,
        null,
        null,
        List.of(),
        null,
        null,
        0,
        0);
  }
}
