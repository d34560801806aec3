package io.millrace.cli.invocation;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/** A file that holds a {@link Pointer}, readable by its owner only. */
public final class PointerFile {
  private static final String NAME = "current.json";

  private final Path path;

  private PointerFile(Path path) {
    this.path = path;
  }

  /** The pointer to the most recent {@code up} of this user. */
  public static PointerFile ofUser(Map<String, String> environment) {
    String configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path base =
        configured.isEmpty()
            ? Path.of(environment.getOrDefault("HOME", ".")).resolve(".config")
            : Path.of(configured);
    return new PointerFile(base.resolve("millrace").resolve(NAME));
  }

  /** The pointer to the {@code up} that runs on a data directory. */
  public static PointerFile ofData(Path dataDirectory) {
    return new PointerFile(dataDirectory.resolve(NAME));
  }

  public Path path() {
    return path;
  }

  /** The pointer, or nothing if there is no valid file. */
  public Optional<Pointer> read() {
    try {
      Pointer pointer = Json.read(Files.readAllBytes(path), Pointer.class);
      return Optional.ofNullable(pointer.url() == null ? null : pointer);
    } catch (IOException | MillraceException e) {
      return Optional.empty();
    }
  }

  /** Replaces the pointer atomically. */
  public void write(Pointer pointer) throws IOException {
    Files.createDirectories(path.toAbsolutePath().getParent());
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    Path fresh =
        Files.createTempFile(path.toAbsolutePath().getParent(), ".current", ".json", ownerOnly);
    Files.write(fresh, Json.writeBytes(pointer));
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Removes the pointer unless it was replaced. */
  public void removeIf(Pointer own) throws IOException {
    if (read().filter(own::equals).isPresent()) {
      try {
        Files.delete(path);
      } catch (NoSuchFileException e) {
        // Removed concurrently.
        return;
      }
    }
  }

  /**
   * The address of a running {@code up}, for other commands.
   *
   * @param url the central manager
   * @param tokenFile the file with an operator's token
   * @param loadBalancer where events are sent
   */
  public record Pointer(String url, String tokenFile, String loadBalancer) {}
}
