package io.millrace.api.weight;

/** Why weight was moved or could not be moved. */
public enum BalancingKind {
  /** A queue got its first points. */
  FIRST,
  /** An overloaded node gave its excess away. */
  SHED,
  /** A node that is not needed gave all its weight away (H-069). */
  SCALE_IN,
  /** A node that operators drain gave its weight away. */
  DRAIN,
  /** The points of a lost node went to the living (H-074). */
  HEAL,
  /** A queue got back its minimum of segments (H-055), or slots that its points require. */
  RESTORE,
  /** No points moved: the events that an earlier owner of slots had have arrived, or are given up. */
  DRAINED,
  /** An operator set the points. */
  OPERATOR,
  /** Nothing moved: a node is overloaded and no other node has capacity. */
  SHORTAGE;

  /** Whether it moves points from one living node to another. */
  public boolean movesLoad() {
    return this == SHED || this == SCALE_IN || this == DRAIN;
  }
}
