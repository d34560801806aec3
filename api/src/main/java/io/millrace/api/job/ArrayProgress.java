package io.millrace.api.job;

/**
 * How far an array of jobs is.
 *
 * @param size its elements
 * @param waiting not started yet, those that have no job of their own yet included
 * @param running placed or running
 * @param succeeded ended well
 * @param failed ended badly
 * @param cancelled ended because somebody asked for it
 */
public record ArrayProgress(
    long size, long waiting, long running, long succeeded, long failed, long cancelled) {}
