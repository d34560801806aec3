/**
 * Configuration files as record trees: one record per concern, every problem of a file reported at
 * once, unknown keys refused, secrets masked when shown. Called by the launchers of each role.
 */
package io.millrace.platform.config;
