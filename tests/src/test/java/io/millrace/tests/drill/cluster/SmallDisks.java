package io.millrace.tests.drill.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Small file systems in memory for the data of processes, which can be filled to the last byte.
 * Only root may mount them; otherwise there are none, and one line reports it. Thread-safe.
 */
public final class SmallDisks implements AutoCloseable {
  private static final String FILLER = "filler";
  private static final int PIECE = 64 << 10;

  private final Map<String, Path> mounted = new ConcurrentHashMap<>();
  private boolean refused;

  /** Puts a folder on its own disk; false if that is not permitted. */
  public synchronized boolean mount(String process, Path folder, int mebibytes) {
    if (refused) {
      return false;
    }
    try {
      Files.createDirectories(folder);
      int code = run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", folder);
      refused = code != 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (refused) {
      System.err.println("disks are not filled: only root may mount small file systems");
      return false;
    }
    mounted.put(process, folder);
    return true;
  }

  private static int run(Object... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder();
    for (Object word : command) {
      builder.command().add(word.toString());
    }
    builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      return builder.start().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Whether a process has its own disk. */
  public boolean has(String process) {
    return mounted.containsKey(process);
  }

  /** Fills the disk of a process. */
  public void fill(String process) {
    Path filler = mounted.get(process).resolve(FILLER);
    byte[] piece = new byte[PIECE];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(piece);
      }
    } catch (IOException full) {
      if (filler.toFile().length() == 0) {
        throw new UncheckedIOException("nothing could be filled", full);
      }
    }
  }

  /** Frees the disk of a process. */
  public void empty(String process) {
    Optional.ofNullable(mounted.get(process))
        .ifPresent(
            folder -> {
              try {
                Files.deleteIfExists(folder.resolve(FILLER));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  @Override
  public synchronized void close() {
    mounted
        .values()
        .forEach(
            folder -> {
              try {
                run("umount", "-l", folder);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    mounted.clear();
  }
}
