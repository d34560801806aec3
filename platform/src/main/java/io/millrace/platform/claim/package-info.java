/**
 * Exclusive rights with an expiry and a term: whatever only one of several equal instances may do
 * at a time is done by a {@link io.millrace.platform.claim.ClaimedDuty}. Truth is the database,
 * timed by its clock; nothing here remembers what is claimed (G-01..G-08).
 */
package io.millrace.platform.claim;
