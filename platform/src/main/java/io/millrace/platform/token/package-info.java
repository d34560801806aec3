/**
 * Tokens: who calls, in which role. The central manager issues them with its private key; every
 * server verifies them with the public one. Used by the HTTP server and by whoever composes a role.
 */
package io.millrace.platform.token;
