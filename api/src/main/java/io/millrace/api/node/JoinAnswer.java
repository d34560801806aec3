package io.millrace.api.node;

import java.net.URI;
import java.util.List;

/**
 * All that a new machine needs to take its role.
 *
 * @param role the role that the one-use token was made for
 * @param name the name that it is known by
 * @param token its own token; shown once
 * @param publicKey the cluster's public key, PEM
 * @param central the central managers that are known
 */
public record JoinAnswer(
    String role, String name, String token, String publicKey, List<URI> central) {}
