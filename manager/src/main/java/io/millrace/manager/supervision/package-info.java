/**
 * Keeps exactly one queue manager for every segment with weight or unfinished events. The plan is
 * pure; the duty runs under a claim.
 */
package io.millrace.manager.supervision;
