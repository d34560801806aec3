package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.LogReplay.LogImage;
import io.millrace.queuenode.store.log.LogTail.LogPosition;
import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

  /**
   * The state of the log up to a position, so that earlier groups need not be read again.
   *
   * @param position where the first group that it does not include begins
   * @param needed numbers of earlier files that held live events
   * @param content the store's image
   */
  record Checkpoint(LogPosition position, List<Long> needed, ByteReader content) {
    private static final long MAGIC = 0x4D494C4C43484B31L; // MILLCHK1
    private static final int CHECKSUM = 8;

    /** The empty state of a new log. */
    static final Checkpoint NONE =
        new Checkpoint(LogPosition.START, List.of(), new ByteReader(new byte[0], 0, 0));

    static ByteWriter bytes(LogPosition position, List<Long> needed, LogImage image) {
      ByteWriter writer = new ByteWriter();
      writer.fixedLong(MAGIC);
      writer.fixedInt(0);
      writer.number(position.file());
      writer.number(position.offset());
      writer.number(position.group());
      writer.number(needed.size());
      needed.forEach(writer::number);
      image.write(writer);
      writer.patchInt(CHECKSUM, writer.checksum(CHECKSUM + 4, writer.size()));
      return writer;
    }

    /** Empty if the bytes are not a complete checkpoint. */
    static Optional<Checkpoint> parse(byte[] bytes) {
      if (bytes.length < CHECKSUM + 4
          || ByteReader.longAt(bytes, 0) != MAGIC
          || ByteReader.intAt(bytes, CHECKSUM) != Checksum.of(bytes, CHECKSUM + 4, bytes.length)) {
        return Optional.empty();
      }
      ByteReader reader = new ByteReader(bytes, CHECKSUM + 4, bytes.length);
      LogPosition position = new LogPosition(reader.number(), reader.number(), reader.number());
      List<Long> needed = new ArrayList<>();
      for (long left = reader.number(); left > 0; left--) {
        needed.add(reader.number());
      }
      return Optional.of(new Checkpoint(position, needed, reader));
    }
  }
}
