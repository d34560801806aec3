package io.millrace.platform.claim;

/**
 * The right to work on a resource, as it was granted. It may have been lost since, so a transaction
 * that writes under it locks it first.
 *
 * @param resource what it is for, such as {@code dispatch/default}
 * @param claimant the instance that holds it; an id unique to one run of a process
 * @param term rises with every change of the holder and after every expiry
 */
public record Claim(String resource, String claimant, long term) {}
