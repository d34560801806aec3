package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.NodeSigner;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Values of environment variables are shown to those who may change them, and to nobody else. */
class MaskedSecretsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final NodeSigner signer = new NodeSigner(CLUSTER.tokenFile(Role.ADMIN).getParent());
  private final JdkTransport transport = new JdkTransport();

  @Test
  void onlyAdministratorsAndOperatorsSeeThem() throws IOException {
    String yaml =
        "{kind: task, name: masked, job: {command: ['true'], env: {PASSWORD: hidden-value}}}";
    CLUSTER.central().apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));

    for (String path :
        List.of(
            "/v1/definitions",
            "/v1/definitions/task/masked",
            "/v1/definitions/task/masked/history",
            "/v1/tasks/masked")) {
      for (Role role : Role.readers()) {
        boolean shown = Role.operators().contains(role);
        String text = read(role, path);
        assertThat(text).as("%s as %s", path, role).contains("PASSWORD");
        assertThat(text.contains("hidden-value")).as("%s as %s", path, role).isEqualTo(shown);
      }
    }
  }

  /** Nodes keep the topology in a file; what attempts need comes with their orders. */
  @Test
  void theTopologyOfNodesContainsNone() throws IOException {
    CLUSTER.define(
        "{kind: queue, name: masked, minSegments: 1,"
            + " worker: {command: ['true'], env: {PASSWORD: hidden-value}}}");
    for (Role role : Role.nodes()) {
      NodeIdentity node =
          new NodeIdentity(role, "masked-" + role.label(), new UUID(11, role.ordinal()));
      String authorization =
          signer.authorization(
              signer.credential(node),
              CLUSTER.address(),
              NodeSigner.audience("manager"),
              "GET",
              "/v1/topology");
      assertThat(read("/v1/topology", authorization))
          .as("%s", role)
          .contains("PASSWORD")
          .doesNotContain("hidden-value");
    }
  }

  private String read(Role role, String path) throws IOException {
    String authorization =
        signer.authorization(
            Principal.of(role, "tester"),
            CLUSTER.address(),
            NodeSigner.audience("manager"),
            "GET",
            path);
    return read(path, authorization);
  }

  private String read(String path, String authorization) throws IOException {
    HttpCall call = HttpCall.get(CLUSTER.address().resolve(path));
    return transport.send(call.with("Authorization", authorization)).orThrow().text();
  }
}
