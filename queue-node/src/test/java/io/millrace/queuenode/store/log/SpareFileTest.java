package io.millrace.queuenode.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.Disk.DiskFile;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import io.millrace.queuenode.store.log.LogFiles.FileChange;
import io.millrace.queuenode.store.log.LogReplay.LogImage;
import io.millrace.queuenode.store.log.LogTail.LogPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A file that was replaced by a compact one may be overwritten only once the log's thread has
 * applied the change: until then it reads the old file. The threads' steps run in the order that
 * once made a queue unreadable: the keeper runs after the log has last applied changes, and before
 * the log creates its next file.
 */
class SpareFileTest {
  private static final byte[] COMMON = {1};
  private static final int FILE_BYTES = 16 << 10;
  private static final int FILES = 3;

  @TempDir Path folder;

  private final Disk disk = new ChannelDisk();
  private final Spares spares = new Spares(disk);
  private final List<LogFile> opened = new ArrayList<>();
  private final Set<Long> kept = new TreeSet<>();

  @AfterEach
  void close() throws IOException {
    for (LogFile file : opened) {
      file.file().close();
    }
  }

  @Test
  void aFileIsNotOverwrittenWhileTheLogStillReadsIt() throws IOException {
    LogSettings settings = LogSettings.in(folder).withFiles(FILE_BYTES);
    FileMaker maker = new FileMaker(disk, settings, spares);
    LogFiles files = new LogFiles(full(maker, settings));
    LogKeeper keeper = new LogKeeper(disk, settings, spares);
    LogFile tail = files.all().get(FILES);
    long[] wanted = kept.stream().mapToLong(Long::longValue).toArray();

    keeper.keep(new Image(), new LogPosition(FILES + 1, FileHeader.BYTES, 100), files.all(), 999);
    LogFile next = maker.make(tail.number() + 1, 999, 101);
    opened.add(next);
    next.file().write(ByteBuffer.allocate(FILE_BYTES - FileHeader.BYTES), FileHeader.BYTES);

    assertThatCode(() -> files.read(wanted, (seq, common, content) -> {}))
        .as("what the files hold that the log still knows")
        .doesNotThrowAnyException();
  }

  @Test
  void onceTheChangeIsAppliedTheFileIsReused() throws IOException {
    LogSettings settings = LogSettings.in(folder).withFiles(FILE_BYTES);
    FileMaker maker = new FileMaker(disk, settings, spares);
    LogFiles files = new LogFiles(full(maker, settings));
    LogKeeper keeper = new LogKeeper(disk, settings, spares);

    keeper.keep(new Image(), new LogPosition(FILES + 1, FileHeader.BYTES, 100), files.all(), 999);
    assertThat(spares.take()).isNull();
    FileChange last = null;
    for (FileChange change = keeper.nextChange(); change != null; change = keeper.nextChange()) {
      last = change;
    }
    assertThat(last.spare()).exists();
    spares.release(last.spare());
    assertThat(spares.take()).isEqualTo(last.spare());
  }

  /** Compaction frees space; what fails for the lack of it must not keep it. */
  @Test
  void aDiskThatFillsUpAfterACompactionStillFreesTheOldFiles() throws IOException {
    FullAfterMove full = new FullAfterMove();
    LogSettings settings = LogSettings.in(folder).withFiles(FILE_BYTES);
    List<LogFile> files = full(new FileMaker(disk, settings, spares), settings);
    LogKeeper keeper = new LogKeeper(full, settings, new Spares(full));
    LogPosition position = new LogPosition(FILES + 1, FileHeader.BYTES, 100);

    assertThatThrownBy(() -> keeper.keep(new Image(), position, files, 999))
        .isInstanceOf(IOException.class);

    assertThat(keeper.nextChange().removed()).isEqualTo(files.subList(0, FILES));
    assertThat(files.subList(1, FILES)).noneMatch(old -> Files.exists(old.path()));
  }

  /** Only an opening would find it, while another spare file is kept. */
  @ParameterizedTest
  @EnumSource
  void aSpareFileThatFailsOnReuseIsDeleted(Step failing) throws IOException {
    FailingOnce failingOnce = new FailingOnce(failing);
    LogSettings settings = LogSettings.in(folder).withFiles(FILE_BYTES);
    FileMaker maker = new FileMaker(failingOnce, settings, spares);
    Path spare = folder.resolve(Spares.PREFIX + LogFile.name(1));
    Files.write(spare, new byte[FILE_BYTES]);
    spares.found(spare);

    assertThatThrownBy(() -> maker.make(2, 100, 2)).isInstanceOf(IOException.class);
    assertThat(disk.names(folder)).isEmpty();

    opened.add(maker.make(2, 100, 2));
    assertThat(disk.names(folder)).containsExactly(LogFile.name(2));
  }

  /** Full files of a hundred events each, of which one in each is live, and an empty last one. */
  private List<LogFile> full(FileMaker maker, LogSettings settings) throws IOException {
    List<LogFile> files = new ArrayList<>();
    GroupBuffer group = new GroupBuffer(settings.blockBytes());
    for (int number = 1; number <= FILES; number++) {
      LogFile file = maker.make(number, 100L * number, number);
      LogTail tail = new LogTail(settings, file, FileHeader.BYTES, number);
      group.clear();
      for (long seq = 100L * number; seq < 100L * number + 100; seq++) {
        group.beginEvent(COMMON, seq).raw(new byte[100], 0, 100);
        group.endEvent();
      }
      tail.append(group);
      tail.append(padding(settings, group));
      kept.add(100L * number + 50);
      files.add(file);
    }
    files.add(maker.make(FILES + 1, 999, FILES + 1));
    opened.addAll(files);
    return files;
  }

  /** A record that fills the file up: only whole files become spare ones. */
  private static GroupBuffer padding(LogSettings settings, GroupBuffer written) {
    int left = settings.fileBytes() - FileHeader.BYTES - written.size();
    GroupBuffer padding = new GroupBuffer(settings.blockBytes());
    int content = left - GroupHeader.BYTES - GroupBuffer.RECORD_HEADER;
    padding.begin(GroupBuffer.FREE_TYPES).raw(new byte[content], 0, content);
    padding.end();
    return padding;
  }

  /** Does what the real disk does. */
  private class OverDisk implements Disk {
    @Override
    public DiskFile open(Path file) throws IOException {
      return disk.open(file);
    }

    @Override
    public DiskFile create(Path file) throws IOException {
      return disk.create(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
      disk.delete(file);
    }

    @Override
    public List<String> names(Path folder) throws IOException {
      return disk.names(folder);
    }

    @Override
    public void forceFolder(Path folder) throws IOException {
      disk.forceFolder(folder);
    }
  }

  /** Takes no new file once a compact one has its name. */
  private final class FullAfterMove extends OverDisk {
    private boolean moved;

    @Override
    public DiskFile create(Path file) throws IOException {
      if (moved) {
        throw new IOException("No space left on device");
      }
      return super.create(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      super.rename(from, to);
      moved |= to.equals(opened.get(0).path());
    }
  }

  private enum Step {
    OPEN,
    WRITE,
    RENAME
  }

  /** Fails at one step of making a file, the first time. */
  private final class FailingOnce extends OverDisk {
    private final Set<Step> failing;

    FailingOnce(Step step) {
      this.failing = EnumSet.of(step);
    }

    private void fail(Step step) throws IOException {
      if (failing.remove(step)) {
        throw new IOException("Input/output error");
      }
    }

    @Override
    public DiskFile open(Path file) throws IOException {
      fail(Step.OPEN);
      DiskFile opened = super.open(file);
      if (failing.remove(Step.WRITE)) {
        // Writing into it fails then.
        opened.close();
      }
      return opened;
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
      fail(Step.RENAME);
      super.rename(from, to);
    }
  }

  private final class Image implements LogImage {
    @Override
    public void write(ByteWriter writer) {
      writer.number(kept.size());
    }

    @Override
    public LiveEvents live() {
      return new LiveEvents() {
        @Override
        public boolean contains(long seq) {
          return kept.contains(seq);
        }

        @Override
        public long count(long from, long behind) {
          return kept.stream().filter(seq -> seq >= from && seq < behind).count();
        }
      };
    }
  }
}
