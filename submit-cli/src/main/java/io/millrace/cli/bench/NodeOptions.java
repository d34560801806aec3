package io.millrace.cli.bench;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What every benchmark takes. Filled by the parser. */
final class NodeOptions {
  /** Durability of the nodes. */
  enum Durability {
    DISK,
    PROCESS
  }

  @Option(
      names = "--payload",
      paramLabel = "BYTES",
      defaultValue = "200",
      description = "Data of each event (default: ${DEFAULT-VALUE}).")
  private int payload;

  @Option(
      names = "--durability",
      defaultValue = "disk",
      description = "disk: acknowledged events survive a power cut; process: kill -9 only.")
  private Durability durability;

  @Option(
      names = "--heap",
      defaultValue = "512m",
      description = "Heap of each queue node (default: ${DEFAULT-VALUE}).")
  private String heap;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where the nodes' stores lie (default: a temporary folder); say which disk.")
  private Path folder;

  int payload() {
    require(payload >= 60 && payload <= 100_000, "--payload is 60 to 100000 bytes");
    return payload;
  }

  String durability() {
    return durability.name();
  }

  String heap() {
    require(heap.matches("\\d{1,6}[mMgG]"), "--heap is a size such as 512m or 2g");
    return heap;
  }

  /** Null for a temporary one. */
  Path folder() {
    return folder;
  }

  static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, rule);
    }
  }

  /**
   * The queue nodes of a benchmark.
   *
   * @param nodes how many
   * @param payload bytes of data of each event
   * @param durability as in a node's configuration
   * @param heap of each node, as Java takes it
   * @param folder where the stores lie; null for a temporary one
   */
  record NodeShape(int nodes, int payload, String durability, String heap, Path folder) {
    NodeShape(int nodes, NodeOptions options) {
      this(nodes, options.payload(), options.durability(), options.heap(), options.folder());
    }
  }
}
