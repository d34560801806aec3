package io.millrace.executor.supervision;

import java.util.Collection;

/** Sends signals to whole process groups, which the JDK cannot. */
interface GroupSignals {

  /** Asks all processes of the groups to end; stopped ones are continued to hear it. */
  void terminate(Collection<Long> groups);

  /** Ends all processes of the groups. */
  void kill(Collection<Long> groups);
}
