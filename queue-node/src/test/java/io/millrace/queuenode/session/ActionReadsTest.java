package io.millrace.queuenode.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.queuenode.session.store.SessionStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator does with a session is answered without reading its events. */
class ActionReadsTest {
  @TempDir Path folder;
  private final List<String> called = new CopyOnWriteArrayList<>();

  private SessionStore noted(SessionStore store) {
    return (SessionStore)
        Proxy.newProxyInstance(
            SessionStore.class.getClassLoader(),
            new Class<?>[] {SessionStore.class},
            (proxy, method, values) -> {
              called.add(method.getName());
              try {
                return method.invoke(store, values);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void anActionShowsNoEvents() {
    try (SessionNode node = new SessionNode(folder, SessionDefinition.of("/jobId"), this::noted)) {
      node.event("1", "a");
      for (SessionAction action : SessionAction.values()) {
        node.sessions.act(SessionNode.QUEUE, SessionCommand.of(action, "1", null), "ann");
      }
    }
    assertThat(called).contains("act", "view").doesNotContain("show");
  }
}
