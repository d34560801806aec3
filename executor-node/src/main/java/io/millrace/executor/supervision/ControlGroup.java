package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control group of one attempt; its command and all that it starts are in it, whatever session
 * they move to, and the shell that supervises it is not. Stateless and thread-safe.
 *
 * @param folder the group's folder; it may be gone
 */
public record ControlGroup(Path folder) {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControlGroup.class);

  /** The file by writing 0 to which a process joins. */
  public Path members() {
    return folder.resolve("cgroup.procs");
  }

  /** The processes in it; none when the group is gone. */
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

  /** The most memory that was in use (kernel 5.19); empty when not told. */
  public OptionalLong peakBytes() {
    String text = read("memory.peak").strip();
    return text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
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
    // Otherwise what is over the limit would be swapped out and the machine slowed for all.
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
