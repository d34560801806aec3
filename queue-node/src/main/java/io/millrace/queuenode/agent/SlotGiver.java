package io.millrace.queuenode.agent;

import io.millrace.api.weight.MoveRequest.WeightMove;
import java.util.List;

/**
 * Prepares moves of queues of sessions, whose slots must be sealed before the weight row changes.
 * Moves of other queues stay as they are. Blocks on the store; thread-safe.
 */
public interface SlotGiver {
  /** For a node without queues of sessions. */
  SlotGiver NONE =
      new SlotGiver() {
        @Override
        public List<WeightMove> seal(List<WeightMove> moves) {
          return moves;
        }

        @Override
        public void refused(List<WeightMove> moves) {}

        @Override
        public void moved(List<WeightMove> moves) {}
      };

  /**
   * Chooses and seals slots: fewer than there are points where others are still on their way, and
   * without the moves for which there are none.
   *
   * @throws io.millrace.api.MillraceException if the store does not answer; then nothing is sealed
   *     for long
   */
  List<WeightMove> seal(List<WeightMove> moves);

  /** The rows were certainly not changed, and will not be: the slots are served again. */
  void refused(List<WeightMove> moves);

  /** The rows were changed. */
  void moved(List<WeightMove> moves);
}
