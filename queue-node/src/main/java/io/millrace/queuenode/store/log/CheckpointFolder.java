package io.millrace.queuenode.store.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The checkpoints of a log: the two newest are kept. One thread at a time. */
final class CheckpointFolder {
  private static final String PREFIX = "checkpoint-";
  private static final Pattern NAME = Pattern.compile(PREFIX + "\\d{12}");
  private static final int KEPT = 2;

  private final Disk disk;
  private final Path folder;

  CheckpointFolder(Disk disk, Path folder) {
    this.disk = disk;
    this.folder = folder;
  }

  /** Names of the files, the newest first. */
  List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : disk.names(folder)) {
      if (NAME.matcher(name).matches()) {
        names.add(0, name);
      }
    }
    return names;
  }

  byte[] read(String name) throws IOException {
    return WholeFiles.read(disk, folder.resolve(name));
  }

  void write(ByteWriter content) throws IOException {
    List<String> old = names();
    long number = old.isEmpty() ? 1 : Long.parseLong(old.get(0).substring(PREFIX.length())) + 1;
    String name = String.format(Locale.ROOT, PREFIX + "%012d", number);
    WholeFiles.write(disk, folder.resolve(name), content);
    for (int i = KEPT - 1; i < old.size(); i++) {
      disk.delete(folder.resolve(old.get(i)));
    }
  }
}
