package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of the tree of control groups that is delegated to this node (a systemd unit with {@code
 * Delegate=yes}, or a folder created for it). Stateless and thread-safe.
 *
 * <p>A group with members cannot pass limits on to groups within it, so the agent moves into its
 * own group next to those of the attempts.
 */
public final class ControlGroups {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControlGroups.class);
  private static final String AGENT = "agent";
  private static final String MEMORY = "memory";

  private final Path root;
  private final String prefix;

  private ControlGroups(Path root, String prefix) {
    this.root = root;
    this.prefix = prefix;
  }

  /**
   * Uses a folder of the tree, and moves the processes in it into the agent's group.
   *
   * @param node names the groups of this node's attempts, as nodes may share a folder
   * @return empty, with a log entry, if limits cannot be set there
   */
  public static Optional<ControlGroups> at(Path root, UUID node) {
    try {
      if (!Files.isDirectory(root) || !Files.isWritable(root)) {
        LOGGER.info(
            "control groups below {} are not available to this node; memory is sampled", root);
        return Optional.empty();
      }
      if (!tokens(root.resolve("cgroup.controllers")).contains(MEMORY)) {
        LOGGER.info("{} has no memory controller; memory is sampled", root);
        return Optional.empty();
      }
      prepareRoot(root);
      ControlGroups groups = new ControlGroups(root, node + "-");
      groups.removeEmpty();
      return Optional.of(groups);
    } catch (IOException e) {
      LOGGER.warn("cannot set limits below {}; memory is sampled", root, e);
      return Optional.empty();
    }
  }

  /**
   * The group of this process, if systemd has marked it as delegated.
   *
   * @param proc where {@code self/cgroup} is
   * @param mount where the tree is mounted
   */
  public static Optional<Path> delegated(Path proc, Path mount) {
    try {
      Optional<Path> own =
          Files.readAllLines(proc.resolve("self/cgroup")).stream()
              .filter(line -> line.startsWith("0::/"))
              .map(line -> mount.resolve(line.substring("0::/".length())))
              .findFirst();
      if (own.isEmpty()) {
        return Optional.empty();
      }
      // An earlier agent has moved itself one level down.
      Path group = own.get().endsWith(AGENT) ? own.get().getParent() : own.get();
      boolean enabled = attribute(group).equals("1");
      return enabled ? Optional.of(group) : Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException notMarked) {
      return Optional.empty();
    }
  }

  /** Makes the group of an attempt with its limit. */
  public ControlGroup create(String attempt, long memoryBytes) throws IOException {
    ControlGroup group = of(attempt);
    Files.createDirectory(group.folder());
    group.limit(memoryBytes);
    return group;
  }

  /** The group of an attempt, which may no longer exist. */
  public ControlGroup of(String attempt) {
    return new ControlGroup(root.resolve(prefix + attempt));
  }

  /** Removes groups that earlier agents have left without processes. */
  private void removeEmpty() throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(root, prefix + "*")) {
      for (Path folder : left) {
        ControlGroup group = new ControlGroup(folder);
        // A group with a recorded kill is kept until that was read.
        if (group.processes().isEmpty() && !group.wasKilledForMemory() && !group.remove()) {
          LOGGER.warn("the empty control group {} cannot be removed", folder);
        }
      }
    }
  }

  private static void prepareRoot(Path root) throws IOException {
    if (tokens(root.resolve("cgroup.subtree_control")).contains(MEMORY)) {
      return;
    }
    Path agent = Files.createDirectories(root.resolve(AGENT));
    for (String process : tokens(root.resolve("cgroup.procs"))) {
      Files.writeString(agent.resolve("cgroup.procs"), process);
    }
    Files.writeString(root.resolve("cgroup.subtree_control"), "+" + MEMORY);
  }

  private static List<String> tokens(Path file) throws IOException {
    return Arrays.stream(Files.readString(file).split("\\s+"))
        .filter(word -> !word.isEmpty())
        .toList();
  }

  private static String attribute(Path group) throws IOException {
    Object value = Files.getAttribute(group, "user:delegate");
    return new String((byte[]) value, StandardCharsets.US_ASCII);
  }

  /**
   * The control group of one attempt; its command and all that it starts are in it, whatever
   * session they move to, and the shell that supervises it is not. Stateless and thread-safe.
   *
   * @param folder the group's folder; it may no longer exist
   */
  record ControlGroup(Path folder) {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlGroup.class);

    /** The file by writing 0 to which a process joins. */
    public Path members() {
      return folder.resolve("cgroup.procs");
    }

    /** The processes in it; none if the group no longer exists. */
    public List<Long> processes() {
      try {
        return Files.readAllLines(members()).stream().map(Long::valueOf).toList();
      } catch (IOException | NumberFormatException gone) {
        return List.of();
      }
    }

    /** Kills all processes in it at once, also those that are just being forked (kernel 5.14). */
    public void kill() {
      write("cgroup.kill", "1");
    }

    /** Whether the kernel has killed in it because its limit was reached. */
    public boolean wasKilledForMemory() {
      return read("memory.events").lines().anyMatch(line -> line.matches("oom_kill [1-9]\\d*"));
    }

    /** The peak memory usage (kernel 5.19); empty if unknown. */
    public OptionalLong peakBytes() {
      String text = read("memory.peak").strip();
      return text.matches("\\d{1,18}")
          ? OptionalLong.of(Long.parseLong(text))
          : OptionalLong.empty();
    }

    /** Removes the group; false while processes are in it. */
    public boolean remove() {
      try {
        return Files.deleteIfExists(folder) || !Files.exists(folder);
      } catch (IOException busy) {
        LOGGER.debug("{} cannot be removed yet", folder, busy);
        return false;
      }
    }

    void limit(long memoryBytes) throws IOException {
      Files.writeString(folder.resolve("memory.max"), Long.toString(memoryBytes));
      // Otherwise memory above the limit would be swapped out, which slows down the machine.
      write("memory.swap.max", "0");
      write("memory.oom.group", "1");
    }

    private void write(String file, String value) {
      Path path = folder.resolve(file);
      if (Files.exists(path)) {
        try {
          Files.writeString(path, value);
        } catch (IOException e) {
          LOGGER.warn("cannot write {} to {}", value, path, e);
        }
      }
    }

    private String read(String file) {
      try {
        return Files.readString(folder.resolve(file));
      } catch (NoSuchFileException notHere) {
        return "";
      } catch (IOException e) {
        LOGGER.warn("cannot read {} in {}", file, folder, e);
        return "";
      }
    }
  }
}
