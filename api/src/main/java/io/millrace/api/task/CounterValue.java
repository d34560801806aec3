package io.millrace.api.task;

/**
 * Numbers of a task's shared counter, which nobody else gets (H-020).
 *
 * @param first of them, from 1
 * @param count how many follow one another, the first included
 */
public record CounterValue(long first, int count) {}
