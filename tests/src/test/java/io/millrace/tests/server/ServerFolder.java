package io.millrace.tests.server;

import io.millrace.tests.cluster.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of one server, in a folder named after the test process that started it. */
final class ServerFolder {
  private static final String PREFIX = "run-";

  private final Path folder;

  private ServerFolder(Path folder) {
    this.folder = folder;
  }

  /** Creates the folder of this process after removing those of killed test processes. */
  static ServerFolder create(Path home) throws IOException {
    Files.createDirectories(home);
    for (ServerFolder old : list(home)) {
      if (!old.ownerLives()) {
        old.endServer();
        old.delete();
      }
    }
    ServerFolder made = new ServerFolder(home.resolve(PREFIX + ProcessHandle.current().pid()));
    Files.createDirectories(made.scratch());
    return made;
  }

  private static List<ServerFolder> list(Path home) throws IOException {
    try (Stream<Path> entries = Files.list(home)) {
      return entries
          .filter(entry -> entry.getFileName().toString().startsWith(PREFIX))
          .map(ServerFolder::new)
          .toList();
    }
  }

  Path data() {
    return folder.resolve("data");
  }

  Path scratch() {
    return folder.resolve("tmp");
  }

  Path pidFile() {
    return folder.resolve("server.pid");
  }

  private boolean ownerLives() {
    long owner = Long.parseLong(folder.getFileName().toString().substring(PREFIX.length()));
    return ProcessHandle.of(owner).isPresent();
  }

  /** Ends the server of a killed test process, if the process is still that server. */
  private void endServer() throws IOException {
    if (!Files.exists(pidFile())) {
      return;
    }
    ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip()))
        .filter(server -> server.info().commandLine().orElse("").contains(data().toString()))
        .ifPresent(
            server -> {
              server.destroyForcibly();
              server.onExit().join();
            });
  }

  void delete() throws IOException {
    Folders.delete(folder);
  }
}
