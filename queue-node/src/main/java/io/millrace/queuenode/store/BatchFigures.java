package io.millrace.queuenode.store;

/**
 * What a store knows of batch names, as last committed.
 *
 * @param remembered names remembered now
 * @param limit names remembered at most
 * @param forgottenEarly names forgotten since the store was opened before their ten minutes were
 *     over, because more came than are remembered
 */
public record BatchFigures(long remembered, long limit, long forgottenEarly) {}
