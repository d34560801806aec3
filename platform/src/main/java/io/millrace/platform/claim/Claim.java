package io.millrace.platform.claim;

/**
 * The right to work on a resource, as it stood when it was given. It may have been lost since; who
 * writes under it locks it first, in the same transaction.
 *
 * @param resource what it is for, such as {@code dispatch/default}
 * @param claimant the instance that holds it; an id unique for one life of a process
 * @param term rises with every change of hands and every lapse
 */
public record Claim(String resource, String claimant, long term) {}
