package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.platform.http.StreamPlaces.StreamPlace;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamPlacesTest {
  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");
  private static final Principal BOB = Principal.of(Role.VIEWER, "bob");
  private static final Principal CY = Principal.of(Role.VIEWER, "cy");

  private final StreamPlaces places = new StreamPlaces(4, 3);

  @Test
  void theOldestStreamOfTheCallerEndsForANewOne() {
    StreamPlace others = taken(BOB);
    StreamPlace first = taken(ANN);
    StreamPlace second = taken(ANN);
    taken(ANN);

    StreamPlace fourth = taken(ANN);

    assertThat(first.ended()).isTrue();
    assertThat(second.ended()).isFalse();
    assertThat(fourth.ended()).isFalse();
    assertThat(others.ended()).isFalse();
  }

  @Test
  void ifAllPlacesAreTakenTheCallerWithMostLosesOne() {
    StreamPlace others = taken(BOB);
    StreamPlace first = taken(ANN);
    taken(ANN);
    taken(ANN);

    taken(CY);

    assertThat(first.ended()).isTrue();
    assertThat(others.ended()).isFalse();
  }

  @Test
  void aStreamThatDoesNotLeaveKeepsItsPlaceAndTheNewOneIsRefused() {
    for (int stream = 0; stream < 3; stream++) {
      places.take(ANN);
    }

    assertThatThrownBy(() -> places.take(ANN))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("already streams 4 logs, 3 of one caller");
    assertThat(places.take(BOB).ended()).isFalse();
  }

  @Test
  void aStreamThatWasEndedBeforeItCouldBeInterruptedIsInterruptedAtOnce() {
    StreamPlace first = places.take(ANN);
    taken(ANN);
    taken(ANN);
    assertThatThrownBy(() -> places.take(ANN)).isInstanceOf(MillraceException.class);

    first.atEnd(first::close);

    assertThat(taken(ANN).ended()).isFalse();
  }

  /** A stream that leaves as soon as it is ended. */
  private StreamPlace taken(Principal caller) {
    StreamPlace place = places.take(caller);
    place.atEnd(place::close);
    return place;
  }
}
