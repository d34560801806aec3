package io.millrace.queuenode.load;

import io.millrace.api.queue.NodeState;
import java.util.Locale;

/** Words a state with the signal and the thresholds it rests on. Pure and thread-safe. */
final class LoadReason {
  private final String tooBusy;
  private final String busy;
  private final String normal;

  LoadReason(LoadSettings settings) {
    this.tooBusy = band(settings.tooBusyEnter(), settings.tooBusyLeave());
    this.busy = band(settings.busyEnter(), settings.busyLeave());
    this.normal = String.format(Locale.ROOT, ": below %.2f", settings.busyEnter());
  }

  private static String band(double enter, double leave) {
    return String.format(Locale.ROOT, ": from %.2f until below %.2f", enter, leave);
  }

  String of(NodeState state, String signal, double load) {
    return switch (state) {
      case IDLE -> "holds no segment";
      case NORMAL -> signal + " " + figure(load) + normal;
      case BUSY -> signal + " " + figure(load) + busy;
      case TOOBUSY -> signal + " " + figure(load) + tooBusy;
    };
  }

  /**
   * Two digits, cut rather than rounded, so that 0.499 does not read as 0.50 "below 0.50"; by hand,
   * because a formatter for every sample of every simulated node is slow.
   */
  private static String figure(double load) {
    long hundredths = (long) Math.floor(load * 100 + 1e-6);
    return hundredths / 100 + (hundredths % 100 < 10 ? ".0" : ".") + hundredths % 100;
  }
}
