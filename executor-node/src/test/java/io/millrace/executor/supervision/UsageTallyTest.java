package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.UsageTally.Consumption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UsageTallyTest {
  private static final long OUTSIDE = 1;
  private final UsageTally tally = new UsageTally(Optional.empty());

  @Test
  void nothingIsKnownBeforeTheFirstLook() {
    tally.add(List.of());
    assertThat(tally.total()).isEmpty();
  }

  @Test
  void allProcessesOfOneMomentAreAddedUp() {
    tally.add(List.of(process(10, OUTSIDE, 100, 7), process(11, 10, 50, 5)));
    assertThat(tally.total()).contains(new Usage(150, 12, 150, 150));
  }

  @Test
  void aChildThatItsParentHasWaitedForIsNotCountedTwice() {
    tally.add(List.of(process(10, OUTSIDE, 100, 7), process(11, 10, 50, 5)));
    tally.add(List.of(process(10, OUTSIDE, 160, 7)));
    assertThat(tally.total()).contains(new Usage(160, 12, 160, 160));
  }

  @Test
  void anOrphanCountsAfterItEnded() {
    tally.add(List.of(process(10, OUTSIDE, 100, 7), process(11, OUTSIDE, 50, 5)));
    tally.add(List.of(process(10, OUTSIDE, 130, 7)));
    assertThat(tally.total()).contains(new Usage(180, 12, 180, 180));
  }

  @Test
  void usageRecordedByAnEarlierAgentIsNotLost() {
    UsageTally next = new UsageTally(Optional.of(new Usage(90, 80, 70, 60)));
    next.add(List.of(process(10, OUTSIDE, 65, 7)));
    assertThat(next.total()).contains(new Usage(90, 80, 70, 65));
  }

  @Test
  void theFieldsOfStatAndIoAreRead() {
    String stat =
        "11 (a) b) S 10 9 9 0 -1 4194560 88 0 0 0 3 4 5 6 20 0 1 0 99 2465792 227 18446744073709";
    String io = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 50\nwrite_bytes: 60\n";
    assertThat(Consumption.parse(11, stat, io, 4096))
        .contains(new Consumption(11, 10, 180, 227 * 4096, 50, 60));
    assertThat(Consumption.parse(11, "11 (a) S 10", io, 4096)).isEmpty();
  }

  private static Consumption process(long pid, long parent, long used, long memory) {
    return new Consumption(pid, parent, used, memory, used, used);
  }
}
