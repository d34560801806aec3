package io.millrace.manager.partitioning;

/**
 * One life of a member of a group.
 *
 * @param name by which the ring knows it
 * @param term rises with every new life of any member of the group
 */
public record Member(String name, long term) {}
