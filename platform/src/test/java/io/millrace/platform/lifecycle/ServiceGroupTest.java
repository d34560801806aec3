package io.millrace.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ServiceGroupTest {

  private final List<String> events = Collections.synchronizedList(new ArrayList<>());

  @Test
  void servicesStartInOrderAndStopInReverse() {
    ServiceGroup group = new ServiceGroup(List.of(recording("a"), recording("b")));

    group.start();
    assertThat(group.state()).isEqualTo(ServiceGroup.State.STARTED);
    group.stop();

    assertThat(events).containsExactly("start a", "start b", "stop b", "stop a");
    assertThat(group.state()).isEqualTo(ServiceGroup.State.STOPPED);
  }

  @Test
  void aFailedStartStopsWhatHadStartedAndIsThrown() {
    RuntimeException broken = new IllegalArgumentException("broken");
    ServiceGroup group =
        new ServiceGroup(
            List.of(
                recording("a"),
                service(
                    () -> {
                      throw broken;
                    },
                    () -> events.add("stop broken")),
                recording("c")));

    assertThatThrownBy(group::start).isSameAs(broken);

    assertThat(events).containsExactly("start a", "stop a");
    assertThat(group.state()).isEqualTo(ServiceGroup.State.STOPPED);
  }

  @Test
  void stoppingContinuesPastFailuresAndCollectsThem() {
    RuntimeException first = new IllegalStateException("b");
    RuntimeException second = new IllegalStateException("a");
    ServiceGroup group =
        new ServiceGroup(List.of(recording("z"), failingStop(second), failingStop(first)));
    group.start();

    Throwable thrown = catchThrowable(group::stop);

    assertThat(thrown).isSameAs(first);
    assertThat(thrown.getSuppressed()).containsExactly(second);
    assertThat(events).contains("stop z");
  }

  @Test
  void stoppingAGroupThatNeverStartedMakesItUnstartable() {
    ServiceGroup group = new ServiceGroup(List.of(recording("a")));

    group.stop();

    assertThatThrownBy(group::start).isInstanceOf(IllegalStateException.class);
    assertThat(events).isEmpty();
  }

  @Test
  void aSecondStopDoesNothing() {
    ServiceGroup group = new ServiceGroup(List.of(recording("a")));
    group.start();

    group.stop();
    group.stop();

    assertThat(events).containsExactly("start a", "stop a");
  }

  @Test
  void aStopDuringTheStartEndsItAfterTheServiceItIsAt() throws InterruptedException {
    CountDownLatch starting = new CountDownLatch(1);
    AtomicReference<ServiceGroup> group = new AtomicReference<>();
    Service slow =
        service(
            () -> {
              starting.countDown();
              while (group.get().state() == ServiceGroup.State.STARTING) {
                Thread.onSpinWait();
              }
            },
            () -> events.add("stop slow"));
    group.set(new ServiceGroup(List.of(slow, recording("never"))));
    AtomicReference<Throwable> outcome = new AtomicReference<>();
    Thread starter =
        Threads.daemon("starter", () -> outcome.set(catchThrowable(group.get()::start)));
    starter.start();
    starting.await();

    group.get().stop();
    starter.join();

    assertThat(outcome.get()).isInstanceOf(IllegalStateException.class);
    assertThat(events).containsExactly("stop slow");
  }

  @RepeatedTest(100)
  void racingStartsAndStopsLeaveNothingRunning() throws InterruptedException {
    AtomicInteger running = new AtomicInteger();
    Service counted = service(running::incrementAndGet, running::decrementAndGet);
    ServiceGroup group = new ServiceGroup(List.of(counted, counted, counted));
    List<Thread> threads = new ArrayList<>();
    for (Runnable action : List.<Runnable>of(group::start, group::stop, group::stop)) {
      Thread thread = Threads.daemon("racer", () -> ignoringRefusal(action));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(running).hasValue(0);
    assertThat(group.state()).isEqualTo(ServiceGroup.State.STOPPED);
  }

  private static void ignoringRefusal(Runnable action) {
    try {
      action.run();
    } catch (IllegalStateException refused) {
      // The start came after a stop, or was cut short by it.
    }
  }

  private Service recording(String name) {
    return service(() -> events.add("start " + name), () -> events.add("stop " + name));
  }

  private static Service failingStop(RuntimeException failure) {
    return service(
        () -> {},
        () -> {
          throw failure;
        });
  }

  private static Service service(Runnable start, Runnable stop) {
    return new Service() {
      @Override
      public void start() {
        start.run();
      }

      @Override
      public void stop() {
        stop.run();
      }
    };
  }
}
