package io.millrace.api.execution;

import io.millrace.api.DataSize;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The execution node that opens a backend. Thread-safe; no method blocks. */
public interface BackendContext {
  /** The node's permanent id, by which a backend can mark what it starts for the node. */
  UUID nodeId();

  /** The node's name, for names of threads and messages. */
  String nodeName();

  /**
   * How many slots the node has, and so how many commands it passes on at the same time at most.
   */
  int slots();

  /** A folder for the backend's own files; it may not exist yet, and survives restarts. */
  Path folder();

  /** The parent of the directories of all attempts; it may not exist yet. */
  Path attempts();

  /**
   * The variables of the node's own environment that every command gets, unless its order has them
   * too; nothing else of the node's environment may reach a command.
   */
  Map<String, String> environment();

  /** {@code backendSettings} of the node's configuration; the backend refuses unknown keys. */
  Map<String, String> settings();

  /** How much of the beginning of each output is to be kept. */
  DataSize logHead();

  /** How much of the end of each output is to be kept. */
  DataSize logTail();

  /** The configured folder of the cgroup v2 tree that is delegated to the node. */
  Optional<Path> controlGroup();

  /** The wall clock of this host. */
  Instant now();

  /** Monotonic nanoseconds, by which time limits are measured. */
  long nanoTime();
}
