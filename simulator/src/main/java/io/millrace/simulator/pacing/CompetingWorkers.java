package io.millrace.simulator.pacing;

/** What else is at work beside a simulated queue manager. Used by one thread. */
public interface CompetingWorkers {
  /** None. */
  CompetingWorkers NONE =
      new CompetingWorkers() {
        @Override
        public int onSlots() {
          return 0;
        }

        @Override
        public int ofQueue() {
          return 0;
        }
      };

  /** Workers that take slots which this manager's would take otherwise. */
  int onSlots();

  /** Workers of the same queue's other segments, submitted or running: its caps hold over all. */
  int ofQueue();
}
