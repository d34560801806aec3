package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The wall clocks of processes, each of which can be stepped alone. Works through libfaketime,
 * which is preloaded where it is installed; elsewhere clocks can't be stepped. Monotonic clocks go
 * on.
 */
public final class Clocks {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"));

  private final Optional<Path> library;
  private final Path folder;
  private final Map<String, Path> files = new ConcurrentHashMap<>();

  private Clocks(Optional<Path> library, Path folder) {
    this.library = library;
    this.folder = folder;
  }

  /** Clocks that can be stepped, where the library is installed; their files lie in the folder. */
  public static Clocks steppable(Path folder) {
    return new Clocks(library(), folder);
  }

  /** The machine's own. */
  public static Clocks real() {
    return new Clocks(Optional.empty(), Path.of("."));
  }

  /** The library, where it is installed. */
  public static Optional<Path> library() {
    return PLACES.stream().filter(Files::isReadable).findFirst();
  }

  /** The environment that gives a process a clock of its own; empty without the library. */
  public Map<String, String> of(String process) {
    return library.map(file -> environment(file, process)).orElse(Map.of());
  }

  private Map<String, String> environment(Path preloaded, String process) {
    Path file = files.computeIfAbsent(process, name -> folder.resolve(name + ".clock"));
    write(file, "+0");
    return Map.of(
        "LD_PRELOAD", preloaded.toString(),
        "FAKETIME_TIMESTAMP_FILE", file.toString(),
        "FAKETIME_CACHE_DURATION", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "FAKETIME_DONT_RESET", "1");
  }

  /** Sets a process's clock to the machine's plus so many hours; it sees it within a second. */
  public void step(String process, int hours) {
    write(files.get(process), hours == 0 ? "+0" : "%+dh".formatted(hours));
  }

  // Replaced in one go: half a file would be no time.
  private static void write(Path file, String offset) {
    try {
      Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), offset);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
