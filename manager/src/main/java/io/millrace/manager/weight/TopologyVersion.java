package io.millrace.manager.weight;

import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.VersionedQueue;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Names a topology by what it holds, so that every central manager gives the same one the same
 * version without a shared counter. Pure.
 */
final class TopologyVersion {
  private static final int LETTERS = 24;

  private TopologyVersion() {}

  static Topology of(
      List<VersionedQueue> queues,
      List<QueueWeights> weights,
      List<QueueNodeAddress> nodes,
      List<QueueControl> controls,
      List<String> broken) {
    StringBuilder content = new StringBuilder();
    queues.forEach(queue -> line(content, queue.definition().name(), queue.version()));
    weights.forEach(row -> line(content, row.queue(), row.version()));
    nodes.forEach(
        node ->
            line(content, node.id() + " " + node.name(), node.address() + " " + node.standing()));
    controls.forEach(control -> line(content, control.queue(), control));
    broken.forEach(queue -> line(content, queue, "broken"));
    return new Topology(digest(content.toString()), queues, weights, nodes, controls, broken);
  }

  private static void line(StringBuilder content, String name, Object value) {
    content.append(name).append(' ').append(value).append('\n');
  }

  private static String digest(String content) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, LETTERS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
