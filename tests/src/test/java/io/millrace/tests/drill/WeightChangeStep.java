package io.millrace.tests.drill;

import io.millrace.tests.drill.network.Direction;

/** The steps of a weight change, as seen on the links. */
enum WeightChangeStep {
  /** The giver learns that it is to be drained. */
  DRAIN_HEARD(Place.GIVER_TO_CENTRAL, Direction.TO_CLIENT, "\"DRAINING\""),
  /** The giver asks the receiver to reserve capacity. */
  ROOM_ASKED(Place.TO_RECEIVER, Direction.TO_SERVER, "POST /v1/reservations"),
  /** The receiver answers. */
  ROOM_ANSWERED(Place.TO_RECEIVER, Direction.TO_CLIENT, "\"granted\""),
  /** The giver asks a central manager to change the row. */
  MOVE_ASKED(Place.GIVER_TO_CENTRAL, Direction.TO_SERVER, "POST /v1/weights/moves"),
  /** The row is changed, and the giver receives the answer. */
  MOVE_ANSWERED(Place.GIVER_TO_CENTRAL, Direction.TO_CLIENT, "\"repeated\"");

  /** The link on which a step is seen. */
  enum Place {
    GIVER_TO_CENTRAL,
    TO_RECEIVER
  }

  private final Place place;
  private final Direction direction;
  private final String words;

  WeightChangeStep(Place place, Direction direction, String words) {
    this.place = place;
    this.direction = direction;
    this.words = words;
  }

  Place place() {
    return place;
  }

  Direction direction() {
    return direction;
  }

  String words() {
    return words;
  }
}
