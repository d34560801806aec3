package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import java.security.interfaces.ECPublicKey;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallersTest {
  @Test
  void aServerThatSaysNothingOfNodesAcceptsNone() {
    ECPublicKey cluster = (ECPublicKey) KeyFiles.newPair().getPublic();
    Callers callers = Callers.withoutNodes(new TokenVerifier(cluster, new SystemClock(), "t1"));
    for (Role role : Role.nodes()) {
      Principal node = Principal.of(new NodeIdentity(role, "n1", new UUID(1, 1)));
      assertThatThrownBy(() -> callers.nodes().accept(node))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    }
    assertThat(callers.sessions().apply("any")).isEmpty();
  }
}
