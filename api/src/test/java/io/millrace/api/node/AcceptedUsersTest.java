package io.millrace.api.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AcceptedUsersTest {
  @Test
  void whatIsAnnouncedIsReadBack() {
    for (Set<String> named : Set.of(Set.<String>of(), Set.of("ann"), Set.of("bob", "ann"))) {
      for (boolean unnamed : new boolean[] {true, false}) {
        AcceptedUsers users = new AcceptedUsers(named, unnamed);
        assertThat(AcceptedUsers.of(users.attributes())).hasValue(users);
      }
    }
  }

  @Test
  void attributesOfEarlierVersionsAnnounceNothing() {
    assertThat(AcceptedUsers.of(Map.of("os", "linux", AcceptedUsers.NAMED, "ann"))).isEmpty();
  }

  @Test
  void onlyNamedUsersAndIfSoJobsWithoutAUserAreAccepted() {
    AcceptedUsers users = new AcceptedUsers(Set.of("ann"), false);
    assertThat(users.accepts("ann")).isTrue();
    assertThat(users.accepts("bob")).isFalse();
    assertThat(users.accepts(null)).isFalse();
    assertThat(new AcceptedUsers(Set.of(), true).accepts(null)).isTrue();
  }
}
