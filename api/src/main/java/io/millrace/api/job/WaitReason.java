package io.millrace.api.job;

/**
 * One reason why a job waits.
 *
 * @param code stable
 * @param words for people, with the figures and names, for instance {@code no node matches memory
 *     >= 64GB: the best has 16GB}
 */
public record WaitReason(WaitCode code, String words) {}
