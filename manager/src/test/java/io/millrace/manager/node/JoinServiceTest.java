package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.manager.job.JobBench;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinServiceTest {
  private static final List<URI> CENTRAL = List.of(URI.create("http://c1:7700"));

  @TempDir private Path folder;
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private JoinService service;
  private final KeyPair pair = KeyFiles.newPair();
  private NodeIdentities identities;

  @BeforeEach
  void open() {
    KeyFiles.ensure(folder);
    Path key = folder.resolve(KeyFiles.PUBLIC);
    TokenIssuer issuer = new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock());
    identities = new NodeIdentities(bench.database, new SystemClock());
    service = new JoinService(bench.database, identities, issuer, KeyFiles.publicText(key));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aMachineGetsAnIdentityWithTheRoleOfItsTokenAndTheNameItAskedFor() {
    JoinAnswer answer = join(created("execution-node").token(), "e7");
    assertThat(answer.role()).isEqualTo("execution-node");
    assertThat(answer.central()).isEqualTo(CENTRAL);
    assertThat(answer.publicKey()).startsWith("-----BEGIN PUBLIC KEY-----");
    NodeIdentity joined = identity(answer.certificate());
    assertThat(joined.role()).isEqualTo(Role.EXECUTION_NODE);
    assertThat(joined.name()).isEqualTo("e7");
    assertThat(identities.list())
        .singleElement()
        .satisfies(one -> assertThat(one.id()).isEqualTo(joined.id()))
        .satisfies(one -> assertThat(one.madeBy()).isEqualTo("ann"));
  }

  @Test
  void aTokenIsValidOnceAndTheSecondUseIsRefusedWithTheFirstUser() {
    String token = created("queue-node").token();
    join(token, "q7");
    refused(() -> join(token, "q8"), ErrorCode.CONFLICT, "used by q7");
  }

  @Test
  void anUnknownOrExpiredTokenIsRefused() {
    refused(() -> join("mrj_x", "e7"), ErrorCode.UNAUTHENTICATED, "the join token is unknown");
    String token = created("execution-node").token();
    bench.database.transaction(
        handle ->
            handle.execute("update join_token set expires_at = timestamp '2020-01-01 00:00:00'"));
    refused(() -> join(token, "e7"), ErrorCode.UNAUTHENTICATED, "expired");
  }

  @Test
  void aRefusedNameLeavesTheTokenValid() {
    String token = created("execution-node").token();
    refused(() -> join(token, "two words"), ErrorCode.INVALID_REQUEST, "name");
    refused(() -> join(token, "no/name"), ErrorCode.INVALID_REQUEST, "name");
    assertThat(join(token, "e7").name()).isEqualTo("e7");
  }

  @Test
  void onlyMachineRolesCanJoinAndOnlyForALimitedTime() {
    refused(() -> created("admin"), ErrorCode.INVALID_REQUEST, "execution-node");
    refused(
        () -> service.create(new JoinTokenRequest("queue-node", Duration.ofDays(30)), "ann"),
        ErrorCode.INVALID_REQUEST,
        "validFor");
  }

  @Test
  void theTokenItselfIsNotStored() {
    String token = created("execution-node").token();
    List<String> kept =
        bench.database.read(
            handle -> handle.createQuery("select hash from join_token").mapTo(String.class).list());
    assertThat(kept).singleElement().satisfies(hash -> assertThat(token).doesNotContain(hash));
  }

  @Test
  void aNameInUseIsRefusedAndTheTokenStaysValid() {
    join(created("execution-node").token(), "e7");
    String token = created("queue-node").token();
    refused(
        () -> join(token, "e7"), ErrorCode.CONFLICT, "the name e7 belongs to the execution-node");
    assertThat(join(token, "q7").name()).isEqualTo("q7");
  }

  @Test
  void aTokenOfAnotherRoleIsRefusedAndStaysValid() {
    String token = created("queue-node").token();
    JoinRequest wrong = request("e7", pair, null, "execution-node");
    refused(
        () -> service.join(token, wrong, CENTRAL),
        ErrorCode.FORBIDDEN,
        "the token is for the role queue-node, not execution-node, and stays valid");
    assertThat(identities.list()).isEmpty();
    JoinRequest right = request("q7", pair, null, "queue-node");
    assertThat(service.join(token, right, CENTRAL).role()).isEqualTo("queue-node");
  }

  @Test
  void whoWithdrewAnIdentityAndWhenIsKeptAndListedOnlyWithAll() {
    join(created("queue-node").token(), "q7");
    join(created("queue-node").token(), "q8");
    UUID withdrawn = identities.list().get(0).id();
    identities.withdraw("q7", "bob");
    join(created(new JoinTokenRequest("queue-node", null, "q8", true)).token(), "q8");

    assertThat(identities.list()).extracting(NodeIdentityView::name).containsExactly("q8");
    assertThat(identities.list().get(0).withdrawnAt()).isNull();
    List<NodeIdentityView> all = identities.all();
    assertThat(all).extracting(NodeIdentityView::name).containsExactly("q8", "q8", "q7");
    assertThat(all).extracting(NodeIdentityView::withdrawnBy).containsExactly(null, "ann", "bob");
    NodeIdentityView last = all.get(2);
    assertThat(last.id()).isEqualTo(withdrawn);
    assertThat(last.withdrawnAt()).isAfterOrEqualTo(last.joinedAt());
  }

  @Test
  void aTokenMayBeForOneNameOrAPatternOfNames() {
    String one = created(new JoinTokenRequest("queue-node", null, "q7", false)).token();
    refused(() -> join(one, "q8"), ErrorCode.FORBIDDEN, "the token is for the name q7");
    assertThat(join(one, "q7").name()).isEqualTo("q7");
    String some = created(new JoinTokenRequest("queue-node", null, "rack.7-*", false)).token();
    refused(() -> join(some, "rackA7-1"), ErrorCode.FORBIDDEN, "rack.7-*");
    assertThat(join(some, "rack.7-1").name()).isEqualTo("rack.7-1");
    refused(
        () -> created(new JoinTokenRequest("queue-node", null, "a b", false)),
        ErrorCode.INVALID_REQUEST,
        "name");
  }

  @Test
  void aTokenThatReplacesWithdrawsTheIdentityThatHadTheName() {
    join(created("queue-node").token(), "q7");
    NodeIdentityView before = identities.list().get(0);
    join(created(new JoinTokenRequest("queue-node", null, "q7", true)).token(), "q7");
    NodeIdentityView after = identities.list().get(0);
    assertThat(after.id()).isNotEqualTo(before.id());
    identities.require(principal(after));
    refused(() -> identities.require(principal(before)), ErrorCode.FORBIDDEN, "withdrawn");
  }

  @Test
  void onlyTheNamedNodeOfTheSameRoleIsReplaced() {
    for (String name : new String[] {null, "*", "q*"}) {
      refused(
          () -> created(new JoinTokenRequest("queue-node", null, name, true)),
          ErrorCode.INVALID_REQUEST,
          "replace: name the one node");
    }
    join(created("queue-node").token(), "q7");
    NodeIdentityView before = identities.list().get(0);
    String other = created(new JoinTokenRequest("load-balancer", null, "q7", true)).token();

    refused(() -> join(other, "q7"), ErrorCode.CONFLICT, "the name q7 belongs to the queue-node");

    assertThat(identities.list()).containsExactly(before);
    identities.require(principal(before));
  }

  @Test
  void aWithdrawnIdentityIsRefusedForEverAndItsNameIsFree() {
    join(created("queue-node").token(), "q7");
    NodeIdentityView first = identities.list().get(0);
    identities.withdraw("q7", "ann");
    refused(() -> identities.require(principal(first)), ErrorCode.FORBIDDEN, "withdrawn");
    refused(() -> identities.withdraw("q7", "ann"), ErrorCode.UNKNOWN_NODE, "q7");
    assertThat(join(created("queue-node").token(), "q7").name()).isEqualTo("q7");
    refused(() -> identities.require(principal(first)), ErrorCode.FORBIDDEN, "withdrawn");
  }

  @Test
  void aNodeCertifiedWithTheClustersKeyIsRecordedAtItsFirstCallUnlessItsNameIsInUse() {
    NodeIdentity q7 = new NodeIdentity(Role.QUEUE_NODE, "q7", UUID.randomUUID());
    identities.require(Principal.of(q7));
    assertThat(identities.list()).extracting(NodeIdentityView::id).containsExactly(q7.id());
    NodeIdentity other = new NodeIdentity(Role.QUEUE_NODE, "q7", UUID.randomUUID());
    refused(() -> identities.require(Principal.of(other)), ErrorCode.CONFLICT, "q7");
    // The same id in another role is not the same node.
    NodeIdentity changed = new NodeIdentity(Role.LOAD_BALANCER, "q7", q7.id());
    NodeIdentities elsewhere = new NodeIdentities(bench.database, new SystemClock());
    refused(() -> elsewhere.require(Principal.of(changed)), ErrorCode.FORBIDDEN, "q7");
  }

  @Test
  void aMachineKeepsTheIdOfItsDataDirectoryUnlessAnotherNodeHasIt() {
    UUID kept = UUID.randomUUID();
    bench.employ(kept, "e7", 1);
    String token = created("execution-node").token();
    refused(() -> join(token, "e8", kept), ErrorCode.CONFLICT, "--name e7");
    join(token, "e7", kept);
    assertThat(identities.list()).extracting(NodeIdentityView::id).containsExactly(kept);
    String other = created("execution-node").token();
    refused(() -> join(other, "e9", kept), ErrorCode.CONFLICT, "belongs to another node");
    refused(() -> join(other, "e7", kept), ErrorCode.CONFLICT, "--name e7 --replace");
  }

  @Test
  void aMachineThatHasLostItsKeyReplacesItselfAndKeepsItsId() {
    UUID kept = UUID.randomUUID();
    join(created("queue-node").token(), "q7", kept);
    join(created(new JoinTokenRequest("queue-node", null, "q7", true)).token(), "q7", kept);
    assertThat(identities.list()).extracting(NodeIdentityView::id).containsExactly(kept);
    identities.require(principal(identities.list().get(0)));
    // Another machine under that name gets it with an ID of its own.
    join(created(new JoinTokenRequest("queue-node", null, "q7", true)).token(), "q7");
    assertThat(identities.withdrawn()).containsExactly(kept);
  }

  @Test
  void aWithdrawnIdIsRefusedWithTheFileToDeleteAlsoForOneThatReplaces() {
    UUID kept = UUID.randomUUID();
    join(created("queue-node").token(), "q7", kept);
    identities.withdraw("q7", "ann");
    refused(
        () -> join(created("queue-node").token(), "q7", kept),
        ErrorCode.CONFLICT,
        "delete node-id there");
    refused(
        () ->
            join(created(new JoinTokenRequest("queue-node", null, "q7", true)).token(), "q7", kept),
        ErrorCode.CONFLICT,
        "delete node-id there");
    assertThat(identities.withdrawn()).containsExactly(kept);
  }

  @Test
  void aMachineThatMissedTheAnswerRepeatsItsRequestWithTheSameKeyOnly() {
    String token = created("queue-node").token();
    String first = join(token, "q7").certificate();
    assertThat(identity(join(token, "q7").certificate())).isEqualTo(identity(first));
    assertThat(identities.list()).hasSize(1);
    refused(() -> join(token, "q8"), ErrorCode.CONFLICT, "used by q7");
    refused(
        () -> service.join(token, request("q7", KeyFiles.newPair(), null), CENTRAL),
        ErrorCode.CONFLICT,
        "used by q7");
    identities.withdraw("q7", "ann");
    refused(() -> join(token, "q7"), ErrorCode.CONFLICT, "used by q7");
  }

  private NodeIdentity identity(String certificate) {
    Path file = folder.resolve("node.identity");
    NodeCredential.write(file, certificate, (ECPrivateKey) pair.getPrivate());
    return NodeCredential.read(file, KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)))
        .identity();
  }

  private static Principal principal(NodeIdentityView view) {
    return Principal.of(new NodeIdentity(Role.QUEUE_NODE, view.name(), view.id()));
  }

  private JoinAnswer join(String token, String name) {
    return join(token, name, null);
  }

  private JoinAnswer join(String token, String name, UUID id) {
    return service.join(token, request(name, pair, id), CENTRAL);
  }

  private static JoinRequest request(String name, KeyPair keys, UUID id) {
    return request(name, keys, id, null);
  }

  private static JoinRequest request(String name, KeyPair keys, UUID id, String role) {
    String key = Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
    return new JoinRequest(name, key, id, role);
  }

  private JoinToken created(JoinTokenRequest request) {
    return service.create(request, "ann");
  }

  private JoinToken created(String role) {
    return service.create(new JoinTokenRequest(role, null), "ann");
  }

  private static void refused(ThrowingCallable call, ErrorCode code, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
