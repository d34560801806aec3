package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The wall clocks of processes, each of which can be stepped separately; monotonic clocks are not
 * affected.
 *
 * <p>Millrace's own servers read an offset from a file. The database's clock is faked by
 * libfaketime if it is installed (preloaded into a JVM, it makes reading a clock so slow that a
 * server hardly starts).
 */
public final class Clocks {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"));

  private final Optional<Path> folder;
  private final Map<String, Path> files = new ConcurrentHashMap<>();
  // Names of processes whose clocks libfaketime reads.
  private final Set<String> foreign = ConcurrentHashMap.newKeySet();

  private Clocks(Optional<Path> folder) {
    this.folder = folder;
  }

  /** Clocks that can be stepped; their files are in the folder. */
  public static Clocks steppable(Path folder) {
    return new Clocks(Optional.of(folder));
  }

  /** The machine's clock. */
  public static Clocks real() {
    return new Clocks(Optional.empty());
  }

  /** Whether they can be stepped. */
  public boolean canStep() {
    return folder.isPresent();
  }

  /** The library, if it is installed. */
  public static Optional<Path> library() {
    return PLACES.stream().filter(Files::isReadable).findFirst();
  }

  /** JVM options that give a server its own clock; empty for the real one. */
  public List<String> options(String process) {
    if (folder.isEmpty()) {
      return List.of();
    }
    return List.of("-Dmillrace.clock.offset=" + file(process, "0"));
  }

  /** The environment that gives a database its own clock; empty without the library. */
  public Map<String, String> environment(String process) {
    if (folder.isEmpty() || library().isEmpty()) {
      return Map.of();
    }
    foreign.add(process);
    return Map.of(
        "LD_PRELOAD", library().get().toString(),
        "FAKETIME_TIMESTAMP_FILE", file(process, "+0").toString(),
        "FAKETIME_CACHE_DURATION", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "FAKETIME_DONT_RESET", "1");
  }

  private Path file(String process, String offset) {
    Path file =
        files.computeIfAbsent(process, name -> folder.orElseThrow().resolve(name + ".clock"));
    write(file, offset);
    return file;
  }

  /**
   * Sets a process's clock to the machine's plus that many hours; it takes effect within a second.
   */
  public void step(String process, int hours) {
    // The two readers of the files do not agree on a plus sign.
    String form = foreign.contains(process) ? "%+dh" : "%dh";
    write(files.get(process), form.formatted(hours));
  }

  // Replaced atomically, because half a file is not a valid time.
  private static void write(Path file, String offset) {
    try {
      Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), offset);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
