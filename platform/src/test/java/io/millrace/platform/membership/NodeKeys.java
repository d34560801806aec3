package io.millrace.platform.membership;

import io.millrace.api.node.RequestNumber;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeCredential;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.ReportSigner;
import io.millrace.platform.identity.ReportVerifier;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.security.KeyPair;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The key of one cluster, and signers of its nodes. */
final class NodeKeys {
  private final KeyPair cluster = KeyFiles.newPair();
  private final AtomicLong numbers = new AtomicLong();
  private final Set<UUID> withdrawn = ConcurrentHashMap.newKeySet();

  ReportVerifier verifier() {
    return new ReportVerifier((ECPublicKey) cluster.getPublic(), withdrawn::contains);
  }

  /** A signer whose identity is withdrawn when the second part is run. */
  record Withdrawable(ReportSigner signer, Runnable withdrawal) {}

  /** Its reports have numbers from that one on. */
  Withdrawable withdrawable(String queueNode, long firstNumber) {
    NodeCredential node = credential(Role.QUEUE_NODE, queueNode);
    AtomicLong next = new AtomicLong(firstNumber);
    ReportSigner signer =
        new ReportSigner(node, () -> new RequestNumber(1, next.getAndIncrement()));
    return new Withdrawable(signer, () -> withdrawn.add(node.identity().id()));
  }

  ReportSigner signer(String queueNode) {
    return signer(Role.QUEUE_NODE, queueNode);
  }

  ReportSigner signer(Role role, String name) {
    return new ReportSigner(
        credential(role, name), () -> new RequestNumber(1, numbers.incrementAndGet()));
  }

  NodeCredential credential(Role role, String name) {
    return new TokenIssuer((ECPrivateKey) cluster.getPrivate(), new SystemClock())
        .credential(new NodeIdentity(role, name, UUID.randomUUID()));
  }
}
