package io.millrace.platform.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskReserveTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final AtomicLong free = new AtomicLong(1_000);
  private final DiskReserve reserve =
      new DiskReserve("the disk", new DataSize(1_000), free::get, clock);

  @Test
  void thereIsSpaceWhileTheReserveIsFree() {
    assertThat(reserve.hasSpace()).isTrue();
    free.set(999);
    clock.advance(Duration.ofSeconds(1));
    assertThat(reserve.hasSpace()).isFalse();
    assertThat(reserve.shortage()).hasValueSatisfying(why -> assertThat(why).contains("reserve"));
    free.set(1_000);
    clock.advance(Duration.ofSeconds(1));
    assertThat(reserve.hasSpace()).isTrue();
  }

  @Test
  void usedSpaceMustLeaveTheReserveUntouched() {
    assertThatCode(() -> reserve.require(0)).doesNotThrowAnyException();
    assertThatThrownBy(() -> reserve.require(1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL))
        .hasMessageContaining("the disk has less than its reserve");
  }

  @Test
  void theDiskIsNotAskedEveryTime() {
    free.set(0);
    assertThat(reserve.hasSpace()).isTrue();
    clock.advance(Duration.ofMillis(500));
    assertThat(reserve.hasSpace()).isFalse();
  }

  @Test
  void aDiskThatCannotBeAskedCountsAsFull(@TempDir Path folder) {
    DiskReserve nothing = DiskReserve.of(folder.resolve("gone"), new DataSize(0), clock);
    assertThat(nothing.hasSpace()).isFalse();
    assertThatThrownBy(() -> nothing.require(0)).isInstanceOf(MillraceException.class);
    assertThat(DiskReserve.of(folder, new DataSize(0), clock).hasSpace()).isTrue();
  }
}
