package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BodyReadersTest {
  private static final Principal USER = Principal.of(Role.OPERATOR, "ann");
  private static final Principal E1 = node("e1", 1);
  private static final Principal E2 = node("e2", 2);

  private final BodyReaders readers = new BodyReaders(5, 6, 4);

  private static Principal node(String name, int id) {
    return Principal.of(new NodeIdentity(Role.EXECUTION_NODE, name, new UUID(1, id)));
  }

  private int fill(Principal caller) {
    int begun = 0;
    while (begun < 100 && readers.begin(caller)) {
      begun++;
    }
    return begun;
  }

  @Test
  void usersAndNodesDoNotKeepOneAnotherFromSending() {
    assertThat(fill(USER)).isEqualTo(5);
    assertThat(fill(E1)).isEqualTo(4);
    assertThat(fill(E2)).isEqualTo(2);
  }

  @Test
  void whatHasEndedMakesRoom() {
    for (Principal caller : new Principal[] {USER, E1}) {
      int most = fill(caller);
      for (int i = 0; i < most; i++) {
        readers.end(caller);
      }
      assertThat(fill(caller)).isEqualTo(most);
    }
  }
}
